import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { NODE, ROOT, requireBundle } from "../built.ts";
import { temporaryFolder } from "../temporary-folder.ts";

vi.setConfig({ testTimeout: 180_000 });

function npm(words: readonly string[], cwd: string): string {
  return execFileSync("npm", words, {
    cwd,
    encoding: "utf8",
    // npm tells its scripts of the project around them.
    env: { PATH: process.env.PATH, HOME: cwd, npm_config_update_notifier: "false" },
  });
}

/** What the archive has that the README does not link. */
const SCHEMAS = ["docs/json.schema.json", "docs/world.schema.json"];
const BESIDE = ["LICENSE", "README.md", ...SCHEMAS, "package.json"];

it("is installed from its archive alone, without scripts and network, and runs", () => {
  requireBundle();
  const folder = temporaryFolder();
  const quiet = ["--ignore-scripts", "--no-audit", "--no-fund"];
  const [packed] = JSON.parse(
    npm(["pack", ROOT, "--json", "--pack-destination", folder, ...quiet], folder),
  ) as [{ filename: string; files: { path: string }[] }];
  const shipped = packed.files.map(({ path }) => path);
  const others = shipped.filter((path) => !/^(?:bin|dist|completions)\//u.test(path));
  const readme = readFileSync(join(ROOT, "README.md"), "utf8");
  const links = [...readme.matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/gu)].map(([, path = ""]) => path);
  for (const page of links.filter((path) => path.startsWith("docs/") && path.endsWith(".md"))) {
    const pictures = readFileSync(join(ROOT, page), "utf8").matchAll(/\]\((images\/[^)]+)\)/gu);
    links.push(...[...pictures].map(([, path]) => `docs/${path}`));
  }
  expect(links.length).toBeGreaterThan(20);
  expect(others.toSorted()).toEqual([...new Set([...BESIDE, ...links])].toSorted());
  for (const path of others.filter((one) => one.startsWith("docs/") && one.endsWith(".md"))) {
    const page = readFileSync(join(ROOT, path), "utf8");
    const targets = [...page.matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/gu)].map(([, to = ""]) =>
      join(path, "..", to),
    );
    expect({ path, targets }).toEqual({
      path,
      targets: targets.filter((to) => shipped.includes(to)),
    });
  }
  expect(shipped.filter((path) => /standalone|\.map$/u.test(path))).toEqual([]);

  // The keyring is the one thing beside the bundle, and amp does without.
  const words = ["install", join(folder, packed.filename), "--offline", "--omit=optional"];
  npm([...words, "--prefix", folder, ...quiet], folder);
  const program = join(folder, "node_modules/amp-admin/bin/amp.js");
  const amp = (...args: string[]) =>
    spawnSync(NODE, [program, ...args], {
      cwd: folder,
      encoding: "utf8",
      env: { HOME: folder, AMP_CONFIG_DIR: join(folder, "config"), PATH: "", AMP_RETRIES: "0" },
    });
  const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  expect(amp("--version")).toMatchObject({
    status: 0,
    stdout: `amp-admin ${version}\n`,
    stderr: "",
  });
  expect(amp("notify", "events", "-o", "id")).toMatchObject({ status: 0, stderr: "" });
  const named = join(folder, "node_modules/.bin/amp-admin");
  expect(spawnSync(named, ["--version"], { encoding: "utf8" }).stdout).toBe(
    `amp-admin ${version}\n`,
  );
  const asked = amp("apps", "list", "--profile", "sandbox", "--json");
  // Nobody listens there, unless a person runs a sandbox just now.
  expect([0, 7]).toContain(asked.status);

  // The library is typed without anything else, and runs.
  writeFileSync(join(folder, "consumer.mts"), CONSUMER);
  const settings = ["--strict", "--target", "es2022", "--lib", "es2024,esnext.disposable"];
  const types = ["--typeRoots", join(ROOT, "node_modules/@types"), "--types", "node"];
  const tsc = [join(ROOT, "node_modules/typescript/bin/tsc"), "--noEmit", ...settings, ...types];
  const modules = ["--module", "nodenext", "--skipLibCheck", "false", "consumer.mts"];
  const checked = spawnSync(NODE, [...tsc, ...modules], { cwd: folder, encoding: "utf8" });
  expect(checked.stdout + checked.stderr).toBe("");
  writeFileSync(join(folder, "consumer.mjs"), CONSUMER.replace(": string | undefined", ""));
  const ran = spawnSync(NODE, ["consumer.mjs"], { cwd: folder, encoding: "utf8" });
  expect(ran).toMatchObject({ stderr: "", stdout: "delivered hook.test\n" });
});

const CONSUMER = `
import { startListener, startSandbox, verifyWebhook } from "amp-admin/sandbox";

const listener = await startListener();
const createTime = new Date().toISOString();
const projectId = "prj_1";
const one = { createTime, projectId };
const sandbox = await startSandbox({
  port: 0,
  world: {
    projects: [{ id: projectId, createTime, name: "p", appName: "P", orgId: "o" }],
    destinations: [{ ...one, id: "d", name: "d", type: "webhook", metadata: { url: listener.url } }],
    topics: [{ ...one, id: "t", name: "t" }],
    eventRoutes: [{ ...one, id: "e", eventType: "hook.test", topicId: "t" }],
    destinationRoutes: [{ ...one, id: "r", topicId: "t", destinationId: "d" }],
  },
  faults: [{ on: "GET *", do: "slow", ms: 1 }],
  clock: { timeScale: 1000 },
});
const [id] = await sandbox.trigger("hook.test", { some: "field" });
const made = await sandbox.deliveries({ event: id ?? "", until: (all) => all.length === 1 });
const [message] = await listener.received(1);
const outcome: string | undefined = made[0]?.outcome;
const verdict = await verifyWebhook(message ?? { headers: {}, body: "" }, "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
const again = await verifyWebhook(new Request("http://x", { method: "POST", body: "x" }), []);
console.log(outcome, verdict.event ?? again.reason);
await sandbox.close();
await listener[Symbol.asyncDispose]();
`;
