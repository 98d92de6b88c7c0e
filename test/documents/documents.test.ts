import { describe, expect, it } from "vitest";
import { named, type Place, placeWith, ROUTING } from "../commands/notify/notify-fixture.ts";
import { NOW, type Outcome, type RunInput, sandboxAt } from "../harness.ts";
import { oddDocuments } from "./check.ts";
import { WORDS } from "./routing.ts";

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

describe("the words of JSON", () => {
  it("all occur in output where the documents describe them", async () => {
    const { seen, add } = createSeen();
    const place = placeWith();
    const run = async (words: string, world: RunInput = {}, at = place) =>
      add(await at.notify(words, world));
    await run(APPLY, failing(place, refused));
    await run(PLAN);
    await run(APPLY);
    await run(PLAN);
    await run(APPLY);
    await run(`${PLAN} --state other.json`);
    await run(`${APPLY} --state other.json`);
    place.write("other.yaml", named("other"));
    await run("apply -f other.yaml --yes --json");
    place.write("routing.yaml", ROUTING.replace("installation.created, ", ""));
    await run(`${PLAN} --prune`);
    place.write("other.yaml", named("other", ROUTING.replace("installation.created, ", "")));
    await run("apply -f other.yaml --yes --json --prune");
    await run(`${PLAN} --prune`);
    await run(`${APPLY} --prune`);
    place.write("routing.yaml", ROUTING.replace("acme.com/amp", "acme.com/other"));
    await run(`${PLAN} --state fourth.json`);
    await run(PLAN);
    await run(`${PLAN} --accept shared`);
    await run(`${APPLY} --accept shared`);
    const kept = place.sandbox.world.destinations.find(({ name }) => name === "ops");
    const { metadata = {} } = kept ?? {};
    Object.assign(kept ?? {}, { metadata: { ...metadata, url: "https://kept.example/amp" } });
    await run(PLAN);
    Object.assign(kept ?? {}, { metadata });
    place.write("routing.yaml", ROUTING.replace("type: webhook", "type: kinesis"));
    await run(`${PLAN} --accept shared`);
    await run(`${PLAN} --state fifth.json`);
    const ops = place.sandbox.world.destinations.find(({ name }) => name === "ops");
    place.write("routing.yaml", ROUTING.replace("topics:", `  same: { id: ${ops?.id} }\ntopics:`));
    await run(`${PLAN} --accept shared`);
    await run("destinations create --name next --type webhook --url https://a.example --json");
    place.write("routing.yaml", ROUTING);
    const renamed = ROUTING.replace("  ops: {", "  next: { renamed-from: ops,");
    place.write("routing.yaml", renamed.replace("[ops]", "[next]"));
    await run(PLAN);
    place.write(
      "routing.yaml",
      `${ROUTING.replace("destinations: [ops]", "")}    id: top_nosuch\n`,
    );
    await run(PLAN);
    place.write("routing.yaml", ROUTING);
    await run(
      PLAN,
      listing(place, () => []),
    );
    await run(
      `${PLAN} --accept recreate`,
      listing(place, () => []),
    );
    const twice = (topics: readonly Topic[]) => topics.flatMap((one) => [one, { ...one, id: "t" }]);
    await run(`${PLAN} --state third.json`, listing(place, twice));

    const bare = placeWith(sandboxAt(NOW, { specOnly: true }));
    await run(APPLY, failing(bare, lost), bare);
    await run(PLAN, {}, bare);
    bare.write("routing.yaml", "version: 1\n");
    await run(`${APPLY} AMP_COMMIT_HORIZON=1ms`, { sandbox: sandboxAt() }, bare);
    const silent = placeWith(sandboxAt(NOW, { specOnly: true }));
    await run(APPLY, failing(silent, withoutId), silent);
    await run(PLAN, {}, silent);

    // Lists of the sandbox show enough to tell.
    const all = (words: readonly string[]) => words.filter((word) => word !== "unclear");
    expect([...seen.action].sort()).toEqual(all(WORDS.action).sort());
    expect([...seen.reason].sort()).toEqual(all(WORDS.reason).sort());
    expect([...seen.outcome].sort()).toEqual(all(WORDS.outcome).sort());
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
