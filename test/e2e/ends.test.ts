import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { isBundle, runShell, startAmp } from "./program.ts";
import { homeAt } from "./sandbox.ts";

// Far below the time-outs of the runtimes, after which a process would end by itself.
vi.setConfig({ testTimeout: 9_000 });

/** A server that takes connections, and never says anything. */
async function startMute(): Promise<{
  readonly port: number;
  readonly heard: () => Promise<void>;
}> {
  const sockets = new Set<Socket>();
  const heard = Promise.withResolvers<void>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {}).on("data", () => heard.resolve());
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, heard: () => heard.promise };
}

const WAYS = {
  "a proxy that never answers CONNECT": (port: number) => ({
    url: "https://api.example.test/v1",
    env: { HTTPS_PROXY: `http://127.0.0.1:${port}` },
  }),
  "a TLS handshake that never ends": (port: number) => ({
    url: `https://127.0.0.1:${port}/v1`,
    env: {},
  }),
  "the TLS handshake of a proxy that never ends": (port: number) => ({
    url: "https://api.example.test/v1",
    env: { HTTPS_PROXY: `https://127.0.0.1:${port}` },
  }),
  "a service that never answers": (port: number) => ({
    url: `http://127.0.0.1:${port}/v1`,
    env: {},
  }),
};

describe.each(Object.entries(WAYS))("%s", (_, way) => {
  test.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("ends at %s", async (signal, code) => {
    const mute = await startMute();
    const { url, env } = way(mute.port);
    const { child, ended } = startAmp(["apps", "list"], { home: homeAt(url), env });
    await mute.heard();
    child.kill(signal);
    expect(await ended).toMatchObject({ code, signal: null, stdout: "" });
  });

  test("ends at its time-out", async () => {
    const mute = await startMute();
    const { url, env } = way(mute.port);
    const args = ["apps", "list", "--timeout", "1s"];
    const { code, signal, stderr } = await startAmp(args, {
      home: homeAt(url),
      env: { ...env, AMP_RETRIES: "0" },
    }).ended;
    expect({ signal, stderr }).toMatchObject({ signal: null });
    expect([7, 124]).toContain(code);
    expect(stderr).toContain("within 1 s");
  });
});

test("a folder that was deleted is named, without a stack", async () => {
  const line = 'mkdir gone && cd gone && rmdir "$PWD" && amp projects list --profile sandbox';
  // Bun says it before any of amp's code runs, with an exit code of its own.
  const [code, told] = isBundle
    ? [2, /✗ The current folder no longer exists\n {2}Change to another folder, for .*\n$/u]
    : [1, /error: The current working directory was deleted, .* cd into a different directory/u];
  expect(await runShell(line)).toMatchObject({
    code,
    stdout: "",
    stderr: expect.stringMatching(told),
  });
});
