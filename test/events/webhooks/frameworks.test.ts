import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { serve } from "@hono/node-server";
import fastify from "fastify";
import { Hono } from "hono";
import { Webhook } from "standardwebhooks";
import { afterEach, describe, expect, it } from "vitest";
import { ROOT } from "../../built.ts";
import { examine } from "./examine.ts";
import { express } from "./express.ts";
import { SECRET } from "./receivers.ts";

const OPEN: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of OPEN.splice(0)) await close();
});

/** The status of a message, as receivers with the library of the signing scheme decide it. */
function statusOf(headers: Readonly<Record<string, unknown>>, body: string | Buffer): number {
  const named = ["id", "timestamp", "signature"].map((name) => [
    `webhook-${name}`,
    String(headers[`svix-${name}`] ?? ""),
  ]);
  try {
    new Webhook(SECRET).verify(body, Object.fromEntries(named));
    return 204;
  } catch {
    return 401;
  }
}

/** Receivers as the documentation of a framework would write them: each starts, and has a URL. */
const RECEIVERS: Readonly<Record<string, () => Promise<string>>> = {
  "express with express.raw": () => {
    const app = express();
    app.post(
      "/amp",
      express.raw({ type: "application/json", limit: "350kb" }),
      (request, response) => {
        response.sendStatus(statusOf(request.headers, request.body as Buffer));
      },
    );
    return urlOf(app.listen(0, "127.0.0.1"));
  },
  "express with express.json": () => {
    const app = express();
    app.post("/amp", express.json(), (request, response) => {
      response.sendStatus(statusOf(request.headers, JSON.stringify(request.body)));
    });
    return urlOf(app.listen(0, "127.0.0.1"));
  },
  "fastify with the body as a buffer": async () => {
    const app = fastify();
    app.addContentTypeParser("application/json", { parseAs: "buffer" }, (_, body, done) =>
      done(null, body),
    );
    app.post("/amp", async (request, reply) =>
      reply.code(statusOf(request.headers, request.body as Buffer)).send(),
    );
    OPEN.push(() => app.close());
    return `${await app.listen({ port: 0, host: "127.0.0.1" })}/amp`;
  },
  "fastify with its own parser": async () => {
    const app = fastify();
    app.post("/amp", async (request, reply) =>
      reply.code(statusOf(request.headers, JSON.stringify(request.body))).send(),
    );
    OPEN.push(() => app.close());
    return `${await app.listen({ port: 0, host: "127.0.0.1" })}/amp`;
  },
  hono: () => {
    const app = new Hono();
    app.post("/amp", async (context) => {
      const status = statusOf(context.req.header(), await context.req.text());
      return context.body(null, status as 204);
    });
    return urlOf(serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }) as Server);
  },
  "http.server of Python": async () => {
    const script = join(ROOT, "test/events/webhooks/receiver.py");
    const child: ChildProcess = spawn("python3", [script, SECRET], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    OPEN.push(async () => {
      child.kill();
      await once(child, "exit");
    });
    if (child.stdout === null) throw new Error("no output");
    for await (const port of createInterface({ input: child.stdout })) {
      return `http://127.0.0.1:${port}/amp`;
    }
    throw new Error("the receiver did not start");
  },
};

async function urlOf(server: Server): Promise<string> {
  if (!server.listening) await once(server, "listening");
  OPEN.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/amp`;
}

const hasPython = spawnSync("python3", ["--version"]).status === 0;

describe("a receiver on a framework is examined", () => {
  const fails: Readonly<Record<string, readonly string[]>> = {
    "express with express.json": ["300-kb", "raw-body"],
    "fastify with its own parser": ["raw-body"],
  };
  for (const [name, start] of Object.entries(RECEIVERS)) {
    it.skipIf(name.includes("Python") && !hasPython)(name, async () => {
      const { result } = await examine(new URL(await start()), { limitMs: 15_000 });
      const failed = result.checks.filter(({ outcome }) => outcome !== "pass");
      expect(failed.map((one) => one.name)).toEqual(fails[name] ?? []);
    });
  }
});
