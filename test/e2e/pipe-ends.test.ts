import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { commandEntries } from "../command-tree.ts";
import { serveLongList } from "../network/long-list-server.ts";
import { createHome, type Home, runAmp, runShell, startAmp, wordsOfAmp } from "./program.ts";
import { homeAt, routingAt, startSandbox } from "./sandbox.ts";

vi.setConfig({ testTimeout: 120_000 });

const isLinux = process.platform === "linux";

/** What a routing file asks for that takes several saves. */
const ROUTING = `version: 1
destinations:
  one: { type: webhook, metadata: { url: https://hooks.acme.test/1 } }
  two: { type: webhook, metadata: { url: https://hooks.acme.test/2 } }
topics:
  lifecycle: { events: [installation.created, installation.deleted], destinations: [one, two] }
`;

/** The routing is there, and a second run knows every part of it. */
async function expectApplied(url: string, home: Home): Promise<void> {
  const { destinations, topics, eventRoutes, destinationRoutes } = await routingAt(url);
  expect(
    [destinations, topics, eventRoutes, destinationRoutes].map(({ length }) => length),
  ).toEqual([2, 1, 2, 2]);
  const again = await runAmp(["notify", "plan", "-f", "routing.yaml", "--exit-code"], { home });
  expect(again.code).toBe(0);
}

const [amp] = await commandEntries();
const FORMATS = amp?.options.find(({ name }) => name === "--output")?.choices ?? [];

test.skipIf(!isLinux).each(FORMATS)("a full disk is reported, exit 1: -o %s", async (format) => {
  const { url } = await startSandbox();
  const home = homeAt(url);
  // The format of variables has one result only, never a list.
  const command = format === "env" ? "projects get acme" : "apps list";
  const full = await runShell(`amp ${command} -o ${format} > /dev/full`, { home });
  expect(full.code).toBe(1);
  expect(full.stderr).toMatch(/no space left on device/u);
  expect(full.stderr).not.toMatch(/^\s+at /mu);
});

test("of a write whose result the disk has no room for it is said that it was carried out", async () => {
  if (!isLinux) return;
  const home = homeAt((await startSandbox()).url);
  const command = "amp notify topics create full --json";
  const { code, stderr } = await runShell(`${command} > /dev/full`, { home });
  expect(code).toBe(1);
  expect(JSON.parse(stderr)).toMatchObject({
    error: { done: "The command was carried out; only its output is incomplete." },
  });
});

test("a full disk is reported by help, version and completion too", async () => {
  if (!isLinux) return;
  for (const command of ["--version", "--help", "completion bash", "commands --json"]) {
    const { code, stderr } = await runShell(`amp ${command} > /dev/full`);
    expect({ command, code }).toEqual({ command, code: 1 });
    expect(stderr).toMatch(/no space left on device/u);
  }
});

test("an output that is closed from the start does no harm", async () => {
  const { url } = await startSandbox();
  const home = homeAt(url);
  const list = async (line: string) => (await runShell(line, { home })).code;
  expect(await list("amp apps list 2>&-")).toBe(0);
  expect(await list("amp apps list -p nobody 2>&-")).toBe(3);
  expect(await list("amp apps list >&-")).not.toBeGreaterThan(1);
  expect(await list("amp apps list >&- 2>&- <&-")).not.toBeGreaterThan(1);
});

test("a stdin that is closed, or a pipe whose writer has gone, is empty", async () => {
  const { url } = await startSandbox();
  const home = homeAt(url);
  for (const line of ["amp notify plan -f - <&-", "true | amp notify plan -f -"]) {
    const { code, stdout, stderr } = await runShell(line, { home });
    expect({ line, code, stdout }).toEqual({ line, code: 2, stdout: "" });
    expect(stderr).toMatch(/^✗ .*standard input/imu);
  }
});

test.skipIf(!isLinux)("Ctrl-C ends the wait for the writer of a pipe", async () => {
  const { url } = await startSandbox();
  const home = homeAt(url);
  execFileSync("mkfifo", [join(home.folder, "pipe")]);
  const { child, ended } = startAmp(["notify", "plan", "-f", "pipe", "--debug"], { home });
  // Nothing tells from outside that it waits; a signal before that must end it as well.
  await delay(1_000);
  child.kill("SIGINT");
  expect(await ended).toMatchObject({ code: 130, signal: null, stdout: "" });
});

test("a reader that is slow gets all of 65 MB, at its own pace", async () => {
  const server = await serveLongList(50_000);
  onTestFinished(() => server.close());
  const env = { AMP_BASE_URL: server.baseUrl, AMP_API_KEY: "key", AMP_PROJECT: "acme" };
  const { child, ended } = startAmp(["installations", "list", "-o", "json"], {
    env: { ...env, ...(isLinux ? { NODE_OPTIONS: "--max-old-space-size=48" } : {}) },
  });
  child.stdout?.pause();
  await once(child.stdout ?? child, "readable");
  await delay(500);
  // It waits for its reader, and so does the service for it.
  expect(server.sent()).toBeLessThan(server.bytes / 2);
  child.stdout?.resume();
  const { code, stdout } = await ended;
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toHaveLength(50_000);
});

test.skipIf(!isLinux).each([
  ["Ctrl-C", "installations list", 130, /Interrupted\n +Already written: \d+ installation/u],
  ["Ctrl-C", "api projects/acme/integrations/x/installations", 130, /Interrupted/u],
  [
    "The deadline",
    "installations list -o json --deadline 2s",
    124,
    /time limit of --deadline was reached/u,
  ],
])("%s ends the wait for a reader that does not read: %s", async (who, words, code, told) => {
  const server = await serveLongList(2_000);
  onTestFinished(() => server.close());
  const home = createHome();
  execFileSync("mkfifo", [join(home.folder, "pipe")]);
  // The streams that Node makes for a child are sockets.
  const pipe = openSync(join(home.folder, "pipe"), "r+");
  const [program, ...before] = wordsOfAmp();
  const child = spawn(program, [...before, ...words.split(" ")], {
    cwd: home.folder,
    env: { ...home.env, AMP_BASE_URL: server.baseUrl, AMP_API_KEY: "key", AMP_PROJECT: "acme" },
    stdio: ["ignore", pipe, "pipe"],
  });
  const exited = once(child, "exit");
  let said = "";
  child.stderr?.on("data", (chunk: Buffer) => {
    said += chunk.toString("utf8");
  });
  // Once the pipe is full, the service sends no more.
  for (let before = -1; before <= 0 || before !== server.sent(); ) {
    before = server.sent();
    await delay(2_000);
  }
  if (who === "Ctrl-C") child.kill("SIGINT");
  expect(await exited).toEqual([code, null]);
  expect(said).toMatch(told);
  closeSync(pipe);
});

test.skipIf(!isLinux)("a socket as stdout gets everything", async () => {
  const { url } = await startSandbox();
  const home = homeAt(url);
  const whole = Promise.withResolvers<string>();
  const server = createServer(async (socket) => {
    const chunks: Buffer[] = [];
    for await (const chunk of socket) chunks.push(chunk);
    whole.resolve(Buffer.concat(chunks).toString("utf8"));
  });
  server.listen(join(home.folder, "socket"));
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const socket: Socket = connect(join(home.folder, "socket"));
  await once(socket, "connect");
  const [program, ...words] = wordsOfAmp();
  const child = spawn(program, [...words, "commands", "--json"], {
    cwd: home.folder,
    env: home.env,
    stdio: ["ignore", socket, "ignore"],
  });
  const exited = once(child, "exit");
  // The child has a copy: it alone says when it is the end.
  socket.destroy();
  expect(await exited).toEqual([0, null]);
  expect(JSON.parse(await whole.promise)).toBeTypeOf("object");
});

test.each([
  ["its reader goes", "amp notify apply -f routing.yaml --yes | head -n 1"],
  ["its reader has gone", "amp notify apply -f routing.yaml --yes | true"],
  ["nobody reads its report", "{ amp notify apply -f routing.yaml --yes 2>&1 >result | true; }"],
  ["its report is closed", "amp notify apply -f routing.yaml --yes 2>&- > result"],
  ["nothing takes its report", "amp notify apply -f routing.yaml --yes 2>/dev/full > result"],
])("apply finishes its journal though %s", async (_, line) => {
  if (line.includes("/dev/full") && !isLinux) return;
  const { url } = await startSandbox();
  const home = homeAt(url);
  writeFileSync(join(home.folder, "routing.yaml"), ROUTING);
  await runShell(line, { home });
  await expectApplied(url, home);
});

test.skipIf(!isLinux)(
  "apply on a full disk for its receipt has applied, and says exit 1",
  async () => {
    const { url } = await startSandbox();
    const home = homeAt(url);
    writeFileSync(join(home.folder, "routing.yaml"), ROUTING);
    const line = "amp notify apply -f routing.yaml --yes > /dev/full";
    const { code, stderr } = await runShell(line, { home });
    expect(code).toBe(1);
    expect(stderr).toContain("no space left on device");
    await expectApplied(url, home);
    expect(readFileSync(join(home.folder, "routing.yaml"), "utf8")).toBe(ROUTING);
  },
);

test("GitHub's runner is asked to mask a secret through a pipe, not in a file", async () => {
  const line =
    "printf some-secret-key > key; " +
    "list() { amp apps list --api-key-file key --base-url http://127.0.0.1:9/v1 --project acme; }; " +
    "list 2> log; grep -c some-secret-key log; list";
  const { stdout, stderr } = await runShell(line, {
    env: { GITHUB_ACTIONS: "true", AMP_RETRIES: "0" },
  });
  expect(stdout).toBe("0\n");
  expect(stderr).toContain("::add-mask::some-secret-key\n");
});
