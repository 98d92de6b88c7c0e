import { readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { UsageError } from "../../src/errors.ts";
import { readSandboxState, writeSandboxState } from "../../src/sandbox/run.ts";
import type { SandboxOptions } from "../../src/sandbox/sandbox.ts";
import type { World } from "../../src/sandbox/world.ts";
import { run } from "../harness.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { ask, fresh, setUpRouting } from "./ask.ts";

let folder: string;
let file: string;

beforeEach(() => {
  folder = temporaryFolder();
  file = join(folder, "state.json");
});

async function start(options: SandboxOptions = {}) {
  return fresh({
    state: (await readSandboxState(file))?.world,
    onChange: (world) => writeSandboxState(file, world),
    ...options,
  });
}

test("the world survives a restart with the same bytes", async () => {
  const before = await start();
  const { destination } = await setUpRouting(before);
  await ask(before, `DELETE /projects/acme/destinations/${destination.body.id}`);
  const after = await start();
  expect(after.world).toEqual(before.world);
  for (const path of [
    "/projects/acme/topics",
    "/projects/acme/notification-event-topic-routes",
    "/projects/acme/installations",
    "/projects/acme/provider-apps",
    "/projects/globex-staging/destinations",
  ]) {
    const [one, other] = [await ask(before, `GET ${path}`), await ask(after, `GET ${path}`)];
    expect(other.text, path).toBe(one.text);
  }
});

test("IDs are not used again after a restart", async () => {
  const make = async (name: string) =>
    (await ask(await start(), "POST /projects/acme/topics", { name })).body.id;
  await make("one");
  const again = await fresh();
  const second = await make("two");
  expect(second).not.toBe(
    (await ask(again, "POST /projects/acme/topics", { name: "two" })).body.id,
  );
  expect((await start()).world.sequence).toBe(2);
});

test("the file is whole and up to date after each change, private, and alone", async () => {
  const seen: World[] = [];
  const sandbox = await start({
    onChange: async (world) => {
      await writeSandboxState(file, world);
      const saved = await readSandboxState(file);
      if (saved) seen.push(saved.world);
    },
  });
  await setUpRouting(sandbox);
  expect(seen).toHaveLength(4);
  expect(seen.at(-1)).toEqual(sandbox.world);
  expect(await readdir(folder)).toEqual(["state.json"]);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

test("a field named __proto__ of the file is data, in answers and in the next file", async () => {
  const { world, ...rest } = await good();
  const named = (value: object, field: string) =>
    JSON.parse(JSON.stringify(value).replace(/\{/u, `{"__proto__":${field},`));
  const [route, ...others] = world.destinations;
  const [installation] = world.installations;
  const destination = { ...route, metadata: named(route.metadata, '{"url":"https://x.example"}') };
  const destinations = [destination, ...others];
  const installations = [{ ...installation, config: named(installation.config, '{"a":1}') }];
  await writeFile(
    file,
    JSON.stringify({ ...rest, world: { ...world, destinations, installations } }),
  );

  const sandbox = await start();
  const listed = await ask(sandbox, "GET /projects/globex-staging/destinations");
  expect(listed.text).toContain('"metadata":{"__proto__":{"url":"https://x.example"},');
  const read = await ask(sandbox, "GET /projects/acme/installations");
  expect(read.text).toContain('"config":{"__proto__":{"a":1},');
  expect(Object.prototype).not.toHaveProperty("url");
  const before = sandbox.world;
  await ask(sandbox, "POST /projects/acme/topics", { name: "another" });
  expect((await start()).world.destinations).toEqual(before.destinations);
  const saved = (await readFile(file, "utf8")).replaceAll(/\s+/gu, "");
  expect(saved).toContain('"metadata":{"__proto__":{"url":"https://x.example"},');
});

test("a missing file is not a state, and reading does not create it", async () => {
  expect(await readSandboxState(file)).toBeUndefined();
  const sandbox = await start();
  await ask(sandbox, "POST /projects/acme/topics", { name: "a b" });
  expect(await readdir(folder)).toEqual([]);
});

// biome-ignore lint/suspicious/noExplicitAny: a document that the tests break on purpose
async function good(): Promise<any> {
  await setUpRouting(await start());
  return JSON.parse(await readFile(file, "utf8"));
}

test.each<[what: string, text: () => Promise<string>, reason: RegExp]>([
  ["no JSON", async () => "{", /is not valid JSON/u],
  ["an empty file", async () => "", /is not valid JSON/u],
  ["null", async () => "null", /not written by amp sandbox/u],
  ["somebody else's file", async () => '{"version": 1}', /not written by amp sandbox/u],
  [
    "a version to come",
    async () => JSON.stringify({ ...(await good()), version: 2 }),
    /version: is 2/u,
  ],
  [
    "half a world",
    async () => {
      const { world, ...rest } = await good();
      const { topics, ...half } = world;
      return JSON.stringify({ ...rest, world: half });
    },
    /world\.topics/u,
  ],
  [
    "a broken record",
    async () => {
      const document = await good();
      document.world.destinations[0].name = 7;
      return JSON.stringify(document);
    },
    /world\.destinations\.0\.name/u,
  ],
])("%s is refused and not changed", async (_, text, reason) => {
  const written = await text();
  await writeFile(file, written);
  const refusal = await readSandboxState(file).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(UsageError);
  expect((refusal as UsageError).message).toMatch(reason);
  expect((refusal as UsageError).message).toContain(file);
  expect(await readFile(file, "utf8")).toBe(written);
});

test("a folder is not a state file", async () => {
  await expect(readSandboxState(folder)).rejects.toThrow(UsageError);
});

test("a link that leads to itself is not a state file", async () => {
  await symlink(file, file);
  await expect(readSandboxState(file)).rejects.toMatchObject({ kind: "sandbox_file_unreadable" });
});

test("says of a place below a file that it cannot be a folder", async () => {
  await writeFile(file, "x");
  const argv = ["sandbox", "start", "--port", "0", "--state", join(file, "a")];
  const { code, stderr } = await run(argv);
  expect(code).toBe(2);
  expect(stderr).toContain("state.json/a cannot be read: a part of its path is not a folder");
});

test("a place that cannot be written or locked is an error of usage, with its reason", async () => {
  // The copy that is written first has a longer name, and so does the folder of the lock.
  for (const [length, message] of [
    [248, /^The sandbox cannot use \S+: the name is too long$/u],
    [252, /^Cannot lock \S+: the name is too long$/u],
  ] as const) {
    const named = join(folder, "s".repeat(length));
    const { code, error } = await run([
      "sandbox",
      "start",
      "--port",
      "0",
      "--state",
      named,
      "--json",
    ]);
    expect(code).toBe(2);
    expect(error().message).toMatch(message);
  }
});
