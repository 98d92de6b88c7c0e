import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { startAmp } from "./program.ts";
import { homeAt } from "./sandbox.ts";
import { KEYS, Terminal } from "./terminal.ts";

vi.setConfig({ testTimeout: 120_000 });

async function serve(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    answer(request, response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { home: homeAt(`http://127.0.0.1:${port}/v1`), requests };
}

/** Once amp has said it on stderr. */
async function said(child: ReturnType<typeof startAmp>["child"], text: string): Promise<void> {
  let heard = "";
  while (!heard.includes(text)) {
    const [chunk] = (await once(child.stderr as NodeJS.ReadableStream, "data")) as [string];
    heard += chunk;
  }
}

test.each([
  { signal: "SIGINT", code: 130, told: "✗ Interrupted\n" },
  { signal: "SIGTERM", code: 143, told: "✗ Terminated\n" },
] as const)(
  "$signal ends a wait that the service has asked for",
  async ({ signal, code, told }) => {
    const { home, requests } = await serve((_, response) => {
      response.writeHead(429, { "retry-after": "55" }).end();
    });
    const { child, ended } = startAmp(["apps", "list"], { home });
    await said(child, "Retrying in 55 s (attempt 2 of 3).");
    child.kill(signal);
    const end = await ended;
    expect(end).toMatchObject({ code, stdout: "" });
    expect(end.stderr).toMatch(new RegExp(`${told}$`, "u"));
    expect(requests).toHaveLength(1);
  },
);

test.each([
  { shown: "the line of a wait", TERM: "xterm-256color" },
  { shown: "a notice", TERM: "dumb" },
])("Ctrl-C behind $shown leaves no blank line", async ({ TERM }) => {
  const { home } = await serve((_, response) => {
    response.writeHead(429, { "retry-after": "55" }).end();
  });
  const terminal = new Terminal(["amp", "apps", "list"], {
    ...home,
    env: { ...home.env, TERM },
  });
  await terminal.until("Retrying in");
  terminal.type(KEYS.ctrlC);
  await terminal.exits(130);
  const lines = terminal.screen.transcript();
  expect(lines).toContain("✗ Interrupted");
  expect(lines.slice(0, lines.indexOf("✗ Interrupted"))).not.toContain("");
});

test("a request has a User-Agent and a request ID", async () => {
  const { home, requests } = await serve((_, response) => {
    response.setHeader("content-type", "application/json").end("[]");
  });
  expect(await startAmp(["apps", "list"], { home }).ended).toMatchObject({ code: 0 });
  const { "user-agent": agent, "x-request-id": id } = requests[0]?.headers ?? {};
  expect(agent).toMatch(/^amp\/\S+ \((?:node|bun) \d+\.\d+\.\d+; \w+ \w+\)$/u);
  expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/u);
});
