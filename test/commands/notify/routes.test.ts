import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { Sandbox } from "../../../src/sandbox/sandbox.ts";
import { SEED_WORLD } from "../../../src/sandbox/seed/world.ts";
import { type RunInput, run, sandboxAt } from "../../harness.ts";
import { listingNoRoutes, type Place, placeWith, writesOf } from "./notify-fixture.ts";

const seeded = (options: Parameters<typeof sandboxAt>[1] = {}) =>
  sandboxAt(undefined, { state: SEED_WORLD, ...options });
const TERMINAL: RunInput = { tty: { out: true }, env: { NO_COLOR: "1" } };
const OWN = (routes: readonly { readonly projectId?: string }[]) =>
  routes.filter(({ projectId }) => projectId === "prj_acme0a1b");

const routes = (words: string, world: RunInput = {}) =>
  run(["notify", "routes", ...words.split(" ")], { sandbox: seeded(), ...world });

/** A sandbox of which some paths answer 405, as if it lacked them. */
function without(sandbox: Sandbox, path: RegExp): RunInput {
  const fetch = (request: Request) =>
    path.test(new URL(request.url).pathname)
      ? Promise.resolve(Response.json({ title: "Not found" }, { status: 405 }))
      : sandbox.fetch(request);
  return { sandbox, fetch };
}

describe("amp notify routes list", () => {
  it("shows both kinds by the names of what they connect on a terminal, by IDs elsewhere", async () => {
    const { stdout } = await routes("list", TERMINAL);
    expect(stdout).toMatch(/^FROM +TO +CREATED +ID\n/u);
    expect(stdout).toMatch(/\ninstallation\.created +installs +1y ago +evr_445fc5fb\n/u);
    expect(stdout).toMatch(/\ninstalls +acme-webhook +1y ago +dsr_9a38d714\n/u);
    const piped = await routes("list");
    expect(piped.stdout).toMatch(/^installation\.created\ttop_f9cfe2f2\t\S+\tevr_445fc5fb$/mu);
    expect(piped.stdout).toMatch(/^top_f9cfe2f2\tdst_45ba7978\t\S+\tdsr_9a38d714$/mu);
    expect(piped.requests).toHaveLength(2);
  });

  it("prints the records of both lists as the service sent them, event routes first", async () => {
    const { json } = await routes("list --json");
    const { eventRoutes, destinationRoutes } = SEED_WORLD;
    const ids = [...OWN(eventRoutes), ...OWN(destinationRoutes)].map((one) => ({ ...one }));
    expect(json()).toEqual(ids);
  });

  it.each([
    ["--topic installs", ["eventType", "eventType", "destinationId"], "topicId=top_f9cfe2f2"],
    ["--topic top_f9cfe2f2", ["eventType", "eventType", "destinationId"], "topicId=top_f9cfe2f2"],
    ["--event installation.created", ["eventType"], "eventType=installation.created"],
    ["--destination acme-webhook --topic installs", ["destinationId"], "destinationId=dst_45ba"],
  ])("is filtered by %s", async (filter, kinds, query) => {
    const { json, requests } = await routes(`list ${filter} --json`);
    const listed = json() as readonly object[];
    expect(listed.map((route) => ("eventType" in route ? "eventType" : "destinationId"))).toEqual(
      kinds,
    );
    expect(requests.at(-1)?.path).toContain(query);
  });

  it.each([
    ["--topic instal", 'No topic has exactly the name or ID "instal"', "--topic installs"],
    ["--destination acme-webhok", 'matches "acme-webhok"', "--destination acme-webhook"],
  ])("says that %s names nothing, instead of an empty list", async (filter, says, again) => {
    const { code, stdout, stderr } = await routes(`list ${filter}`);
    expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
    expect(stderr).toContain(says);
    expect(stderr).toContain(`Try: amp notify routes list ${again}`);
  });

  it("leaves a name to a service that has no list of topics", async () => {
    const { code, requests } = await routes("list --topic other", without(seeded(), /topics$/u));
    expect(code).toBe(0);
    expect(requests.at(-1)?.path).toContain("topicId=other");
  });

  it("is filtered by the names that it shows in any format", async () => {
    const { json } = await routes("list --filter from=installs --json");
    expect(json()).toMatchObject([{ destinationId: "dst_45ba7978" }]);
  });

  it("shows long names whole where there is room", async () => {
    const sandbox = seeded();
    const names = ["primary", "secondary"].map((end) => `acme-production-webhook-europe-${end}`);
    for (const name of names) {
      const words = `notify setup --destination-name ${name} --destination-type webhook --url https://hooks.acme.com/${name} --topic customer-installation-lifecycle-production --event installation.created --yes`;
      expect(await run(words.split(" "), { sandbox })).toMatchObject({ code: 0 });
    }
    for (const columns of [120, 140]) {
      const { stdout } = await routes("list", { ...TERMINAL, columns, sandbox });
      const ends = stdout.match(/(?<=^customer\S+ +)\S+(?= )/gmu);
      expect(new Set(ends), stdout).toHaveProperty("size", 2);
    }
  });

  it("shows the IDs where the service has no lists of what they connect", async () => {
    const { code, stdout } = await routes("list", {
      ...TERMINAL,
      ...without(seeded(), /topics$/u),
    });
    expect(code).toBe(0);
    expect(stdout).toMatch(/\ninstallation\.created +top_\w+ +/u);
    expect(stdout).toMatch(/\ntop_\w+ +acme-webhook +/u);
  });

  it("reads the second list where the first has ended, however long they are", async () => {
    const route = {
      projectId: "prj_acme0a1b",
      topicId: "top_1",
      createTime: "2026-01-01T00:00:00Z",
    };
    const make = (id: string, more: object) =>
      Array.from({ length: 3_000 }, (_, at) => ({ ...route, id: `${id}_${at}`, ...more }));
    const [events, outs] = [make("evr", { eventType: "a.b" }), make("dsr", { destinationId: "d" })];
    const fetch = async ({ url }: Request) =>
      Response.json(url.endsWith("event-topic-routes") ? events : outs);
    const { stdout } = await routes("list -o id", { fetch });
    expect(stdout.trim().split("\n")).toEqual([...events, ...outs].map(({ id }) => id));
  });

  it("still says what a destination route leads from where its destination is missing", async () => {
    const odd = { id: "dsr_1", topicId: "top_1", projectId: "prj_acme0a1b" };
    const fetch = async ({ url }: Request) =>
      Response.json(url.endsWith("topic-destination-routes") ? [odd] : []);
    expect((await routes("list", { fetch })).stdout).toBe("top_1\t\t\tdsr_1\n");
    expect((await routes("list --json", { fetch })).json()).toEqual([odd]);
  });
});

describe("amp notify routes create", () => {
  it("takes names and IDs", async () => {
    const ends = "--topic installs --destination acme-webhook";
    const { requests } = await routes(`create ${ends} --json`, listingNoRoutes(seeded()));
    expect(requests.at(-1)?.body).toEqual({
      topicId: "top_f9cfe2f2",
      destinationId: "dst_45ba7978",
    });
    const event = await routes("create --topic top_f9cfe2f2 --event connection.error", TERMINAL);
    expect(event.requests.at(-1)?.body).toEqual({
      topicId: "top_f9cfe2f2",
      eventType: "connection.error",
    });
    expect(event.stdout).toContain("Created the event route");
  });

  it("refuses what exists already, by names and by IDs, but not what was deleted just now", async () => {
    const place = placeWith(seeded());
    const words = "routes create --topic installs --event connection.error";
    expect((await place.notify(words)).code).toBe(0);
    const { id, topicId } = place.sandbox.world.eventRoutes.at(-1) ?? {};
    for (const again of [words, words.replace("installs", topicId ?? "")]) {
      const refused = await place.notify(again);
      expect(refused.code).toBe(5);
      expect(refused.stderr).toContain(`connection.error exists already, with ID ${id}`);
      expect(writesOf(refused)).toEqual([]);
    }
    const listing = (listed: readonly object[]) => async (request: Request) =>
      request.method === "GET" && request.url.includes("notification-event-topic-routes")
        ? Response.json(listed)
        : place.sandbox.fetch(request);
    const behind = await place.notify(words, { fetch: listing([]) });
    expect(behind).toMatchObject({ code: 5, stderr: expect.stringContaining(`with ID ${id}`) });
    const before = OWN(place.sandbox.world.eventRoutes);
    await place.notify(`routes delete ${id} --yes`);
    expect((await place.notify(words, { fetch: listing(before) })).code).toBe(0);
  });

  it("sends nothing where the list fails: an equal route may exist", async () => {
    const place = placeWith(seeded());
    const fetch = (request: Request) =>
      request.method === "GET" && request.url.includes("notification-event-topic-routes")
        ? Promise.resolve(Response.json({ title: "Busy" }, { status: 500 }))
        : place.sandbox.fetch(request);
    const words = "routes create --topic installs --event connection.error AMP_RETRIES=0";
    const refused = await place.notify(words, { fetch });
    expect(refused.code).toBe(7);
    expect(refused.stderr).toContain("failed to list the event routes (500)");
    expect(writesOf(refused)).toEqual([]);
  });

  it("leaves a name to the service where it lists nothing, and refuses one that several have", async () => {
    const words = "create --topic t1 --event connection.error --json";
    const spec = await routes(words, { sandbox: seeded({ specOnly: true }) });
    const [sent] = spec.requests.filter(({ method }) => method === "POST");
    expect(sent?.body).toMatchObject({ topicId: "t1" });
    const known = "create --topic top_f9cfe2f2 --event connection.error";
    const told = await routes(known, { sandbox: seeded({ specOnly: true }) });
    expect(told.stderr).toContain("it is not known whether an equal route existed before.");
    const duplicates = ["a", "b"].map((letter) => ({
      ...{ id: `top_${letter}`, projectId: "prj_acme0a1b", name: "t1" },
      createTime: "2026-01-01T00:00:00Z",
    }));
    const state = { ...SEED_WORLD, topics: duplicates };
    const several = await routes(words, { sandbox: seeded({ state }) });
    expect(several.code).toBe(5);
    expect(several.error().candidates).toHaveLength(2);
    expect(several.requests.every(({ method }) => method === "GET")).toBe(true);
  });
});

describe("amp notify routes delete", () => {
  const deletes = async (words: string, world: RunInput = {}) => {
    const outcome = await routes(`delete ${words} --yes --json`, world);
    const sent = outcome.requests.filter(({ method }) => method === "DELETE");
    return { ...outcome, sent: sent.map(({ path }) => path.split("/").at(-1)) };
  };

  it.each([
    ["evr_445fc5fb", "evr_445fc5fb"],
    ["dsr_9a38d714", "dsr_9a38d714"],
    ["--topic installs --event installation.created", "evr_445fc5fb"],
    ["--topic top_f9cfe2f2 --event installation.created", "evr_445fc5fb"],
    ["--topic installs --destination acme-webhook", "dsr_9a38d714"],
    ["--topic installs --destination dst_45ba7978", "dsr_9a38d714"],
  ])("deletes %s", async (words, id) => {
    const { code, sent, stderr } = await deletes(words);
    expect({ code, sent, stderr }).toEqual({ code: 0, sent: [id], stderr: "" });
  });

  it("shows what it deletes", async () => {
    const { stderr } = await routes("delete dsr_9a38d714 --yes", TERMINAL);
    expect(stderr).toMatch(/Delete destination-route\/installs\/acme-webhook +dsr_9a38d714\n/u);
  });

  it("finds a route by the IDs of its ends where these are not listed", async () => {
    const world = without(seeded(), /topics$|destinations$/u);
    const ends = "--topic top_f9cfe2f2 --destination dst_45ba7978";
    expect(await deletes(ends, world)).toMatchObject({ code: 0, sent: ["dsr_9a38d714"] });
  });

  it.each(["evr_445fc5fc", "--topic installs --event installation.craeted", "--topic x --event y"])(
    "exits 3 for %s, which is not a route",
    async (words) => {
      const { code, sent, error } = await deletes(words);
      expect({ code, sent }).toEqual({ code: 3, sent: [] });
      expect(error()).toMatchObject({ message: expect.stringMatching(/^No route matches/u) });
      expect(JSON.stringify(error())).toContain("amp notify routes list");
    },
  );

  it("exits 5 for what several routes connect", async () => {
    const [one] = SEED_WORLD.eventRoutes.filter(({ id }) => id === "evr_445fc5fb");
    const eventRoutes = ["evr_1", "evr_2"].map((id) => ({ ...one, id }) as never);
    const sandbox = seeded({ state: { ...SEED_WORLD, eventRoutes } });
    const words = "--topic installs --event installation.created";
    const { code, sent, error } = await deletes(words, { sandbox });
    expect({ code, sent }).toEqual({ code: 5, sent: [] });
    expect(error().candidates).toMatchObject([{ id: "evr_1" }, { id: "evr_2" }]);
  });
});

it.each([
  ["create --topic t", "--event or --destination is required"],
  [
    "create --topic t --event connection.error --destination d",
    "--event and --destination conflict",
  ],
  ["list --event connection.error --destination d", "--event and --destination conflict"],
  ["delete", "--topic with --event or --destination"],
  ["delete --topic t", "--event or --destination is required"],
  ["delete --event connection.error", "--topic with --event or --destination"],
  ["delete r1 --topic t", "conflict"],
])("amp notify routes %s is refused before anything is asked", async (words, said) => {
  const { code, requests, stderr } = await routes(words);
  expect({ code, requests }).toEqual({ code: 2, requests: [] });
  expect(stderr).toContain(said);
});

describe("two routes between the same ends, of which the file's own is gone", () => {
  const FILE = `version: 1
name: w
destinations: {}
topics: { utx: { events: [connection.error] } }
`;
  const ADDRESS = "event-route/utx/connection.error";
  const create = "routes create --topic utx --event connection.error --yes AMP_COMMIT_HORIZON=1ms";

  async function withoutOwn(...creates: readonly string[]) {
    const place = placeWith();
    place.write("w.yaml", FILE);
    await place.notify("apply -f w.yaml --yes");
    const rows = (await place.notify("state list --json")).json() as Record<string, string>[];
    for (const one of creates) {
      const made = () => place.notify(one, listingNoRoutes(place.sandbox));
      // One that is young is not made again.
      while ((await made()).code === 5) await delay(200);
    }
    const own = rows.find(({ address }) => address === ADDRESS)?.id;
    await place.notify(`routes delete ${own} --yes --state other.json`);
    return place;
  }

  async function runSuggested(place: Place): Promise<string> {
    const outcome = await place.notify("plan -f w.yaml --json AMP_COMMIT_HORIZON=1ms");
    const [line = ""] = [outcome.error().suggestion].flat() as string[];
    await place.notify(`${line.replace(/^amp notify /u, "")} --yes AMP_COMMIT_HORIZON=1ms`);
    return line.replaceAll(/evr_\w+/gu, "ID");
  }

  it.each([
    ["another person's", [`${create} --state other.json`], ["apply -f w.yaml --accept adopt"]],
    ["one that the state has", [create], [`state forget ${ADDRESS}`]],
    [
      "two of others",
      [`${create} --state other.json`, `${create} --state third.json`],
      ["routes delete ID", "apply -f w.yaml --accept adopt"],
    ],
  ])("is resolved by what the plan suggests: %s", async (_, creates, suggested) => {
    const place = await withoutOwn(...creates);
    for (const line of suggested) expect(await runSuggested(place)).toBe(`amp notify ${line}`);
    expect(
      (await place.notify("plan -f w.yaml --json AMP_COMMIT_HORIZON=1ms")).json(),
    ).toMatchObject({ pending: false });
  });
});
