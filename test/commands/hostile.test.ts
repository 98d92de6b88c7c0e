import { beforeEach, describe, expect, it, vi } from "vitest";
import { parse as parseYaml } from "yaml";
import { type RunInput, run, sandboxAt } from "../harness.ts";
import { sampleFor } from "../sample.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { readCsv } from "../ui/read-csv.ts";
import {
  obeyed,
  obeyedInData,
  PAYLOADS,
  poisoned,
  poisonedProblem,
  sequencesBesideColour,
  withObjects,
} from "./hostile-service.ts";
import { INVOCATIONS } from "./invocations.ts";
import { goodArgs, leaves } from "./leaves.ts";

beforeEach(() => {
  // Retries wait a random time: none at all here.
  vi.spyOn(Math, "random").mockReturnValue(0);
});

/** They write what is not theirs byte for byte, as they say; on a terminal it is escaped. */
const RAW = new Set(["api"]);

/** Their output has a form of its own, whatever the format. */
const DOCUMENTS = new Set([
  "notify schema",
  "notify state pull",
  "sandbox start",
  "sandbox export",
]);

/** Commands that refuse an answer in which each text is another: a health that is not known proves nothing. */
const REFUSED: Readonly<Record<string, number>> = { "installations check": 7 };

const paths = leaves.map(({ path }) => path);

/** Runs a command as it would succeed, at a service that adds payloads to all it says. */
async function runPoisoned(
  path: string,
  more: readonly string[],
  world: RunInput = {},
  poison: typeof poisoned = poisoned,
) {
  const sandbox = sandboxAt();
  const cwd = temporaryFolder();
  await INVOCATIONS[path]?.before?.(cwd, sandbox);
  const sent = new Set<string>();
  const fetch = async (request: Request) => {
    const answer = await sandbox.fetch(request);
    const text = await answer.text();
    if (!answer.headers.get("content-type")?.includes("json")) {
      return new Response(text === "" ? null : text, answer);
    }
    const bad = poison(JSON.parse(text), / list$/u.test(path));
    for (const one of bad.sent) sent.add(one);
    return Response.json(bad.value, { status: answer.status });
  };
  const argv = [...path.split(" "), ...goodArgs(path, sandbox), ...more];
  // The project that has a routing.
  const env = {
    ...(/^notify .* list$/u.test(path) && { AMP_PROJECT: "globex-staging" }),
    ...world.env,
  };
  const given = { sandbox, cwd, ...INVOCATIONS[path]?.world?.(), ...world, env, fetch };
  return { ...(await run(argv, given)), sent };
}

function textsOf(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => [key, ...textsOf(item)]);
}

describe.each(paths)("amp %s at a hostile service", (path) => {
  it("prints no control characters of answers on a terminal", async () => {
    for (const columns of [40, 120]) {
      const { stdout, stderr } = await runPoisoned(path, [], {
        tty: { out: true, err: true },
        columns,
        env: { FORCE_COLOR: "1" },
      });
      const tabs = RAW.has(path) || path === "completion";
      expect(obeyed(stdout, { colour: true, tabs })).toEqual([]);
      // A wait ends with one bell of its own.
      const shown = path === "installations wait" ? stderr.replace("\u0007", "") : stderr;
      expect(obeyed(shown, { colour: true })).toEqual([]);
      // No hyperlink, title or clipboard, whoever's: amp sends no such sequence at all.
      expect(sequencesBesideColour(stdout + stderr)).toEqual([]);
    }
  });

  it("has an exit code of its own where each text is an object with the methods of one", async () => {
    const { code, stderr } = await runPoisoned(path, [], {}, withObjects);
    expect(code === 1 ? stderr : "").toBe("");
  });

  it("writes nothing harmful into a pipe, in any format made of text", async () => {
    for (const format of ["table", "csv", "tsv", "id"]) {
      const { stdout, stderr } = await runPoisoned(path, ["--output", format, "--debug"]);
      expect(obeyed(stderr)).toEqual([]);
      if (RAW.has(path)) continue;
      // It is JSON, whatever the format.
      if (path === "sandbox export") expect(obeyedInData(stdout)).toEqual([]);
      if (path === "sandbox export") continue;
      const isDocument = INVOCATIONS[path]?.noJson !== undefined || /schema|state/u.test(path);
      expect(obeyed(stdout, { tabs: format !== "table" || isDocument })).toEqual([]);
    }
  });

  it("writes JSON, NDJSON and YAML that is harmless, and loses nothing", async () => {
    if (RAW.has(path) || INVOCATIONS[path]?.noJson !== undefined) return;
    for (const format of ["json", "ndjson", "yaml"]) {
      const { stdout, stderr, sent, code } = await runPoisoned(path, ["--output", format]);
      expect(obeyedInData(stderr)).toEqual([]);
      expect(obeyedInData(stdout)).toEqual([]);
      // Where the answer is not accepted, this test would see nothing.
      expect({ path, code, stderr }).toMatchObject({
        code: REFUSED[path] ?? INVOCATIONS[path]?.exits ?? 0,
      });
      if (code !== 0 || stdout === "" || (format !== "json" && DOCUMENTS.has(path))) continue;
      const read = (text: string): unknown =>
        format === "yaml" ? parseYaml(text) : JSON.parse(text);
      const documents = format === "ndjson" ? stdout.trimEnd().split("\n") : [stdout];
      const texts = documents.flatMap((text) => textsOf(read(text)));
      // Whatever came from the service came through as a whole.
      const cut = texts.filter((text) =>
        PAYLOADS.some((bad) => bad.length > 3 && text.endsWith(bad)),
      );
      for (const text of cut) expect([...sent, ...PAYLOADS, text]).toContain(text);
      if (/^(?!auth|notify state).* (?:list|get)$/u.test(path))
        expect(cut.length).toBeGreaterThan(0);
    }
  });

  it("reports any refusal without its control sequences", async () => {
    const statuses = [400, 401, 403, 404, 409, 422, 500];
    const refusals = [...PAYLOADS.entries()];
    for (const [nth, payload] of sampleFor(paths.indexOf(path), 14, refusals)) {
      const status = statuses[nth % statuses.length] ?? 500;
      const fetch = async () => poisonedProblem(status, payload);
      const sandbox = sandboxAt();
      const cwd = temporaryFolder();
      await INVOCATIONS[path]?.before?.(cwd, sandbox);
      const more = [[], ["--json"], ["--debug"]][nth % 3] ?? [];
      const colour = nth % 2 === 0;
      const argv = [...path.split(" "), ...goodArgs(path, sandbox), ...more];
      const { stderr, stdout } = await run(argv, {
        ...{ sandbox, cwd, fetch, tty: { err: colour, out: colour } },
        ...INVOCATIONS[path]?.world?.(),
        env: { FORCE_COLOR: colour ? "1" : "0", AMP_RETRIES: "0" },
      });
      const isJson = more.includes("--json");
      const judged = isJson ? obeyedInData(stderr, { colour }) : obeyed(stderr, { colour });
      expect(judged).toEqual([]);
      if (!RAW.has(path) && !isJson) expect(obeyed(stdout, { colour, tabs: true })).toEqual([]);
      // A line of the service's own never begins where amp's lines do.
      expect(stderr).not.toMatch(/^(?:✓ all is well|next)/mu);
    }
  });
});

it("writes CSV that is read back as what is shown", async () => {
  const { stdout } = await runPoisoned("apps list", ["--output", "csv"]);
  const records = readCsv(stdout);
  expect(new Set(records.map((record) => record.length)).size).toBe(1);
  expect(
    records
      .slice(1)
      .flat()
      .filter((cell) => /^[=+\-@\t\r＝＋－＠]/u.test(cell)),
  ).toEqual([]);
});
