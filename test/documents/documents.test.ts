import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import type { CommandPath } from "../../src/values/command-paths.ts";
import { leaves } from "../commands/leaves.ts";
import { named, type Place, placeWith, ROUTING } from "../commands/notify/notify-fixture.ts";
import { NOW, type Outcome, type RunInput, sandboxAt } from "../harness.ts";
import { oddDocuments } from "./check.ts";
import { DEFINITIONS, DOCUMENTS, documentsJsonSchema, fieldsOf, WORDS } from "./documents.ts";

/** The words that the JSON of runs has; that each document is as described, every run checks. */
function createSeen() {
  const seen = { action: new Set<string>(), reason: new Set<string>(), outcome: new Set<string>() };
  const collect = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    for (const [key, one] of Object.entries(value)) {
      if (key in seen && typeof one === "string") seen[key as keyof typeof seen].add(one);
      collect(one);
    }
  };
  const add = ({ stdout, stderr }: Outcome) => {
    for (const text of [stdout, stderr]) if (text !== "") collect(JSON.parse(text));
  };
  return { seen, add };
}

const APPLY = "apply -f routing.yaml --yes --json";
const PLAN = "plan -f routing.yaml --json";

/** Answers that are lost, or refusals, in place of those of the service. */
function failing(place: Place, answer: () => Response): RunInput {
  const fetch = async (request: Request) =>
    request.method === "GET" ? place.sandbox.fetch(request) : answer();
  return { fetch };
}

interface Topic {
  readonly id: string;
}

/** A list of topics other than the service has it. */
function listing(place: Place, change: (topics: readonly Topic[]) => readonly Topic[]): RunInput {
  const fetch = async (request: Request) => {
    const answer = await place.sandbox.fetch(request);
    if (!new URL(request.url).pathname.endsWith("/topics")) return answer;
    return Response.json(change((await answer.json()) as Topic[]));
  };
  return { fetch };
}

const withoutId = () => new Response("{}", { status: 201 });
const lost = () => {
  throw new TypeError("fetch failed", { cause: { code: "ECONNRESET" } });
};
const refused = () => Response.json({ title: "Too dull", status: 422 }, { status: 422 });

const MOVED = ROUTING.replace("acme.com/amp", "acme.com/moved");
const WITHOUT_TOPIC = ROUTING.slice(0, ROUTING.indexOf("topics:"));
const READ = ROUTING.replace("  ops: {", "  acme-webhook: {").replace("[ops]", "[acme-webhook]");

/** The destination of the routing as the service has it. */
function opsOf({ sandbox }: Place) {
  const found = sandbox.world.destinations.find(({ name }) => name === "ops");
  if (found === undefined) throw new Error("there is no destination ops");
  return found;
}

type Run = (words: string, world?: RunInput) => Promise<void>;

/** What brings about the words: each in a place of its own, in which the routing is applied. */
const APPLIED: Readonly<Record<string, (run: Run, place: Place) => Promise<void>>> = {
  "in_place, adopt, adopted": async (run) => {
    await run(APPLY);
    await run(`${PLAN} --state other.json`);
    await run(`${APPLY} --state other.json`);
  },
  "delete, deleted, release": async (run, place) => {
    place.write("routing.yaml", ROUTING.replace("installation.created, ", ""));
    place.write("other.yaml", named("other"));
    await run(`${PLAN} --prune`);
    await run("apply -f other.yaml --yes --json");
    await run(`${PLAN} --prune`);
    place.write("other.yaml", named("other", ROUTING.replace("installation.created, ", "")));
    await run("apply -f other.yaml --yes --json");
    await run(`${APPLY} --prune`);
  },
  "update, updated": async (run, place) => {
    place.write("routing.yaml", MOVED);
    await run(PLAN);
    await run(APPLY);
  },
  shared: async (run, place) => {
    place.write("other.yaml", named("other", MOVED));
    await run("plan -f other.yaml --json");
  },
  "not_managed, ambiguous, unclear": async (run, place) => {
    place.write("routing.yaml", MOVED);
    await run(`${PLAN} --state other.json`);
    const twice = (all: readonly Topic[]) => all.flatMap((one) => [one, { ...one, id: "top_2" }]);
    await run(`${PLAN} --state other.json`, listing(place, twice));
    const unnamed = (all: readonly Topic[]) => all.map((one) => ({ ...one, name: undefined }));
    await run(`${PLAN} --state other.json`, listing(place, unnamed));
  },
  changed_both: async (run, place) => {
    Object.assign(opsOf(place), { metadata: { url: "https://hooks.acme.com/theirs" } });
    place.write("routing.yaml", MOVED);
    await run(PLAN);
  },
  "cannot_change, end_in_conflict": async (run, place) => {
    place.write("routing.yaml", ROUTING.replace("type: webhook", "type: pigeon"));
    await run(PLAN);
  },
  same_id: async (run, place) => {
    const twice = `  same: { id: ${opsOf(place).id} }\ntopics:`;
    place.write("routing.yaml", ROUTING.replace("topics:", twice));
    await run(PLAN);
  },
  not_found: async (run, place) => {
    const unknown = "  other: { id: dst_nosuch }\ntopics:";
    place.write("routing.yaml", ROUTING.replace("topics:", unknown));
    await run(PLAN);
  },
  both_exist: async (run, place) => {
    await run("destinations create --name next --type webhook --url https://a.example --json");
    const renamed = ROUTING.replace("  ops: {", "  next: { renamed-from: ops,");
    place.write("routing.yaml", renamed.replace("[ops]", "[next]"));
    await run(PLAN);
  },
  "name_taken, other_name": async (run, place) => {
    const ops = opsOf(place);
    Object.assign(ops, { name: "moved" });
    (place.sandbox.world.destinations as unknown[]).push({ ...ops, id: "dst_2", name: "ops" });
    await run(PLAN);
    place.write("routing.yaml", `version: 1\nname: routing\ntopics: { lifecycle: {} }\n`);
    await run(`${PLAN} --prune`);
  },
  "gone, follows": async (run, place) => {
    const none = listing(place, () => []);
    await run(PLAN, none);
    await run(`${PLAN} --accept recreate`, none);
  },
  replaced: async (run, place) => {
    const others = listing(place, (all) => all.map((one) => ({ ...one, id: "top_2" })));
    await run(PLAN, others);
  },
  in_reads: async (run, place) => {
    place.write("routing.yaml", READ);
    await run(APPLY);
    place.write("routing.yaml", ROUTING);
    await run(`${PLAN} --prune`);
  },
  in_use: async (run, place) => {
    await run("routes create --topic lifecycle --event installation.deleted --json");
    place.write("routing.yaml", WITHOUT_TOPIC);
    await run(`${PLAN} --prune`);
  },
  takeover: async (run, place) => {
    place.write("routing.yaml", READ.replaceAll("lifecycle", "others"));
    await run(`${PLAN} --prune`);
  },
};

describe("the words of JSON", () => {
  it("all occur in output where the documents describe them", async () => {
    const { seen, add } = createSeen();
    const env = { AMP_COMMIT_HORIZON: "1ms" };
    const runAt =
      (place: Place): Run =>
      async (words, world = {}) =>
        add(await place.notify(words, { ...world, env }));
    for (const bring of Object.values(APPLIED)) {
      const place = placeWith();
      await runAt(place)(APPLY);
      await bring(runAt(place), place);
    }
    const fresh = placeWith();
    await runAt(fresh)(APPLY, failing(fresh, refused));
    await runAt(fresh)(PLAN);
    const bare = placeWith(sandboxAt(NOW, { specOnly: true }));
    await runAt(bare)(APPLY, failing(bare, lost));
    await runAt(bare)(PLAN);
    bare.write("routing.yaml", "version: 1\n");
    await runAt(bare)(APPLY, { sandbox: sandboxAt() });
    const silent = placeWith(sandboxAt(NOW, { specOnly: true }));
    await runAt(silent)(APPLY, failing(silent, withoutId));
    await runAt(silent)(PLAN);

    const reasons = [...new Set([...WORDS.reason, ...WORDS.kept])];
    expect([...seen.action].sort()).toEqual([...WORDS.action].sort());
    expect([...seen.reason].sort()).toEqual(reasons.sort());
    expect([...seen.outcome].sort()).toEqual([...WORDS.outcome].sort());
  });
});

describe("the JSON fields in help", () => {
  it("are those of the document that the command prints", () => {
    const listed = leaves.filter(({ command }) => command.fields !== undefined);
    for (const { path, command } of listed) {
      const { one, list = one, plan } = DOCUMENTS[path as CommandPath];
      // What a dry run prints instead is documented alone.
      const other = ["trace", "plans", "checks"].includes(plan ?? "") ? fieldsOf(plan ?? "") : [];
      expect(command.fields, path).toEqual([...new Set([...fieldsOf(list ?? ""), ...other])]);
    }
    expect(listed.length).toBeGreaterThan(60);
  });
});

describe("oddDocuments", () => {
  const written = (stdout: unknown, stderr = "") => ({ stdout: JSON.stringify(stdout), stderr });

  it("finds what is not as described", () => {
    const status = ["notify", "state", "list", "--json"];
    const time = "2026-01-01T00:00:00Z";
    const row = { address: "topic/a", kind: "topic", id: "t", made: "amp", owner: "person", time };
    expect(oddDocuments(status, written([row]), true)).toEqual([]);
    for (const odd of [
      { ...row, unknown: "creation" },
      { ...row, more: 1 },
      { ...row, address: "a" },
    ]) {
      expect(oddDocuments(status, written([row, odd]), true)).toHaveLength(1);
    }
    expect(oddDocuments(status, written(row), false)).toEqual([]);
    expect(
      oddDocuments(["notify", "plan", "--json"], written({ pending: true }), true),
    ).toHaveLength(1);
    const error = (document: object) => written([], JSON.stringify(document));
    expect(oddDocuments(status, error({ error: { code: "what" } }), true)).toHaveLength(1);
    const lines = `${JSON.stringify({ amp: "deleted", address: "topic/a" })}\n`;
    expect(
      oddDocuments([...status, "--progress", "json"], { stdout: "[]", stderr: lines }, true),
    ).toHaveLength(1);
  });

  it("does not blame amp for the records of a service that is not as specified", () => {
    const argv = ["notify", "topics", "list", "-o", "ndjson"];
    const text = { stdout: '{"id":5}\n', stderr: "" };
    expect(oddDocuments(argv, text, true)).toHaveLength(1);
    expect(oddDocuments(argv, text, false)).toEqual([]);
  });
});

describe("docs/json.schema.json", () => {
  const text = documentsJsonSchema();
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, strictRequired: false });
  ajv.addFormat("date-time", true);
  ajv.addSchema(JSON.parse(text), "amp");
  const accepts = (name: string, value: unknown) =>
    ajv.getSchema(`amp#/$defs/${name}`)?.(value) ?? "unknown";

  // It is read by programs and editors, in one go; a command with a document of its own adds a few KB.
  it("is valid, and has at most 130 KB", () => {
    for (const name of Object.keys(DEFINITIONS)) expect(accepts(name, undefined)).toBe(false);
    expect(text.length).toBeLessThanOrEqual(130_000);
  });

  it("describes the parts that documents share", () => {
    const row = { address: "topic/a", ids: ["top_1"] };
    expect(accepts("duplicate", row)).toBe(true);
    const state = { location: "state.json", lineage: "l", serial: 1 };
    const receipt = { kept: [], counts: counted(WORDS.outcome), settled: [], duplicates: [row] };
    const rest = { verified: true, lists: true, state, warnings: [] };
    expect(accepts("setupReceipt", { ...receipt, ...rest, savedTo: "routing.yaml" })).toBe(true);
    expect(accepts("setupReceipt", { ...receipt, ...rest, duplicates: [{}] })).toBe(false);
    expect(accepts("setupReceipt", { savedTo: "routing.yaml" })).toBe(false);
    expect(accepts("savedCase", { cohort: {} })).toBe(false);
    const item = { address: "topic/a", kind: "topic", action: "create" };
    expect(accepts("planItem", item)).toBe(true);
    expect(accepts("planItem", { ...item, kind: "apple" })).toBe(false);
  });

  it("leaves room for what later versions add, and for null where a record may have it", () => {
    expect(accepts("project", { id: "p", name: null, later: 1 })).toBe(true);
    expect(accepts("project", { id: null })).toBe(false);
  });
});

function counted(words: readonly string[]): Record<string, number> {
  return Object.fromEntries(words.map((word) => [word, 0]));
}
