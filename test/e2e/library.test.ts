import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import type * as Library from "../../src/sandbox/library.ts";
import { requireBundle } from "../built.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { isBundle, ROOT } from "./program.ts";

let library: typeof Library;

beforeAll(async () => {
  requireBundle();
  library = await import(join(ROOT, "dist/sandbox.cjs"));
});

const tests = test.skipIf(!isBundle);

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const createTime = "2026-01-01T00:00:00.000Z";
const ours = { createTime, projectId: "prj_1" };

/** A world with one webhook, whose IDs and secret are pinned. */
const worldOf = (url: string) => ({
  projects: [{ id: "prj_1", createTime, name: "shop", appName: "Shop", orgId: "org_1" }],
  destinations: [
    {
      ...ours,
      ...{ id: "dst_1", name: "hook", type: "webhook", metadata: { url } },
      secrets: { webhookSigningKey: SECRET },
    },
  ],
  topics: [{ ...ours, id: "top_1", name: "all" }],
  eventRoutes: [{ ...ours, id: "evr_1", eventType: "connection.error", topicId: "top_1" }],
  destinationRoutes: [{ ...ours, id: "dsr_1", topicId: "top_1", destinationId: "dst_1" }],
});

async function wired(options: Omit<Library.StartOptions, "world"> = {}) {
  const listener = await library.startListener({ secret: SECRET });
  const sandbox = await library.startSandbox({ ...options, world: worldOf(listener.url) });
  onTestFinished(async () => {
    await sandbox.close();
    await listener.close();
  });
  return { listener, sandbox };
}

tests("a test triggers an event, and its receiver gets it signed", async () => {
  const { listener, sandbox } = await wired();
  const [id] = await sandbox.trigger("connection.error", { connectionId: "con_7" });
  const made = await sandbox.deliveries({ event: "connection.error", until: 1 });
  expect(made).toMatchObject([{ eventId: id, destination: "hook", outcome: "delivered" }]);
  const [message] = await listener.received(1);
  expect(message).toMatchObject({
    ...{ valid: true, event: "connection.error", id: made[0]?.messageId },
    payload: { data: { connectionId: "con_7" } },
  });
  const request = new Request("http://x", {
    method: "POST",
    headers: message?.headers ?? {},
    body: Buffer.from(message?.body ?? []),
  });
  expect(await library.verifyWebhook(request, SECRET)).toMatchObject({ valid: true });
  const { headers = {}, body = "" } = message ?? {};
  const changed = { headers, body: `${Buffer.from(body)} ` };
  expect(await library.verifyWebhook(changed, [SECRET])).toMatchObject({
    valid: false,
    reason: expect.any(String),
  });
  await expect(library.verifyWebhook(changed, "whsec_?")).rejects.toThrow("not valid base64");
});

tests("deliveries fail as often as is asked, and the clock brings the next attempt", async () => {
  const { listener, sandbox } = await wired({ clock: { start: "2027-01-01T00:00:00Z" } });
  expect(sandbox.clock.now().getFullYear()).toBe(2027);
  await sandbox.faults({ kind: "status", status: 500, next: 2, destination: "hook" });
  await sandbox.trigger("connection.error");
  await sandbox.deliveries({ until: 1 });
  const before = sandbox.clock.now();
  const after = await sandbox.clock.forward("1h");
  expect(after.getTime() - before.getTime()).toBeGreaterThanOrEqual(3_600_000);
  const outcomes = (await sandbox.deliveries()).map(({ outcome }) => outcome);
  expect(outcomes).toEqual(["failed", "failed", "delivered"]);
  expect(listener.messages).toMatchObject([{ valid: true }]);
  const late = sandbox.deliveries({ until: (all) => all.length > 9, timeoutMs: 20 });
  await expect(late).rejects.toThrow("Not within 0.02 s");
});

tests("a reset brings the world back, and its API answers as before", async () => {
  const { sandbox } = await wired({ faults: [{ on: "GET topics", do: "status", status: 500 }] });
  const headers = { "x-api-key": sandbox.keys.apiKey, "content-type": "application/json" };
  const topics = `${sandbox.url}/projects/shop/topics`;
  expect((await fetch(topics, { headers })).status).toBe(500);
  await sandbox.faults([]);
  const body = JSON.stringify({ name: "more" });
  expect((await fetch(topics, { method: "POST", headers, body })).status).toBe(201);
  await sandbox.trigger("connection.error");
  await sandbox.reset();
  expect(await sandbox.deliveries()).toEqual([]);
  expect(await (await fetch(topics, { headers })).json()).toMatchObject([{ id: "top_1" }]);
  await expect(sandbox.faults({ kind: "rain" } as never)).rejects.toThrow("kind");
  await expect(sandbox.clock.forward("soon")).rejects.toThrow("for example 30s");
  const mistyped = sandbox.trigger("conection.error");
  await expect(mistyped).rejects.toThrow("did you mean connection.error?");
});

tests("its page and control answer at its URL", async () => {
  const { sandbox } = await wired();
  const page = await fetch(sandbox.page);
  expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
  expect(await page.text()).toMatch(/^<!doctype html>/iu);
  const headers = { authorization: `Bearer ${sandbox.keys.token}` };
  const world = await fetch(new URL("world", sandbox.page), { headers });
  expect(await world.json()).toMatchObject({ destinations: [{ id: "dst_1" }] });
});

tests("the program of the documentation runs", () => {
  const page = readFileSync(join(ROOT, "docs/sandbox.md"), "utf8");
  const [, program = ""] = /^```ts\n(import .*?)^```/msu.exec(page) ?? [];
  const bundle = pathToFileURL(join(ROOT, "dist/sandbox.cjs")).href;
  const file = join(temporaryFolder(), "program.mjs");
  writeFileSync(file, program.replace("amp-admin/sandbox", bundle));
  const ran = execFileSync(process.execPath, [file], { encoding: "utf8", env: {} });
  expect(ran).toBe("[ 'failed', 'failed', 'delivered' ] true con_7\n");
});

tests("a world that is not valid is an error with its place", async () => {
  await expect(library.startSandbox({ world: { projects: [] } })).rejects.toThrow("projects");
  await expect(library.startSandbox({ world: { project: [] } })).rejects.toThrow("world");
});

tests("fifty run at once in one process, each with its own events", async () => {
  const all = await Promise.all(Array.from({ length: 50 }, () => wired()));
  await Promise.all(
    all.map(({ sandbox }, number) => sandbox.trigger("connection.error", { number })),
  );
  const got = await Promise.all(all.map(({ listener }) => listener.received(1)));
  expect(got.map(([one]) => one?.payload)).toEqual(
    all.map((_, number) => expect.objectContaining({ data: expect.objectContaining({ number }) })),
  );
  expect(new Set(all.map(({ sandbox }) => sandbox.keys.token)).size).toBe(50);
});

tests("a hundred that are started and closed leave nothing open", async () => {
  const open = () => readdirSync("/proc/self/fd").length;
  const use = async () => {
    await using listener = await library.startListener({ secret: SECRET });
    await using sandbox = await library.startSandbox({ world: worldOf(listener.url) });
    const stream = await fetch(new URL("stream", sandbox.page), {
      headers: { authorization: `Bearer ${sandbox.keys.token}` },
    });
    await sandbox.trigger("connection.error");
    await listener.received(1);
    await stream.body?.cancel();
  };
  await use();
  await pause(100);
  const before = open();
  for (let at = 0; at < 100; at += 1) await use();
  await expect.poll(open).toBeLessThanOrEqual(before + 1);
});
