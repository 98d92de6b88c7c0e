import type { AddressInfo } from "node:net";
import { createServer, type Socket } from "node:net";
import fc from "fast-check";
import { afterAll, beforeAll, describe, it, vi } from "vitest";
import { INVOCATIONS } from "../commands/invocations.ts";
import { goodArgs, leaves } from "../commands/leaves.ts";
import { createTally, FIRST_SEED, seeds } from "./tally.ts";
import { tryOut } from "./trial.ts";
import { wireAnswers } from "./wire.ts";

vi.setConfig({ testTimeout: 3_600_000 });

const tally = createTally("bytes in place of an answer");

let answer: readonly Uint8Array[] = [];
const sockets = new Set<Socket>();
const server = createServer((socket) => {
  sockets.add(socket);
  socket.on("error", () => {});
  socket.on("close", () => sockets.delete(socket));
  socket.once("data", () => {
    for (const part of answer) socket.write(part);
    socket.end();
  });
});

beforeAll(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)));
afterAll(() => {
  for (const socket of sockets) socket.destroy();
  server.close();
});

// Each reads or writes by one request; how an answer is read is the same for all.
const PATHS = [
  "apps list",
  "apps get",
  "installations list",
  "notify topics create",
  "invites revoke",
];

describe.each(leaves.filter(({ path }) => PATHS.includes(path)))("amp $path", ({ path, words }) => {
  it("handles any bytes on the wire", async () => {
    await fc.assert(
      fc.asyncProperty(wireAnswers, (bytes) =>
        tally.try(() => {
          answer = bytes;
          const { port } = server.address() as AddressInfo;
          return tryOut({
            path,
            argv: (sandbox) => [...words, ...goodArgs(path, sandbox), "--json"],
            world: () => ({
              env: {
                AMP_BASE_URL: `http://127.0.0.1:${port}/v1`,
                AMP_API_KEY: "sandbox-api-key",
                AMP_PROFILE: undefined,
                AMP_RETRIES: "0",
                AMP_MAX_WAIT: "1ms",
                // Of a 421 Node's fetch never tells the end; any end by time-out is a documented one.
                AMP_TIMEOUT: "5s",
                AMP_PROJECT: "acme",
                AMP_ORG: "org_1",
                AMP_INTEGRATION: "113e9685-9a51-42cc-8662-9d9725b17f14",
              },
              fetch: (request) => globalThis.fetch(request),
            }),
            asJson: INVOCATIONS[path]?.noJson === undefined,
          });
        }),
      ),
      { numRuns: seeds(20), seed: FIRST_SEED },
    );
  });
});
