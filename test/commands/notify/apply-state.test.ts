import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { lockFolder } from "../../../src/durable/lock.ts";
import { placesOf } from "../../../src/notify/state/local/state-file.ts";
import { createFaultySandbox } from "../../faulty-sandbox.ts";
import { NOW, run, sandboxAt } from "../../harness.ts";
import { HOSTILE } from "../../ui/hostile.ts";
import { UNROUTED } from "../../unrouted.ts";
import { obeyedInData } from "../hostile-service.ts";
import { ADDRESSES, placeWith, ROUTING, writesOf } from "./notify-fixture.ts";

/** A routing of one destination: nothing else is created beside it. */
const ALONE = ROUTING.slice(0, ROUTING.indexOf("topics:"));
const APPLY = "apply -f routing.yaml --yes";
const LOST = "event-route/lifecycle/connection.error";

/** A place whose service has no lists, and breaks off the first event route. */
function unluckyPlace(commit: boolean) {
  const on = "POST notification-event-topic-routes";
  const faults = [{ on, nth: 1, do: "reset" as const, commit }];
  return placeWith(
    createFaultySandbox({ now: () => NOW, state: UNROUTED, script: { lists: false, faults } }),
  );
}

it.each(Object.entries(HOSTILE))(
  "state pull writes into a pipe nothing that is obeyed, and nothing else: %s",
  async (_, name) => {
    const place = placeWith(sandboxAt(NOW, { specOnly: true }));
    const env = { AMP_PROFILE: "sandbox", AMP_STATE: "state.json" };
    await place.notify("state import topic/t t_1", { env });
    const saved = place.read("state.json").replace('"t_1"', JSON.stringify(name));
    place.write("state.json", saved);
    const pulled = await place.notify("state pull", { env });
    expect(pulled.code).toBe(0);
    expect(obeyedInData(pulled.stdout)).toEqual([]);
    expect(pulled.json()).toEqual(JSON.parse(saved));
  },
);

describe("an unknown outcome without lists", () => {
  it("stops with the commands that resolve it, sends nothing again, and goes on once resolved", async () => {
    const place = unluckyPlace(true);
    const lost = await place.notify(APPLY);
    expect(lost.code).toBe(9);
    expect(lost.stdout).toContain(`\n${LOST}\tunknown\t`);
    expect(lost.stderr).toContain(`amp notify state resolve ${LOST} --id <id>`);
    expect(lost.stderr).toContain(`amp notify state resolve ${LOST} --not-created`);
    expect(lost.stderr).toContain("2 of 5 in place, 1 outcome unknown");
    expect(lost.stderr).toContain(`Not tried:`);
    const again = await place.notify(`${APPLY} --json`);
    expect(again.code).toBe(9);
    expect(writesOf(again)).toEqual([]);
    expect(again.error()).toMatchObject({ exitCode: 9, unknown: [{ address: LOST }] });
    const listed = await place.notify("state list --json");
    expect(listed.requests.filter(({ path }) => path !== "/projects")).toEqual([]);
    expect(listed.json()).toContainEqual(
      expect.objectContaining({ address: LOST, unknown: "create" }),
    );

    const made = place.sandbox.world.eventRoutes.at(-1)?.id;
    const resolved = await place.notify(`state resolve ${LOST} --id ${made}`);
    expect(resolved.stdout).toBe(
      `Added route connection.error → lifecycle to the state with ID ${made}\n`,
    );
    const done = await place.notify(`${APPLY} --json`);
    expect(done.code).toBe(0);
    expect(writesOf(done)).toHaveLength(2);
    expect(done.json()).toMatchObject({ settled: ADDRESSES.map((address) => ({ address })) });
  });

  it("leads back from a wrong ID that nothing could check, and creates nothing twice", async () => {
    const place = placeWith(
      createFaultySandbox({
        now: () => NOW,
        state: UNROUTED,
        script: { lists: false, faults: [{ on: "POST topics", do: "reset" }] },
      }),
    );
    expect((await place.notify(APPLY)).code).toBe(9);
    const resolved = await place.notify("state resolve topic/lifecycle --id top_wrong");
    expect(resolved.stderr).toContain("does not list topics, so the ID top_wrong was not checked");
    const refused = await place.notify(`${APPLY} --json`);
    expect(refused.error()).toMatchObject({
      remedy: expect.stringContaining(
        "topic/lifecycle is recorded with the ID top_wrong, which was never checked. If it is wrong, record the right one:",
      ),
      suggestion:
        "amp notify state forget topic/lifecycle\namp notify state import topic/lifecycle <id>",
    });
    const made = place.sandbox.world.topics.at(-1)?.id;
    await place.notify("state forget topic/lifecycle");
    await place.notify(`state import topic/lifecycle ${made}`);
    const done = await place.notify(`${APPLY} --json`);
    expect(done.code).toBe(0);
    expect(writesOf(done).filter((write) => write.endsWith("topics"))).toEqual([]);
  });

  it("is said to be created where only its ID is not known, in this run and the next", async () => {
    const place = unluckyPlace(true);
    const fetch = async (request: Request) => {
      const answer = await place.sandbox.fetch(request);
      const isTopic = request.method === "POST" && request.url.endsWith("topics");
      return isTopic ? new Response(null, { status: 201 }) : answer;
    };
    const first = await place.notify(APPLY, { fetch });
    expect(first.code).toBe(9);
    expect(first.stdout).toContain("topic/lifecycle\tunknown\t");
    expect(first.stderr.replaceAll(/\s+/gu, " ")).toContain(
      "1 of 5 in place, 1 ID unknown: the topic was created, but the response has no ID (201)",
    );
    expect(first.stderr).toMatch(/\? topic +lifecycle +created, ID unknown\n/u);
    const next = await place.notify(`${APPLY} --json`, { fetch });
    expect({ code: next.code, writes: writesOf(next) }).toEqual({ code: 9, writes: [] });
    expect(next.error()).toMatchObject({
      unknown: [{ address: "topic/lifecycle", created: true }],
    });
    const again = await place.notify(APPLY, { fetch });
    for (const [{ stderr }, count] of [
      [first, "1 of 5 in place, 1 ID unknown: the topic was created"],
      [again, "0 of 1 in place, 1 ID unknown: an earlier run did not finish"],
    ] as const) {
      expect(stderr.replaceAll(/\s+/gu, " ")).toContain(count);
      expect(stderr).toContain("Created, ID unknown:\n    topic/lifecycle");
      expect(stderr).toContain("amp notify state resolve topic/lifecycle --id <id>");
      expect(stderr).toMatch(/Check at the service which ID it has, record it with this command/u);
      expect(stderr).not.toMatch(/not-created|May exist|outcome|whether/u);
    }
    const id = place.sandbox.world.topics.at(-1)?.id;
    expect((await place.notify(`state resolve topic/lifecycle --id ${id}`)).code).toBe(0);
    const going = await place.notify(`${APPLY} --json`);
    expect(writesOf(going).filter((write) => write.endsWith("topics"))).toEqual([]);
  });

  it("is created anew once it is said that it was not", async () => {
    const place = unluckyPlace(false);
    expect((await place.notify(APPLY)).code).toBe(9);
    expect((await place.notify(`state forget ${LOST}`)).code).toBe(5);
    const resolved = await place.notify(`state resolve ${LOST} --not-created`);
    expect(resolved.stdout).toBe(
      "Recorded that route connection.error → lifecycle was not created\n",
    );
    const done = await place.notify(APPLY);
    expect(done.code).toBe(0);
    expect(writesOf(done)).toHaveLength(3);
  });

  it("requires either --exists or --absent", async () => {
    const place = unluckyPlace(false);
    await place.notify(APPLY);
    for (const words of ["", " --id evr_1 --not-created"]) {
      expect(await place.notify(`state resolve ${LOST}${words}`)).toMatchObject({ code: 2 });
    }
    expect((await place.notify("state resolve topic/nosuch --not-created")).code).toBe(3);
  });
});

describe("a resolve by an ID where the service has lists", () => {
  /** A create of a topic of which nobody knows what it did, in a state that meets lists afterwards. */
  async function lostTopic() {
    const place = placeWith();
    const fetch = async (request: Request) => {
      if (request.method === "GET" && /(?:topics|destinations|-routes)$/u.test(request.url)) {
        return Response.json({ title: "Not Found", status: 404 }, { status: 404 });
      }
      const answer = await place.sandbox.fetch(request);
      if (!(request.method === "POST" && request.url.endsWith("topics"))) return answer;
      throw new TypeError("fetch failed", { cause: { code: "ECONNRESET" } });
    };
    expect((await place.notify(APPLY, { fetch })).code).toBe(9);
    return { place, id: place.sandbox.world.topics.at(-1)?.id ?? "" };
  }

  it("refuses one that is not listed, saves nothing, and names the right one", async () => {
    const { place, id } = await lostTopic();
    const refused = await place.notify("state resolve topic/lifecycle --id top_wrong --json");
    expect(refused.code).toBe(3);
    expect(refused.error()).toMatchObject({
      message: "The service does not list topic top_wrong",
      remedy: `Did you mean ${id}?`,
      done: "Nothing was saved.",
      suggestion: `amp notify state resolve topic/lifecycle --id ${id}`,
    });
    const resolved = await place.notify(`state resolve topic/lifecycle --id ${id} --json`);
    expect(resolved.json()).toEqual({
      address: "topic/lifecycle",
      created: true,
      id,
      checked: true,
    });
  });

  it("asks nothing of an address without an open create", async () => {
    const { place } = await lostTopic();
    expect((await place.notify("state resolve nothing --id top_1")).code).toBe(3);
  });
});

describe("an apply with nothing else to do", () => {
  it.each([ALONE, "version: 1\n"])("settles what a lost answer left open: %j", async (text) => {
    const place = placeWith();
    const fetch = async (request: Request) => {
      if (request.method === "GET" && /(?:topics|destinations|-routes)$/u.test(request.url)) {
        return Response.json({ title: "Not Found", status: 404 }, { status: 404 });
      }
      const answer = await place.sandbox.fetch(request);
      if (request.method !== "POST") return answer;
      throw new TypeError("fetch failed", { cause: { code: "ECONNRESET" } });
    };
    place.write("routing.yaml", ALONE);
    expect((await place.notify(APPLY, { fetch })).code).toBe(9);
    expect((await place.notify(APPLY, { fetch })).code).toBe(9);
    const { id } = place.sandbox.world.destinations.at(-1) ?? {};
    place.write("routing.yaml", text);
    const settled = await place.notify(`${APPLY} --json`);
    expect({ code: settled.code, writes: writesOf(settled) }).toEqual({ code: 0, writes: [] });
    const [entry, ...more] = (await place.notify("state list --json")).json() as object[];
    expect([entry, more]).toEqual([
      expect.objectContaining({ address: "destination/ops", id }),
      [],
    ]);
    expect(entry).not.toHaveProperty("unknown");
  });
});

describe("state list", () => {
  it("lists what the state has, without asking the service", async () => {
    const place = placeWith();
    expect(await place.notify("state list")).toMatchObject({ code: 0, stdout: "" });
    await place.notify(APPLY);
    await place.notify("topics create by-hand");
    const { requests, json } = await place.notify("state list --json");
    expect(requests.filter(({ path }) => path !== "/projects")).toEqual([]);
    const entry = (owner: string) => (address: string) => ({
      ...{ address, kind: address.split("/")[0], id: expect.any(String), made: "amp", owner },
      time: expect.any(String),
    });
    const [destination, ...rest] = ADDRESSES.map(entry("file:routing"));
    expect(json()).toEqual([destination, entry("person")("topic/by-hand"), ...rest]);
    const env = { AMP_PROFILE: "sandbox", NO_COLOR: "1" };
    const { stdout, stderr } = await place.notify("state list", { tty: true, env });
    expect(stderr).toContain("6 resources");
    for (const address of ADDRESSES) expect(stdout).toContain(address);
  });
});

describe("the state by hand", () => {
  it("takes in a thing and lets it go, and changes nothing at the service", async () => {
    const place = placeWith(sandboxAt(NOW, { specOnly: true }));
    const imported = await place.notify("state import topic/lifecycle top_1 --json");
    expect(imported.json()).toEqual({ address: "topic/lifecycle", id: "top_1", checked: false });
    const other = await place.notify("state import topic/lifecycle top_2");
    expect(other.code).toBe(5);
    expect(other.stderr).toContain("amp notify state forget topic/lifecycle");
    const typo = await place.notify("state forget topic/lifecycl");
    expect(typo.code).toBe(3);
    expect(typo.stderr).toContain("Did you mean topic/lifecycle?");
    const forgotten = await place.notify("state forget topic/lifecycle");
    expect(forgotten.stdout).toBe(
      "Removed topic lifecycle from the state; it still exists at the service\n",
    );
    for (const outcome of [imported, other, forgotten]) expect(writesOf(outcome)).toEqual([]);
    expect((await place.notify("state import topic top_1")).code).toBe(2);
  });

  it("moves to another place; an older one is refused unless it is forced", async () => {
    const place = placeWith();
    expect((await place.notify("state pull")).code).toBe(3);
    await place.notify(APPLY);
    const pulled = await place.notify("state pull");
    place.write("old.json", pulled.stdout);
    expect((await place.notify("state push old.json --state moved.json")).code).toBe(0);
    const moved = await place.notify(`${APPLY} --state moved.json`);
    expect(moved.stderr).toContain("In sync: 5 resources");
    await place.notify("state forget topic/lifecycle --state moved.json");
    const older = await place.notify("state push old.json --state moved.json");
    expect(older.code).toBe(5);
    expect(older.stderr).toContain("--force");
    expect((await place.notify("state push old.json --state moved.json --force")).code).toBe(0);
    const now = await place.notify("state pull --state moved.json");
    expect(now.json()).toMatchObject({ entries: { "topic/lifecycle": {} } });
  });

  it("stands where --state, AMP_STATE or .amp.yaml say", async () => {
    const place = placeWith();
    place.write(".amp.yaml", "state: from-file.json\n");
    await run(["trust"], { cwd: place.cwd });
    await place.notify(APPLY);
    expect(place.has("from-file.json")).toBe(true);
    await place.notify(APPLY, { env: { AMP_PROFILE: "sandbox", AMP_STATE: "from-env.json" } });
    expect(place.has("from-env.json")).toBe(true);
    await place.notify(`${APPLY} --state from-option.json`);
    expect(place.has("from-option.json")).toBe(true);
  });

  it("that is held by a run on another machine is named, and unlocked by its ID", async () => {
    const place = placeWith();
    const lock = lockFolder(placesOf(join(place.cwd, "state.json")).lock);
    mkdirSync(lock, { recursive: true });
    const owner = { id: "lock-1", pid: 7, host: "runner-7", command: "amp notify apply" };
    writeFileSync(join(lock, "1"), JSON.stringify({ ...owner, since: "2026-09-02T08:00:00Z" }));
    const locked = await place.notify(`${APPLY} --state state.json`);
    expect(locked).toMatchObject({ code: 5, requests: [] });
    expect(locked.stderr).toContain("process 7 on runner-7");
    // Where nobody can answer, the command must not ask.
    const way = "amp notify state unlock lock-1 --state state.json";
    expect(locked.stderr).toContain(`${way} --yes`);
    const onTerminal = await place.notify(`${APPLY} --state state.json`, { tty: true });
    expect(onTerminal.stderr).toContain(way);
    expect(onTerminal.stderr).not.toContain(`${way} --yes`);
    const inCi = { tty: true, env: { AMP_PROFILE: "sandbox", CI: "true" } };
    expect((await place.notify(`${APPLY} --state state.json`, inCi)).stderr).toContain("--yes");
    // A look needs no lock.
    expect((await place.notify("plan -f routing.yaml --state state.json")).code).toBe(0);
    expect((await place.notify("state unlock lock-2 --yes --state state.json")).code).toBe(5);
    const asked = await place.notify("state unlock lock-1 --state state.json");
    expect(asked).toMatchObject({ code: 2 });
    expect((await place.notify("state unlock lock-1 --yes --state state.json")).code).toBe(0);
    expect((await place.notify(`${APPLY} --state state.json`)).code).toBe(0);
  });

  it("is locked in the name of the command, without what opens something", async () => {
    const place = placeWith();
    const url = "https://hooks.slack.com/services/T0/B0/opens-it";
    const words =
      `setup --state state.json --destination-name ops --destination-type slack --url ${url} ` +
      "--metadata headers.Authorization=hunter2 --topic t --event connection.error --yes";
    let locks = "";
    const { code } = await place.notify(words, {
      env: { AMP_PROFILE: "sandbox", GITHUB_REPOSITORY: "acme/routing", GITHUB_RUN_ID: "77" },
      fetch: async (request) => {
        const folder = join(place.cwd, ".amp-admin", "state.json", "state.lock.d");
        for (const name of readdirSync(folder)) locks += readFileSync(join(folder, name), "utf8");
        return place.sandbox.fetch(request);
      },
    });
    expect(code).toBe(0);
    expect(locks).toContain("amp notify setup --state state.json");
    expect(locks).toContain("--url https://… --metadata headers.Authorization=…");
    expect(locks).not.toMatch(/opens-it|hunter2/u);
    const job = "https://github.com/acme/routing/actions/runs/77";
    expect(locks).toContain(`"job":"${job}"`);
    const history = await place.notify("state history --state state.json --json");
    expect(history.stdout).toContain(job);
  });
});

describe("export and schema", () => {
  it("writes what exists as a file that changes nothing where it came from", async () => {
    const place = placeWith();
    await place.notify(APPLY);
    const { stdout } = await place.notify("export");
    expect(parse(stdout)).toMatchObject({ version: 1, topics: { lifecycle: {} } });
    const saved = await place.notify("export --save live.yaml");
    expect(saved).toMatchObject({ code: 0, stdout: "" });
    const facts = [
      "Applying it to acme adopts what it lists: nothing is created, changed or deleted.",
      "The file named routing declares all 5 resources already.",
    ];
    expect(saved.stderr).toBe([...facts, "Saved as live.yaml.", ""].join("\n"));
    expect(place.read("live.yaml")).toBe(stdout);
    for (const fact of facts) expect(stdout).toContain(`# ${fact}\n`);
    expect((await place.notify("export --save live.yaml")).code).toBe(2);
    expect((await place.notify("export --save live.yaml --overwrite")).code).toBe(0);
    const again = await place.notify("plan -f live.yaml --state fresh.json --exit-code");
    expect(again.code).toBe(0);
  });

  it("is private where a URL in it works like a password, as the file of a setup", async () => {
    const sandbox = sandboxAt();
    const place = placeWith(sandbox);
    await place.notify(APPLY);
    const ops = sandbox.world.destinations.find(({ name }) => name === "ops");
    if (ops) ops.metadata = { url: "https://a.test/in/T0AB12CD99" };
    expect((await place.notify("export --save live.yaml")).code).toBe(0);
    expect(place.read("live.yaml")).toMatch(/^# Keep this file private/u);
    expect(statSync(join(place.cwd, "live.yaml")).mode & 0o777).toBe(0o600);
  });

  it("is refused where the service does not list", async () => {
    const outcome = await placeWith(sandboxAt(NOW, { specOnly: true })).notify("export");
    expect(outcome).toMatchObject({ code: 3, stdout: "" });
    expect(outcome.stderr).toContain("cannot list its routing");
  });

  it("prints the schema of the file", async () => {
    const outcome = await placeWith().notify("schema");
    expect(outcome).toMatchObject({ code: 0, requests: [] });
    expect(outcome.json()).toMatchObject({ type: "object", properties: { topics: {} } });
  });
});

it
  .runIf(process.platform === "linux")
  .each(["/proc/none/s.json", "/proc/s.json", "/sys/none/s.json", "/dev/null/s.json"])(
  "an apply ends at once where no state can be made: %s",
  async (state) => {
    const refused = await placeWith().notify(`apply -f routing.yaml --yes --json --state ${state}`);
    expect([refused.code, writesOf(refused)]).toEqual([2, []]);
    expect(refused.error().message).toContain(`Cannot lock ${state}`);
  },
);
