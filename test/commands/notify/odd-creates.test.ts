import { describe, expect, it } from "vitest";
import { type RunInput, sandboxAt } from "../../harness.ts";
import { placeWith, writesOf } from "./notify-fixture.ts";

/** The first ID that a number of JavaScript cannot hold, and some beyond. */
const BIG = 9_007_199_254_740_993n;

/** A sandbox all of whose routing IDs are large numbers. */
function withNumericIds() {
  const sandbox = sandboxAt();
  const numbers = new Map<string, string>();
  const numberOf = (id: string) => {
    const number = numbers.get(id) ?? String(BIG + BigInt(numbers.size));
    numbers.set(id, number);
    return number;
  };
  const own = (text: string) =>
    [...numbers].reduce((rest, [id, number]) => rest.replaceAll(number, id), text);
  const fetch: RunInput["fetch"] = async (request) => {
    const body = ["GET", "DELETE"].includes(request.method) ? null : own(await request.text());
    const { method, headers } = request;
    const answer = await sandbox.fetch(new Request(own(request.url), { method, headers, body }));
    if (!/-routes|destinations|topics/u.test(request.url) || answer.status === 204) return answer;
    const text = (await answer.text()).replace(
      /"(id|topicId|destinationId)":"([^"]+)"/gu,
      (_, field: string, id: string) => `"${field}":${numberOf(id)}`,
    );
    return new Response(text, answer);
  };
  return { sandbox, fetch, numbers };
}

/** A sandbox whose creates answer otherwise. */
function answeringCreates(change: (record: Record<string, unknown>) => string | null) {
  const sandbox = sandboxAt();
  const fetch: RunInput["fetch"] = async (request) => {
    const answer = await sandbox.fetch(request);
    if (request.method !== "POST") return answer;
    return new Response(change((await answer.json()) as Record<string, unknown>), { status: 201 });
  };
  return { sandbox, fetch };
}

describe("amp notify apply", () => {
  it("keeps every digit of IDs that are numbers, and finds by them what it made", async () => {
    const { sandbox, fetch, numbers } = withNumericIds();
    const { notify, read } = placeWith(sandbox);
    const applied = await notify("apply -f routing.yaml --yes --json", { fetch });
    expect(applied).toMatchObject({ code: 0 });
    expect(writesOf(applied)).toHaveLength(5);
    expect(numbers.size).toBeGreaterThanOrEqual(5);
    const { settled } = applied.json() as { settled: { id: string }[] };
    for (const { id } of settled) expect([...numbers.values()]).toContain(id);
    expect(applied.stderr).not.toContain("not as specified");

    const again = await notify("apply -f routing.yaml --yes --json", { fetch });
    expect({ code: again.code, writes: writesOf(again) }).toEqual({ code: 0, writes: [] });
    expect(read("routing.yaml")).toContain("lifecycle");
    // Nothing but the lists says there what exists.
    const elsewhere = await placeWith(sandbox).notify("plan -f routing.yaml --json", { fetch });
    const { items } = elsewhere.json() as { items: { action: string }[] };
    expect(items.map(({ action }) => action)).toEqual(Array(5).fill("adopt"));
  });

  it.each<[string, (record: Record<string, unknown>) => string | null]>([
    [
      "odd optional fields",
      ({ id }) =>
        JSON.stringify({
          id,
          createTime: 5,
          name: null,
          metadata: "x",
          topicId: {},
          eventType: [1],
        }),
    ],
    ["nothing but an ID", ({ id }) => JSON.stringify({ id })],
    ["an empty body", () => null],
    ["no ID", ({ id: _, ...record }) => JSON.stringify(record)],
    ["an ID that is null", (record) => JSON.stringify({ ...record, id: null })],
    ["an ID that is an object", (record) => JSON.stringify({ ...record, id: { x: 1 } })],
    ["a list", (record) => JSON.stringify([record])],
    ["a text", () => '"created"'],
  ])("takes a create for done that answers 201 with %s", async (_, change) => {
    const { sandbox, fetch } = answeringCreates(change);
    const { notify } = placeWith(sandbox);
    const applied = await notify("apply -f routing.yaml --yes --json", { fetch });
    expect(applied.code).toBe(0);
    expect(writesOf(applied)).toHaveLength(5);
    const again = await notify("apply -f routing.yaml --yes --json", { fetch });
    expect({ code: again.code, writes: writesOf(again) }).toEqual({ code: 0, writes: [] });
  });
});

describe("a resource whose create told no ID, at a service without lists", () => {
  /** The place after an apply that stopped at its first create. */
  async function stopped() {
    const sandbox = sandboxAt(undefined, { specOnly: true });
    const fetch: RunInput["fetch"] = async (request) => {
      const answer = await sandbox.fetch(request);
      return request.method === "POST" ? new Response("{}", { status: 201 }) : answer;
    };
    const place = placeWith(sandbox);
    expect((await place.notify("apply -f routing.yaml --yes", { fetch })).code).toBe(9);
    return (words: string, world: RunInput = {}) => place.notify(words, { fetch, ...world });
  }
  const TERMINAL = { tty: true, env: { AMP_PROFILE: "sandbox", NO_COLOR: "1" }, columns: 100 };

  it("is created, and not unknown, in the plan", async () => {
    const notify = await stopped();
    const shown = await notify("plan -f routing.yaml", TERMINAL);
    expect(shown.stdout).toMatch(/destination +ops +created, but its ID is unknown/u);
    expect(shown.stdout).toContain("1 created without ID");
    expect(shown.stdout).toContain("amp notify state resolve <address> --id <id>");
    expect(shown.stdout + shown.stderr).not.toMatch(/outcome unknown|not-created/u);
    const { items } = (await notify("plan -f routing.yaml --json")).json() as { items: object[] };
    expect(items[0]).toEqual({
      address: "destination/ops",
      kind: "destination",
      action: "unknown",
      reason: "id_unknown",
    });
  });

  it("is reported on a terminal with the one command that is left", async () => {
    const notify = await stopped();
    const { stderr, stdout } = await notify("apply -f routing.yaml --yes");
    expect(stdout + stderr).toContain("Created, ID unknown:");
    expect(stderr).not.toContain("--not-created");
  });
});
