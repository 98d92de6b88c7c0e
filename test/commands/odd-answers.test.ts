import { describe, expect, it } from "vitest";
import { BIG, ODD_VALUES, type Path, pathsOf, spoilt } from "../api/schemas/odd-values.ts";
import { SAMPLES } from "../api/schemas/spec-samples.ts";
import { type Outcome, type Reply, type RunInput, run } from "../harness.ts";

function textOf(value: unknown): string {
  const rawJson = (JSON as never as { rawJSON: (text: string) => unknown }).rawJSON;
  return JSON.stringify(value, (_, item) =>
    typeof item === "bigint" ? rawJson(String(item)) : item,
  );
}

interface Subject {
  readonly words: readonly string[];
  readonly sample: { readonly value: object };
  /** The body that holds the odd record. */
  readonly body: (record: unknown, whole: object) => unknown;
  /** Every how many of its cases are tried; all where it is absent. A provider has many fields. */
  readonly every?: number;
  /** The record as JSON output has it. */
  readonly printed: (json: unknown) => unknown;
  /** The addresses of other lists, which are asked for, too. */
  readonly beside?: RegExp;
}

const list = (record: unknown, whole: object) => [{ ...whole, id: "first" }, record];
const second = (json: unknown) => (json as unknown[])[1];
const CRM = SAMPLES.installation.value.integrationId;

const SUBJECTS: Readonly<Record<string, Subject>> = {
  "apps list": {
    words: ["apps", "list"],
    sample: SAMPLES.providerApp,
    body: list,
    printed: second,
  },
  "apps get": {
    words: ["apps", "get", "pa1"],
    sample: SAMPLES.providerApp,
    body: (record) => [record],
    printed: (json) => json,
  },
  "providers list": {
    words: ["providers", "list"],
    sample: SAMPLES.provider,
    every: 5,
    body: (record, whole) => ({ other: { ...whole, name: "other", id: "other" }, hubspot: record }),
    printed: (json) => (json as { id?: unknown }[]).find((one) => one?.id !== "other"),
  },
  "providers get": {
    words: ["providers", "get", "hubspot"],
    sample: SAMPLES.provider,
    every: 2,
    body: (record) => record,
    printed: (json) => json,
  },
  "installations list": {
    words: ["installations", "list", CRM],
    sample: SAMPLES.installation,
    body: list,
    printed: second,
  },
  "installations get": {
    words: ["installations", "get", "in1", "--integration", CRM],
    sample: SAMPLES.installation,
    body: (record) => [record],
    printed: (json) => json,
    beside: /\/destinations$/u,
  },
  "invites list": {
    words: ["invites", "list", "--org", "o1"],
    sample: SAMPLES.invite,
    body: list,
    printed: second,
  },
  "notify topics list": {
    words: ["notify", "topics", "list"],
    sample: SAMPLES.topic,
    body: list,
    printed: second,
  },
  "notify destinations list": {
    words: ["notify", "destinations", "list"],
    sample: SAMPLES.destination,
    body: list,
    printed: second,
  },
  "notify routes list": {
    words: ["notify", "routes", "list"],
    sample: SAMPLES.eventRoute,
    body: list,
    printed: second,
    beside: /topics$|destinations$|topic-destination-routes$/u,
  },
  "notify routes list, of destination routes": {
    words: ["notify", "routes", "list"],
    sample: SAMPLES.destinationRoute,
    body: list,
    printed: second,
    beside: /topics$|destinations$|event-topic-routes$/u,
  },
};

/** Whether the case can be found and judged at all. */
function isMeant(name: string, path: Path, odd: unknown): boolean {
  const isRoot = path.length === 0;
  if (isRoot && odd === undefined) return false;
  // A list with a record of another project is refused.
  if (path.at(-1) === "projectId" && typeof odd === "string" && odd !== "") return false;
  // An answer that is not a record at all is not an answer, and what has no ID is not found by it.
  const found = name.endsWith(" get") && (isRoot || (name !== "providers get" && path[0] === "id"));
  return !found;
}

/** A table or page is the richest, so it takes more of the turns. */
const FORMATS = ["table", "tsv", "table", "csv", "table", "yaml", "ndjson"] as const;

const jsonOf = (text: string) =>
  new Response(text, { headers: { "content-type": "application/json" } });

async function attempt(
  { words, body, sample, beside }: Subject,
  path: Path,
  odd: unknown,
  format: readonly string[],
): Promise<Outcome> {
  const reply: Reply = { body: textOf(body(spoilt(sample.value, path, odd), sample.value)) };
  const isTable = format.includes("table");
  const answers: RunInput =
    beside === undefined
      ? { replies: [reply] }
      : { fetch: async ({ url }) => jsonOf(beside.test(url) ? "[]" : String(reply.body)) };
  return run([...words, ...format], {
    ...answers,
    ...(isTable ? { tty: { out: true, err: false }, columns: 200 } : {}),
    env: { NO_COLOR: "1" },
  });
}

/** Bodies as they are printed: secrets hidden, which the samples have none of, and digits kept. */
const asText = (value: unknown) => textOf(value);

let total = 0;
let held = 0;
let said = 0;

describe.each(Object.entries(SUBJECTS))("an odd answer to amp %s", (name, subject) => {
  it("hides nothing in any format, and is said", async () => {
    const broken: string[] = [];
    let nth = 0;
    for (const path of pathsOf(subject.sample.value)) {
      for (const odd of ODD_VALUES) {
        if (!isMeant(name, path, odd)) continue;
        nth += 1;
        if (nth % (subject.every ?? 1) > 0) continue;
        total += 1;
        const what = `${path.join(".")} = ${odd === undefined ? "missing" : textOf(odd)}`;
        const wrong: string[] = [];
        const json = await attempt(subject, path, odd, ["--json"]);
        if (json.code !== 0) wrong.push(`exit ${json.code}: ${json.stderr}`);
        else if (typeof odd === "bigint") {
          if (!json.stdout.includes(BIG)) wrong.push(`digits are lost: ${json.stdout}`);
        } else {
          const printed = subject.printed(json.json());
          const sent = spoilt(subject.sample.value, path, odd);
          // Addresses and headers are hidden.
          if (path[0] !== "metadata" && asText(printed) !== asText(JSON.parse(textOf(sent))))
            wrong.push(`JSON differs: ${asText(printed)}`);
        }
        const format = FORMATS[nth % FORMATS.length] ?? "table";
        const shown = await attempt(subject, path, odd, ["-o", format]);
        if (shown.code !== 0) wrong.push(`${format}: exit ${shown.code}: ${shown.stderr}`);
        if (/\[object |undefined|NaN/u.test(shown.stdout)) wrong.push(`${format}: ${shown.stdout}`);
        // A program that reads JSON finds nothing on stderr where all went well.
        if (json.stderr !== "") wrong.push(`JSON with prose: ${json.stderr}`);
        const stderr = shown.stderr.replace(/^Showing[^.]*\.\n+/u, "");
        const isSaid =
          stderr === "" ||
          /^(?:\d+ fields? (?:is|are) not as specified: |Provider hubspot has no )/u.test(stderr);
        if (!isSaid) wrong.push(stderr);
        said += stderr === "" ? 0 : 1;
        if (wrong.length === 0) held += 1;
        else broken.push(`${what}: ${wrong.join(" | ").slice(0, 400)}`);
      }
    }
    expect(broken.slice(0, 12)).toEqual([]);
  });
});

describe("all of these cases", () => {
  it("are more than two thousand, and hold", () => {
    process.stdout.write(`odd answers: ${held} of ${total} cases hold\n`);
    expect(total).toBeGreaterThan(2_000);
    expect(held).toBe(total);
    expect(said).toBeGreaterThan(total / 2);
  });
});

describe("null in the place of a list", () => {
  const LISTS = Object.keys(SUBJECTS).filter((name) => /list$/u.test(name) && !/^prov/u.test(name));
  const words = [...LISTS.map((name) => SUBJECTS[name]?.words ?? []), ["auth", "status"]];

  it.each(words)("is an empty list, and is said: amp %s %s", async (...argv) => {
    for (const [body, field] of [
      ["null", "response"],
      [" null\n", "response"],
      ['{"results":null,"pagination":{"done":true}}', "response results"],
    ]) {
      const replies = [{ body }, ...(argv.includes("routes") ? [{ body: "[]" }] : [])];
      const { json } = await run([...argv, "--json"], { replies });
      const { code, stderr } = await run([...argv, "-o", "yaml"], { replies });
      expect({ code, stderr }).toEqual({
        code: 0,
        stderr: `1 field is not as specified: ${field}: expected array, received null\n`,
      });
      expect(argv[0] === "auth" ? (json() as { projects: unknown }).projects : json()).toEqual([]);
    }
  });

  it.each(words)("is not what ends before its last page: amp %s %s", async (...argv) => {
    const body = '{"results":null,"pagination":{"done":false}}';
    const { code, stderr } = await run([...argv, "--json"], { replies: [{ body }] });
    expect(code).toBe(7);
    expect(stderr).toContain("the list is incomplete but has no link to the next page");
  });
});

describe("an odd list of projects", () => {
  it("does not keep amp auth status from its answer, and is printed as it came", async () => {
    const projects = [{ id: 5, name: { a: 1 } }, null, { name: "no id" }];
    const { code, json } = await run(["auth", "status", "--json"], {
      replies: [{ path: "/projects", body: projects }],
    });
    // Its project is not in the list.
    expect(code).toBe(3);
    expect(json()).toMatchObject({ checked: true, projects });
    const page = await run(["auth", "status"], {
      replies: [{ path: "/projects", body: projects }],
      tty: { out: true, err: false },
    });
    expect(page.code).toBe(3);
    expect(page.stdout).not.toMatch(/\[object|undefined/u);
    expect(page.stderr).toContain(
      "3 fields are not as specified: 5 name: expected string, received object",
    );
  });
});

describe("a group that is not an object", () => {
  it("is shown as text, and not as no group", async () => {
    const body = [{ ...SAMPLES.installation.value, connection: {}, group: "Acme" }];
    const { stdout } = await run(["installations", "list", CRM, "-o", "tsv"], {
      replies: [{ body }],
    });
    expect(stdout).toMatch(/^Acme\t/u);
  });
});

describe("an item of a list that is not a record", () => {
  it.each(["apps list", "installations list", "invites list", "notify topics list"])(
    "has a row with its text: amp %s",
    async (name) => {
      const { words = [], sample } = SUBJECTS[name] ?? {};
      const body = [null, "text", sample?.value, 5, [1, 2], []];
      const { code, stdout } = await run([...words, "-o", "tsv"], { replies: [{ body }] });
      expect(code).toBe(0);
      const cells = stdout.split("\n").map((line) => line.split("\t")[0]);
      expect([cells[0], cells[1], cells[3], cells[4]]).toEqual(["null", "text", "5", "1, 2"]);
    },
  );
});

describe("an integer beyond 2^53", () => {
  it.each(["json", "ndjson", "yaml"])("keeps its digits in %s", async (format) => {
    const body = `[{"id":${BIG},"unforeseen":{"n":[-${BIG}]}}]`;
    const { stdout } = await run(["notify", "topics", "list", "-o", format], {
      replies: [{ body }],
    });
    expect(stdout.match(new RegExp(`-?${BIG}`, "gu"))).toEqual([BIG, `-${BIG}`]);
    expect(stdout).not.toContain(`"${BIG}`);
  });
});
