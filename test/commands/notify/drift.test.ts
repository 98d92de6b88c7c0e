import { describe, expect, it } from "vitest";
import type { Sandbox } from "../../../src/sandbox/sandbox.ts";
import { type Outcome, sandboxAt } from "../../harness.ts";
import { named, type Place, placeWith, ROUTING, writesOf } from "./notify-fixture.ts";

// A change by others is told from a list that is behind once the horizon of amp's own act has passed.
const HORIZON = "AMP_COMMIT_HORIZON=50ms";
const PLAN = `plan -f routing.yaml --json ${HORIZON}`;
const APPLY = `apply -f routing.yaml --yes --json ${HORIZON}`;
const SENT = "https://hooks.acme.com/amp";
const ELSEWHERE = "https://elsewhere.acme.com/amp";

const opsAt = ({ sandbox }: Pick<Place, "sandbox">) => {
  const found = sandbox.world.destinations.find(({ name }) => name === "ops");
  if (found === undefined) throw new Error("no destination ops");
  return found;
};

const itemOf = (run: Outcome) => (run.json() as { items: Record<string, unknown>[] }).items[0];

/** Somebody changes the URL of `ops` in another way than by amp. */
function drift(place: Place, url = ELSEWHERE): void {
  const ops = opsAt(place);
  ops.metadata = { ...ops.metadata, url };
}

/** A service that writes URLs in a way of its own: answers and lists have a slash at their end. */
function slashing(sandbox: Sandbox): Sandbox {
  const retell = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(retell);
    const { metadata } = value as { metadata?: { url?: string } };
    if (metadata?.url === undefined) return value;
    return { ...(value as object), metadata: { ...metadata, url: `${metadata.url}/` } };
  };
  const fetch: Sandbox["fetch"] = async (request) => {
    const response = await sandbox.fetch(request);
    if (!response.ok || !/destinations$/u.test(new URL(request.url).pathname)) return response;
    return Response.json(retell(await response.json()), { status: response.status });
  };
  return Object.defineProperty(Object.create(sandbox) as Sandbox, "fetch", { value: fetch });
}

async function applied(sandbox = sandboxAt()): Promise<Place> {
  const place = placeWith(sandbox);
  expect((await place.notify(APPLY)).code).toBe(0);
  return place;
}

describe("a destination that somebody changed at the service", () => {
  it("is updated to what the file says, and in place afterwards", async () => {
    const place = await applied();
    drift(place);
    const plan = await place.notify(PLAN);
    expect(itemOf(plan)).toMatchObject({
      address: "destination/ops",
      action: "update",
      fields: ["metadata.url"],
      differences: [{ field: "metadata.url", wanted: SENT, found: ELSEWHERE }],
    });
    expect((await place.notify(`${PLAN} --exit-code`)).code).toBe(8);
    const run = await place.notify(APPLY);
    expect(writesOf(run)).toEqual([`PATCH destinations/${opsAt(place).id}`]);
    expect(opsAt(place).metadata.url).toBe(SENT);
    expect(writesOf(await place.notify(APPLY))).toEqual([]);
  });

  it("is updated as often as it is changed", async () => {
    const place = await applied();
    for (const _ of [1, 2]) {
      drift(place);
      await place.notify(APPLY);
      expect(opsAt(place).metadata.url).toBe(SENT);
    }
  });

  it("keeps a field that the file does not name", async () => {
    const place = await applied();
    const ops = opsAt(place);
    ops.metadata = { ...ops.metadata, headers: { "X-Team": "ops" } };
    expect(itemOf(await place.notify(PLAN))).toMatchObject({ action: "in_place" });
  });
});

describe("a route that somebody added to a topic of the file", () => {
  it("is named by the plan, and left alone", async () => {
    const place = await applied();
    const url = "https://other.acme.com/amp";
    const { code } = await place.notify(
      `destinations create --name other --type webhook --url ${url} --yes --state their.json`,
    );
    const other = place.sandbox.world.destinations.find(({ name }) => name === "other");
    if (code !== 0 || other === undefined) throw new Error("no other destination");
    const topic = place.sandbox.world.topics.find(
      ({ name, projectId }) => name === "lifecycle" && projectId === other.projectId,
    )?.id;
    const make = `--topic ${topic} --destination ${other.id}`;
    expect((await place.notify(`routes create ${make} --state their.json`)).code).toBe(0);
    const { id } = place.sandbox.world.destinationRoutes.at(-1) ?? {};
    const address = `destination-route/lifecycle/${other.name}`;
    const text = `1 unmanaged route also delivers from topic lifecycle: ${address}`;
    const found = await place.notify("plan -f routing.yaml --exit-code");
    expect(found.code).toBe(0);
    expect((found.stdout + found.stderr).replaceAll(/\s+/gu, " ")).toContain(text);
    expect((await place.notify(PLAN)).json()).toMatchObject({
      unmanaged: [{ address, id }],
    });
    expect(writesOf(await place.notify(APPLY))).toEqual([]);
  });

  it("is none where a run that was stopped may have created it", async () => {
    const place = placeWith();
    const stop = new AbortController();
    await place.notify(APPLY, {
      signal: stop.signal,
      fetch: async (request) => {
        const answer = await place.sandbox.fetch(request);
        if (!request.url.endsWith("-event-topic-routes") || request.method !== "POST")
          return answer;
        stop.abort("SIGTERM");
        throw new TypeError("fetch failed", { cause: { code: "ECONNRESET", syscall: "read" } });
      },
    });
    place.write("routing.yaml", ROUTING.replace("installation.created, connection.error", ""));
    const plan = (await place.notify(PLAN)).json() as { readonly items: { action: string }[] };
    expect(plan.items.filter(({ action }) => action === "unknown")).not.toEqual([]);
    expect(plan).toMatchObject({ unmanaged: [] });
  });

  it("is none where the topic does not exist yet, whatever else the project has", async () => {
    const place = placeWith();
    const url = "https://other.acme.com/amp";
    await place.notify(`destinations create --name other --type webhook --url ${url} --yes`);
    await place.notify("topics create other --yes");
    expect((await place.notify(PLAN)).json()).toMatchObject({ unmanaged: [] });
  });
});

describe("a service that writes values in a way of its own", () => {
  it("shows what was created in place, now and after an update", async () => {
    const place = await applied(slashing(sandboxAt()));
    expect(itemOf(await place.notify(PLAN))).toMatchObject({ action: "in_place" });
    place.write("routing.yaml", ROUTING.replace(SENT, ELSEWHERE));
    await place.notify(APPLY);
    expect(writesOf(await place.notify(APPLY))).toEqual([]);
    expect(itemOf(await place.notify(PLAN))).toMatchObject({ action: "in_place" });
    drift(place);
    drift(place, `${SENT}/other`);
    expect(itemOf(await place.notify(PLAN))).toMatchObject({ action: "update" });
  });
});

describe("a destination whose fields the state does not have", () => {
  const FRESH = "--state fresh.json";

  /** Imports what `place` has into a state of its own, and applies the file with it. */
  async function imported(place: Place): Promise<void> {
    await place.notify(`state import destination/ops ${opsAt(place).id} ${FRESH}`);
    expect(writesOf(await place.notify(`${APPLY} ${FRESH}`))).toEqual([]);
  }

  it("is compared with what it was at the first apply", async () => {
    const place = await applied();
    await imported(place);
    expect(itemOf(await place.notify(`${PLAN} ${FRESH}`))).toMatchObject({ action: "in_place" });
    drift(place);
    expect(itemOf(await place.notify(`${PLAN} ${FRESH}`))).toMatchObject({
      action: "update",
      fields: ["metadata.url"],
    });
  });

  it("is sent the header that no list shows, and again where it changes", async () => {
    const place = await applied();
    const { url } = opsAt(place).metadata;
    place.write(
      "routing.yaml",
      ROUTING.replace("amp }", "amp, headers: { Authorization: env:TOKEN } }"),
    );
    opsAt(place).metadata = { url: url ?? "", headers: { Authorization: "Bearer one" } };
    const withToken = (words: string, TOKEN: string) =>
      place.notify(`${words} ${FRESH}`, { env: { TOKEN } });
    await place.notify(`state import destination/ops ${opsAt(place).id} ${FRESH}`);
    // Nobody knows what it has: exit 0 without a request would be a guess.
    expect(writesOf(await withToken(APPLY, "Bearer one"))).toHaveLength(1);
    expect(itemOf(await withToken(PLAN, "Bearer one"))).toMatchObject({ action: "in_place" });
    expect(itemOf(await withToken(PLAN, "Bearer two"))).toMatchObject({
      action: "update",
      fields: ["metadata.headers"],
    });
  });

  it("is put back where somebody changed it before a list showed what was sent", async () => {
    const place = await applied();
    const state = JSON.parse((await place.notify("state pull")).stdout);
    state.entries["destination/ops"].fields["metadata.url"][1] = "unseen";
    place.write("fresh.json", JSON.stringify(state));
    drift(place);
    expect(itemOf(await place.notify(`${PLAN} ${FRESH}`))).toMatchObject({
      action: "update",
      differences: [{ field: "metadata.url", wanted: SENT, found: ELSEWHERE }],
    });
    expect(writesOf(await place.notify(`${APPLY} ${FRESH}`))).toHaveLength(1);
    expect(opsAt(place).metadata.url).toBe(SENT);
    expect(writesOf(await place.notify(`${APPLY} ${FRESH}`))).toEqual([]);
  });

  it("keeps its owner, and is saved once", async () => {
    const place = await applied();
    place.write("routing.yaml", named("mine"));
    await imported(place);
    const first = (await place.notify(`state pull ${FRESH}`)).stdout;
    expect(JSON.parse(first).entries["destination/ops"]).toMatchObject({ owner: "file:mine" });
    await place.notify(`${APPLY} ${FRESH}`);
    expect((await place.notify(`state pull ${FRESH}`)).stdout).toBe(first);
  });

  it("is not adopted where a value has more than that of the file, unless that is accepted", async () => {
    const place = placeWith();
    const headers = { "X-Team": "ops", "X-More": "1" };
    place.write("routing.yaml", ROUTING.replace("amp }", "amp, headers: { X-Team: ops } }"));
    await place.notify("apply -f routing.yaml --yes");
    opsAt(place).metadata = { ...opsAt(place).metadata, headers };
    const refused = await place.notify(`${APPLY} ${FRESH}`);
    expect([refused.code, writesOf(refused)]).toEqual([5, []]);
    expect(refused.error().conflicts).toMatchObject([{ reason: "not_managed" }]);
    expect((await place.notify(`${APPLY} ${FRESH} --accept adopt`)).code).toBe(0);
    expect(opsAt(place).metadata.headers).toEqual({ "X-Team": "ops" });
    expect(itemOf(await place.notify(`${PLAN} ${FRESH}`))).toMatchObject({ action: "in_place" });
    opsAt(place).metadata = { ...opsAt(place).metadata, headers: { ...headers, "X-Late": "2" } };
    expect(itemOf(await place.notify(`${PLAN} ${FRESH}`))).toMatchObject({ action: "update" });
  });
});

it("plan and apply advise the same for a resource that was deleted elsewhere", async () => {
  const place = placeWith();
  await place.notify(APPLY);
  const { world } = place.sandbox;
  Object.assign(world, { destinationRoutes: [] });
  const again = "amp notify apply -f routing.yaml --accept recreate";
  const planned = await place.notify(PLAN);
  expect(planned.error().suggestion).toContain(again);
  const applied = await place.notify(APPLY);
  expect(applied.error().suggestion).toBe(
    "amp notify apply --yes --json -f routing.yaml --accept recreate",
  );
  const plan = await place.notify(`plan -f routing.yaml ${HORIZON}`);
  expect(plan.code).toBe(5);
  expect(plan.stderr).toContain(again);
  expect(plan.stderr).not.toContain("notify state forget");
  expect((await place.notify(`${PLAN} --accept recreate --exit-code`)).code).toBe(8);
  expect((await place.notify(`${APPLY} --accept recreate`)).code).toBe(0);
});
