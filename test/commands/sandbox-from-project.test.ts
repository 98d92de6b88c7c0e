import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { newWorld } from "../../src/sandbox/seed/seed-file.ts";
import { SEED_WORLD } from "../../src/sandbox/seed/world.ts";
import type { World } from "../../src/sandbox/world.ts";
import { NOW, type RunInput, run, sandboxAt } from "../harness.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const MAIN = SEED_WORLD.projects[0]?.id;
const sandbox = sandboxAt(NOW, { state: SEED_WORLD });

/** Starts a sandbox from a project until it is served; `use` may ask it before the signal comes. */
async function start(
  words: readonly string[] = [],
  input: RunInput = {},
  use: (url: string) => Promise<unknown> = async () => {},
) {
  const controller = new AbortController();
  const cwd = input.cwd ?? temporaryFolder();
  const outcome = await run(
    ["sandbox", "start", "--port", "0", "--from-project", "acme", ...words],
    {
      sandbox,
      ...input,
      cwd,
      signal: controller.signal,
      onOutput: (text) => {
        const url = /http:\/\/[\w.:[\]]+\/v1/u.exec(text)?.[0] ?? "";
        void use(url).finally(() => controller.abort("SIGINT"));
      },
    },
  );
  const read = (name: string) => readFileSync(join(cwd, name), "utf8");
  return { ...outcome, cwd, read, text: () => read("world.json") };
}

const worldOf = (text: string) => JSON.parse(text) as World;

/** The names of customers and people of the project, and of what the builder made. */
const NAMES = [
  ...SEED_WORLD.installations.flatMap(({ group, connection: { consumer } }) => [
    ...Object.values(group ?? {}).filter((value) => value !== MAIN && !/T.*Z$/u.test(value ?? "")),
    consumer?.consumerName,
    consumer?.consumerRef,
  ]),
  ...["crm-sync", "billing-sync", "support-sync", "acme-webhook", "hooks.acme.example"],
  ...SEED_WORLD.topics.flatMap(({ name, projectId }) => (projectId === MAIN ? [name] : [])),
].filter((name) => typeof name === "string");

const namesIn = (text: string) => [...new Set(NAMES)].filter((name) => text.includes(name));

const JWT = "eyJjYW5hcnkxIjoxfQ.eyJjYW5hcnkyIjoyfQ.Y2FuYXJ5MzQ1Njc4";

/** What a text of the service could be instead. */
const CANARIES: readonly (readonly [string, (text: string, key: string) => string])[] = [
  ["after each text", (text) => `${text} canary@mail.example ${JWT}`],
  ["a person in place of each text", (text, key) => (NEEDED.test(key) ? text : "Canary Person")],
  ["an address in each text", (text) => `https://canary:canary@canary.example/${text}?t=canary`],
  ["a token in each text", (text) => `${text}-ghp_${"canary0".repeat(6)}`],
];
const NEEDED = /^id$|Id$|^name$/u;

/** An answer with a canary in every text and key that may have one, and in further fields. */
function planted(value: unknown, plant: (text: string, key: string) => string, key = ""): unknown {
  if (typeof value === "string") return plant(value, key);
  if (Array.isArray(value)) return value.map((item) => planted(item, plant, key));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([name, item]) => [name, planted(item, plant, name)]);
  const more: Record<string, unknown> = {
    note: "Canary Person",
    apiKey: "canary",
    owner: { email: "canary@mail.example", names: ["Canary"] },
    "canary@mail.example": true,
  };
  if ("url" in value) {
    const url = "https://hooks.canary.example/services/T0CANARY/canary-token-0123456789?sig=canary";
    more.url = url;
    more.headers = {
      Authorization: "Bearer canary",
      "X-Team": "canary",
      "canary person": "canary",
    };
  }
  if ("objectName" in value) {
    more.fieldFilters = { owner: "Canary" };
    more.selectedValueMappings = { stage: { Canary: "canary" } };
    more.selectedFieldMappings = { "Canary Person": "canary person" };
  }
  return { ...Object.fromEntries(entries), ...more };
}

const plantedBy = (plant: (text: string, key: string) => string) => async (request: Request) => {
  const answer = await sandbox.fetch(request);
  return Response.json(planted(await answer.json(), plant), { status: answer.status });
};

describe("amp sandbox start --from-project", () => {
  it("serves a copy without the names of the project, which it also writes", async () => {
    let served: World["installations"] = [];
    const { text, code, stderr, requests, cwd } = await start([], {}, async (url) => {
      const headers = { "x-api-key": "sandbox-api-key" };
      served = (await (
        await fetch(`${url}/projects/${MAIN}/installations`, { headers })
      ).json()) as World["installations"];
    });
    expect(code).toBe(0);
    expect(namesIn(text() + stderr)).toEqual([]);
    const { installations, destinations, topics, eventRoutes, destinationRoutes } = worldOf(text());
    const ids = (records: readonly { id: string; projectId: string }[]) =>
      records.flatMap(({ id, projectId }) => (projectId === MAIN ? [id] : []));
    for (const [made, real] of [
      [served, SEED_WORLD.installations],
      [installations, SEED_WORLD.installations],
      [destinations, SEED_WORLD.destinations],
      [topics, SEED_WORLD.topics],
      [eventRoutes, SEED_WORLD.eventRoutes],
      [destinationRoutes, SEED_WORLD.destinationRoutes],
    ] as const) {
      expect(ids(made)).toEqual(ids(real));
    }
    // Reads name their destination, and groups are the same in each integration.
    const names = new Set(destinations.map(({ name }) => name));
    const reads = installations.flatMap(({ config }) =>
      Object.values(config.content?.read?.objects ?? {}),
    );
    expect(reads.every(({ destination }) => names.has(destination ?? ""))).toBe(true);
    const refs = (all: World["installations"]) =>
      new Set(all.map(({ group }) => group?.groupRef)).size;
    expect(refs(installations)).toBe(refs(SEED_WORLD.installations));
    expect(worldOf(text()).activity.stories.ins_08139571).toBe("field");
    expect([...new Set(requests.map(({ method }) => method))]).toEqual(["GET"]);
    expect(requests.map(({ path }) => path).join()).not.toMatch(/operations|logs|secret/iu);
    expect(requests).toHaveLength(7);
    expect(stderr).toContain("Add this line to .gitignore: world.json.key\n");
    expect(statSync(join(cwd, "world.json.key")).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(cwd, "world.json.key"), "utf8")).toContain("Do not commit it.");
  });

  describe.each(CANARIES)("with %s", (_, plant) => {
    it.each([[[]], [["--keep-names"]]])(
      "leaves none of them in the file with %j",
      async (words) => {
        const { text, stdout, code } = await start(words, { fetch: plantedBy(plant) });
        expect(code).toBe(0);
        // Kept are names of customers and of the routing, without people, addresses and secrets.
        const leak =
          words.length === 0
            ? /[^\n]*canary[^\n]*/giu
            : /[^\n]*(?:canary@|canary[-.]|canary0|[:=/ ]canary|consumer\w*": "canary|eyJ)[^\n]*/giu;
        expect([...(text() + stdout).matchAll(leak)].map(([line]) => line)).toEqual([]);
        expect(worldOf(text()).installations).toHaveLength(40);
      },
    );
  });

  it("writes the same names again with its key, and others with another", async () => {
    const cwd = temporaryFolder();
    const first = await start([], { cwd });
    const before = first.text();
    const again = await start(["--overwrite"], { cwd });
    expect(again.text()).toBe(before);
    const other = await start(["--save", "other.json"], { cwd });
    const [one, two] = [worldOf(before), worldOf(other.read("other.json"))];
    expect(two.topics.map(({ id }) => id)).toEqual(one.topics.map(({ id }) => id));
    expect(two.topics.map(({ name }) => name)).not.toEqual(one.topics.map(({ name }) => name));
    writeFileSync(join(cwd, "other.json.key"), "nothing\n");
    const refused = await start(["--save", "other.json", "--overwrite"], { cwd });
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringContaining("other.json.key is not a key of pseudonyms"),
    ]);
  });

  it("is in sync with the routing file of the project where names are kept", async () => {
    const cwd = temporaryFolder();
    await run(["notify", "export", "--save", "routing.yaml"], { sandbox, cwd });
    const { text, stderr } = await start(["--keep-names"], { cwd });
    expect(namesIn(text())).toContain("Northwind Traders");
    expect(text()).not.toContain("Admin of");
    expect(stderr).not.toContain("acme-webhook");
    const twin = sandboxAt(NOW, { state: newWorld(JSON.parse(text()), NOW) });
    const plan = await run(["notify", "plan", "-f", "routing.yaml", "--exit-code"], {
      sandbox: twin,
      cwd,
    });
    const actions = plan.stdout
      .trim()
      .split("\n")
      .map((line) => line.split("\t")[1]);
    expect([plan.code, actions]).toEqual([0, Array.from({ length: 9 }, () => "adopt")]);
  });

  it("asks nothing of standard input without a terminal", async () => {
    let isRead = false;
    const stdin = new Readable({
      read() {
        isRead = true;
        this.push(null);
      },
    });
    const { code } = await start([], { stdin });
    expect([code, isRead]).toEqual([0, false]);
  });

  it.each([
    [["--world", "a.json"], "--world has no effect with --from-project"],
    [["--installations", "100", "--state", "s.json"], "--installations, --state have no effect"],
    [[], "world.json already exists"],
  ])("refuses %j before it sends anything", async (words, text) => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, "world.json"), "{}");
    const { code, stderr, requests } = await start(words, { cwd });
    expect([code, stderr, requests]).toEqual([2, expect.stringContaining(text), []]);
  });

  it("reads 5,000 installations with as many requests, and keeps no record", async () => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    const [row] = SEED_WORLD.installations;
    let most = 0;
    let before = 0;
    const list = async function* () {
      for (let at = 0; at < 5_000; at += 1) {
        if (at % 1_000 === 500) {
          collect();
          before ||= process.memoryUsage().heapUsed;
          most = Math.max(most, process.memoryUsage().heapUsed - before);
        }
        const one = { ...row, id: `ins_${at}`, padding: "x".repeat(20_000) };
        yield Buffer.from(`${at === 0 ? "[" : ","}${JSON.stringify(one)}`);
      }
      yield Buffer.from("]");
    };
    const { text, requests, code } = await start([], {
      fetch: async (request) =>
        request.url.endsWith("/installations")
          ? new Response(Readable.toWeb(Readable.from(list())) as ReadableStream, {
              headers: { "content-type": "application/json" },
            })
          : sandbox.fetch(request),
    });
    expect([code, requests.length]).toEqual([0, 7]);
    expect(worldOf(text()).installations).toHaveLength(5_000);
    // 100 MB were sent; the copies of 4,000 installations have 20 MB at most.
    expect(most).toBeLessThan(30 * 2 ** 20);
  });

  it("works where the service lists neither projects nor all installations", async () => {
    const { text, requests } = await start([], {
      fetch: async (request) => {
        const isMissing = /\/v1\/projects$|\/projects\/acme\/installations$/u.test(request.url);
        return isMissing
          ? Response.json({ title: "Not Found", status: 404 }, { status: 404 })
          : sandbox.fetch(request);
      },
    });
    expect(worldOf(text()).installations).toHaveLength(40);
    expect(namesIn(text())).toEqual([]);
    expect(text()).not.toContain('"acme"');
    expect(new Set(requests.map(({ method }) => method))).toEqual(new Set(["GET"]));
  });
});
