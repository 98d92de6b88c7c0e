import { setTimeout as delay } from "node:timers/promises";
import { expect, it } from "vitest";
import { createFaultySandbox } from "../../faulty-sandbox.ts";
import type { RunInput } from "../../harness.ts";
import {
  later,
  listingNoRoutes,
  type Place,
  placeWith,
  ROUTING,
  writesOf,
} from "./notify-fixture.ts";

it("a create by command that was stopped is sent again with the same Idempotency-Key", async () => {
  const place = placeWith();
  const keys: (string | null)[] = [];
  const stop = new AbortController();
  const env = { AMP_COMMIT_HORIZON: "50ms" };
  const stopped = await place.notify("topics create alerts", {
    env,
    signal: stop.signal,
    fetch: async (request) => {
      if (request.method !== "POST") return place.sandbox.fetch(request);
      keys.push(request.headers.get("idempotency-key"));
      stop.abort("SIGTERM");
      throw new TypeError("fetch failed", { cause: { code: "ECONNRESET", syscall: "read" } });
    },
  });
  expect(stopped.code).not.toBe(0);
  const again = await place.notify("topics create alerts --json", {
    env,
    fetch: async (request) => {
      if (request.method === "POST") keys.push(request.headers.get("idempotency-key"));
      return place.sandbox.fetch(request);
    },
  });
  expect(again).toMatchObject({ code: 0 });
  expect(keys).toHaveLength(2);
  expect(keys[0]).toMatch(/./u);
  expect(keys[1]).toBe(keys[0]);
});

const ENV = { AMP_COMMIT_HORIZON: "50ms" };
const RESET = () =>
  new TypeError("fetch failed", { cause: { code: "ECONNRESET", syscall: "read" } });

/** A run that is ended when the service has done its create, whose answer is lost. */
function stoppedAtCreate({ sandbox }: Place): Pick<RunInput, "fetch" | "signal"> {
  const stop = new AbortController();
  return {
    signal: stop.signal,
    fetch: async (request) => {
      const answer = await sandbox.fetch(request);
      if (request.method !== "POST") return answer;
      stop.abort("SIGTERM");
      throw RESET();
    },
  };
}

it("a create by command whose answer was lost is found, also beside an entry of its address", async () => {
  const place = placeWith();
  expect(await place.notify("apply -f routing.yaml --yes")).toMatchObject({ code: 0 });
  const route = "--topic lifecycle --event connection.error";
  // Somebody else deletes the route: the state still has its entry.
  await place.notify(`routes delete ${route} --yes --state other.json`);
  const stopped = stoppedAtCreate(place);
  const create = () => place.notify(`routes create ${route} AMP_COMMIT_HORIZON=1ms`, stopped);
  // The one of its own is refused while it is young.
  let first = await create();
  for (; first.code === 5; first = await create()) await delay(200);
  expect(first.code).not.toBe(0);
  expect(await place.notify("topics create other")).toMatchObject({ code: 0 });
  const again = await place.notify(`routes create ${route}`, { env: ENV });
  expect(again).toMatchObject({ code: 0 });
  expect(writesOf(again)).toEqual([]);
  // What it made is its own run's, not that of the command in between.
  const history = (await place.notify("state history --json")).json() as {
    readonly changes: readonly { readonly address: string }[];
  }[];
  expect(history.map(({ changes }) => changes.map(({ address }) => address)).slice(0, 2)).toEqual([
    ["event-route/lifecycle/connection.error"],
    ["topic/other"],
  ]);
});

it.each([
  ["--id top_own", ["top_own"]],
  ["--not-created", []],
])("what became of a create beside an entry of its address is recorded: %s", async (how, ids) => {
  const sandbox = createFaultySandbox({ script: { lists: false } });
  const place = placeWith(sandbox);
  expect(await place.notify("apply -f routing.yaml --yes")).toMatchObject({ code: 0 });
  sandbox.follow([{ on: "POST topics", nth: 1, do: "reset" }]);
  const lost = await place.notify("topics create lifecycle", { env: ENV });
  expect(lost).toMatchObject({ code: 9, stderr: expect.stringContaining("state resolve") });
  expect(await place.notify("apply -f routing.yaml --yes")).toMatchObject({ code: 9 });
  expect(await place.notify(`state resolve topic/lifecycle ${how}`)).toMatchObject({ code: 0 });
  const applied = await place.notify("apply -f routing.yaml --yes");
  expect([applied.code, writesOf(applied)]).toEqual([0, []]);
  const listed = (await place.notify("state list --json")).json() as readonly { id: string }[];
  expect(listed.map(({ id }) => id).filter((id) => id === "top_own")).toEqual(ids);
  expect(listed).toHaveLength(5 + ids.length);
});

it("an update by command waits for an earlier one that may still be done", async () => {
  const place = placeWith();
  expect(await place.notify("apply -f routing.yaml --yes")).toMatchObject({ code: 0 });
  place.write("routing.yaml", ROUTING.replace("/amp", "/late"));
  const stop = new AbortController();
  let late: Request | undefined;
  await place.notify("apply -f routing.yaml --yes", {
    env: ENV,
    signal: stop.signal,
    fetch: async (request) => {
      if (request.method !== "PATCH") return place.sandbox.fetch(request);
      late = request.clone();
      stop.abort("SIGTERM");
      throw RESET();
    },
  });
  const arrive = async () => {
    if (late) await place.sandbox.fetch(late);
    late = undefined;
  };
  let looks = 0;
  const updated = await place.notify(
    "destinations update ops --url https://hooks.acme.com/now --yes",
    {
      env: ENV,
      fetch: async (request) => {
        if (request.url.endsWith("/destinations")) looks += 1;
        if (looks > 1) await arrive();
        const answer = await place.sandbox.fetch(request);
        if (request.method === "PATCH") await arrive();
        return answer;
      },
    },
  );
  expect(updated).toMatchObject({ code: 0 });
  const ops = place.sandbox.world.destinations.find(({ name }) => name === "ops");
  expect(ops?.metadata).toEqual({ url: "https://hooks.acme.com/now" });
});

const STREAM =
  "destinations create --name stream --type kinesis --metadata streamName=s --metadata region=r " +
  "--secret awsKeyId=env:KEY --secret awsSecretKey=env:KEY --json";

it.each([
  ["done", true],
  ["done, and the run is stopped", false],
])("a create by command whose secrets no list shows is never a success: %s", async (_, isWhole) => {
  const place = placeWith();
  const env = { ...ENV, KEY: "sk-0123456789abcdef" };
  const stop = new AbortController();
  const fetch: RunInput["fetch"] = async (request) => {
    const answer = await place.sandbox.fetch(request);
    if (request.method !== "POST") return answer;
    if (!isWhole) stop.abort("SIGTERM");
    throw RESET();
  };
  const lost = await place.notify(STREAM, { env, fetch, signal: stop.signal });
  const told = isWhole ? lost : await place.notify(STREAM, { env });
  const { id } = place.sandbox.world.destinations.find(({ name }) => name === "stream") ?? {};
  expect(told).toMatchObject({ code: 9, stdout: "" });
  expect(told.error()).toMatchObject({
    name: "create_not_shown",
    message: expect.stringContaining("secrets.awsKeyId, secrets.awsSecretKey"),
    id,
    suggestion: `amp notify destinations update ${id} --secret awsKeyId=env:VARIABLE --secret awsSecretKey=env:VARIABLE`,
  });
  expect(writesOf(told)).toEqual(isWhole ? ["POST destinations"] : []);
  const secrets = "--secret awsKeyId=env:KEY --secret awsSecretKey=env:KEY --yes";
  const set = await place.notify(`destinations update ${id} ${secrets}`, { env });
  expect([set.code, writesOf(set)]).toEqual([0, [`PATCH destinations/${id}`]]);
});

it("a create by command that an earlier one has made with other values says so", async () => {
  const place = placeWith();
  const create = "destinations create --name late --type webhook --json --url";
  const stopped = stoppedAtCreate(place);
  await place.notify(`${create} https://hooks.acme.com/1`, { env: ENV, ...stopped });
  const again = await place.notify(`${create} https://hooks.acme.com/2`, { env: ENV });
  const { id } = place.sandbox.world.destinations.find(({ name }) => name === "late") ?? {};
  expect([again.code, writesOf(again)]).toEqual([5, []]);
  expect(again.error()).toMatchObject({ name: "created_earlier_otherwise", id });
  const changed = await place.notify(
    `destinations update ${id} --url https://hooks.acme.com/2 --yes`,
  );
  expect([changed.code, writesOf(changed)]).toEqual([0, [`PATCH destinations/${id}`]]);
});

it("a topic is not deleted while a route of it may still be created, without lists", async () => {
  const sandbox = createFaultySandbox({ script: { lists: false } });
  const place = placeWith(sandbox);
  expect(await place.notify("apply -f routing.yaml --yes")).toMatchObject({ code: 0 });
  sandbox.follow([{ on: "POST notification-event-topic-routes", nth: 1, do: "reset" }]);
  const route = "--topic lifecycle --event read.schedule.paused";
  expect(await place.notify(`routes create ${route}`, { env: ENV })).toMatchObject({ code: 9 });
  const deleted = await place.notify("topics delete lifecycle --accept references --yes", {
    env: ENV,
  });
  expect([deleted.code, writesOf(deleted)]).toEqual([9, []]);
  expect(deleted.stderr).toContain("state resolve event-route/lifecycle/read.schedule.paused");
});

it("a topic is not deleted when a route of it was created unseen", async () => {
  const place = placeWith();
  expect(await place.notify("topics create alerts")).toMatchObject({ code: 0 });
  const create = "routes create --topic alerts --event connection.error";
  // The create is done after the lists were read for the delete.
  let late: Request | undefined;
  const stop = new AbortController();
  await place.notify(create, {
    env: ENV,
    signal: stop.signal,
    fetch: async (request) => {
      if (request.method !== "POST") return place.sandbox.fetch(request);
      late = request.clone();
      stop.abort("SIGTERM");
      throw RESET();
    },
  });
  let lists = 0;
  const deleted = await place.notify("topics delete alerts --yes", {
    env: ENV,
    fetch: async (request) => {
      const answer = await place.sandbox.fetch(request);
      if (request.url.includes("event-topic-routes") && lists++ === 0 && late)
        await place.sandbox.fetch(late);
      return answer;
    },
  });
  expect([deleted.code, writesOf(deleted)]).toEqual([5, []]);
  expect(deleted.stderr).toContain("Routes: event-route/alerts/connection.error");
  const again = await place.notify("topics delete alerts --accept references --yes", { env: ENV });
  expect([again.code, writesOf(again).length]).toEqual([0, 2]);
});

/** A run that is ended at its first write, which the service does when it is told to. */
function stoppedBefore({ sandbox }: Place, write: string) {
  const stop = new AbortController();
  let late: Request | undefined;
  const world: Pick<RunInput, "env" | "fetch" | "signal"> = {
    env: ENV,
    signal: stop.signal,
    fetch: async (request) => {
      if (request.method !== write) return sandbox.fetch(request);
      late = request.clone();
      stop.abort("SIGTERM");
      throw RESET();
    },
  };
  const arrive = async () => {
    const request = late;
    late = undefined;
    if (request) await sandbox.fetch(request);
  };
  return { world, arrive };
}

/** A service that calls back once it has listed what a path ends with. */
function onceListed({ sandbox }: Place, path: string, then: () => Promise<unknown>) {
  let lists = 0;
  return async (request: Request) => {
    const answer = await sandbox.fetch(request);
    if (request.method === "GET" && request.url.endsWith(path) && lists++ === 0) await then();
    return answer;
  };
}

it("a route whose ends are typed otherwise is not created twice", async () => {
  const place = placeWith();
  const { id } = (await place.notify("topics create alerts --json")).json() as { id: string };
  const stopped = stoppedBefore(place, "POST");
  await place.notify("routes create --topic alerts --event connection.error", stopped.world);
  const again = await place.notify(`routes create --topic ${id} --event connection.error`, {
    env: ENV,
    fetch: onceListed(place, "-routes", stopped.arrive),
  });
  await stopped.arrive();
  expect([again.code, writesOf(again)]).toEqual([0, []]);
  const made = place.sandbox.world.eventRoutes.filter(({ topicId }) => topicId === id);
  expect(made).toHaveLength(1);
});

it.each([
  ["its topic was typed as ID", (id: string) => [`routes create --topic ${id}`, "alerts"]],
  ["its topic has another name now", () => ["routes create --topic alerts", "beta"]],
])("a topic is not deleted with a route that no list shows yet: %s", async (_, typed) => {
  const place = placeWith();
  const { id } = (await place.notify("topics create alerts --json")).json() as { id: string };
  const [create = "", name = ""] = typed(id);
  const event = "--event connection.error";
  expect(await place.notify(`${create} ${event}`)).toMatchObject({ code: 0 });
  if (name !== "alerts") await place.notify(`topics update alerts --name ${name} --yes`);
  const deleted = await place.notify(`topics delete ${name} --yes`, listingNoRoutes(place.sandbox));
  expect([deleted.code, writesOf(deleted)]).toEqual([5, []]);
  expect(deleted.stderr).toContain("Routes: ");
});

it("a topic is deleted with all its routes that the state has, without lists", async () => {
  const place = placeWith(createFaultySandbox({ script: { lists: false } }));
  expect(await place.notify("topics create alerts")).toMatchObject({ code: 0 });
  const create = "routes create --topic alerts --event connection.error";
  const once = later(place.sandbox.fetch);
  expect(await place.notify(create)).toMatchObject({ code: 0 });
  await delay(1_100);
  expect(await place.notify(create, once)).toMatchObject({ code: 0 });
  const deleted = await place.notify("topics delete alerts --accept references --yes");
  expect([deleted.code, writesOf(deleted).length]).toEqual([0, 3]);
});

it("a topic is not deleted when a route of it is created meanwhile", async () => {
  const place = placeWith();
  expect(await place.notify("topics create alerts")).toMatchObject({ code: 0 });
  const create = "routes create --topic alerts --event connection.error";
  const deleted = await place.notify("topics delete alerts --yes", {
    fetch: onceListed(place, "event-topic-routes", () => place.notify(create)),
  });
  expect([deleted.code, writesOf(deleted)]).toEqual([5, []]);
  expect(deleted.stderr).toContain("Routes: event-route/alerts/connection.error");
});

it("a topic is deleted with its route whose create is found only then", async () => {
  const place = placeWith();
  expect(await place.notify("topics create alerts")).toMatchObject({ code: 0 });
  const stopped = stoppedAtCreate(place);
  await place.notify("routes create --topic alerts --event connection.error", stopped);
  const deleted = await place.notify("topics delete alerts --accept references --yes");
  expect([deleted.code, writesOf(deleted).length]).toEqual([0, 2]);
  const history = (await place.notify("state history --json")).json() as {
    readonly changes: readonly { readonly action: string }[];
  }[];
  const actions = history.flatMap(({ changes }) => changes.map(({ action }) => action));
  expect(actions.sort()).toEqual(["created", "created", "deleted", "deleted"]);
});

const HOOK = "https://hooks.acme.com";

it("an update back to what is listed is sent where an earlier one may still be done", async () => {
  const place = placeWith();
  await place.notify(`destinations create --name ops --type webhook --url ${HOOK}/1`);
  const stopped = stoppedBefore(place, "PATCH");
  await place.notify(`destinations update ops --url ${HOOK}/2 --yes`, stopped.world);
  const back = await place.notify(`destinations update ops --url ${HOOK}/1 --yes`, {
    env: ENV,
    fetch: async (request) => {
      // The earlier one comes before this one at the latest: it was waited for.
      if (request.method === "PATCH") await stopped.arrive();
      return place.sandbox.fetch(request);
    },
  });
  const ops = place.sandbox.world.destinations.at(-1);
  expect([back.code, ops?.metadata]).toEqual([0, { url: `${HOOK}/1` }]);
  expect(writesOf(back)).toEqual([`PATCH destinations/${ops?.id}`]);
});

it.each([
  ["destinations", `--url ${HOOK}/1`, `--url ${HOOK}/2`],
  ["destinations", "--name ops", "--name other"],
  ["topics", "--name ops", "--name other"],
])("an update back to what a list that is behind shows is sent: %s %s", async (kind, old, next) => {
  const place = placeWith();
  const type = kind === "topics" ? "ops" : `--name ops --type webhook --url ${HOOK}/1`;
  expect(await place.notify(`${kind} create ${type}`)).toMatchObject({ code: 0 });
  const before = structuredClone(place.sandbox.world[kind as "topics"]);
  expect(await place.notify(`${kind} update ops ${next} --yes`)).toMatchObject({ code: 0 });
  const own = before.filter(({ name }) => name === "ops");
  const back = await place.notify(`${kind} update ops ${old} --yes`, {
    fetch: async (request) =>
      request.method === "GET" && request.url.endsWith(kind)
        ? Response.json(own)
        : place.sandbox.fetch(request),
  });
  expect([back.code, writesOf(back)]).toEqual([0, [`PATCH ${kind}/${own[0]?.id}`]]);
  expect(place.sandbox.world[kind as "topics"].at(-1)).toMatchObject(own[0] ?? {});
});

const ALERTS = "version: 1\nname: routing\ntopics:\n  alerts: {}\n";

it("a topic that a lost create has made is not created again once it was renamed by command", async () => {
  const place = placeWith();
  place.write("routing.yaml", ALERTS);
  const apply = "apply -f routing.yaml --yes";
  await place.notify(apply, { env: ENV, ...stoppedAtCreate(place) });
  expect(await place.notify("topics update alerts --name beta --yes")).toMatchObject({ code: 0 });
  const { id } = place.sandbox.world.topics.at(-1) ?? {};
  const applied = await place.notify(apply, later(place.sandbox.fetch));
  expect([applied.code, writesOf(applied)]).toEqual([0, [`PATCH topics/${id}`]]);
});

it("a topic that a lost create has made is known as deleted once it was deleted by command", async () => {
  const place = placeWith();
  const keys: (string | null)[] = [];
  const create = async (world: Pick<RunInput, "fetch" | "signal">) =>
    place.notify("topics create alerts", {
      ...world,
      fetch: async (request) => {
        if (request.method === "POST") keys.push(request.headers.get("idempotency-key"));
        return (world.fetch ?? place.sandbox.fetch)(request);
      },
    });
  await create(stoppedAtCreate(place));
  expect(await place.notify("topics delete alerts --yes")).toMatchObject({ code: 0 });
  // The key of the first one would be answered with what is gone.
  expect(await create({})).toMatchObject({ code: 0 });
  expect(new Set(keys).size).toBe(2);
});
