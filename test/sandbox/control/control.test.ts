import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import * as fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import type { EventDetail, EventRow, PageState } from "../../../src/page/model.ts";
import { composeSandbox } from "../../../src/sandbox/control/control.ts";
import type { SandboxOptions } from "../../../src/sandbox/sandbox.ts";
import { serveSandbox } from "../../../src/sandbox/serve.ts";
import { UNROUTED } from "../../unrouted.ts";
import { NOW } from "../ask.ts";
import type { Answer } from "../events/receiver.ts";
import { create, receiving, route, secretOf, webhook } from "../events/wiring.ts";

/** A served sandbox with one webhook, a way to ask its control, and the log of its requests. */
async function controlled(options: SandboxOptions = {}, answer?: (number: number) => Answer) {
  const log: string[] = [];
  const onRequest = (line: object) => void log.push(JSON.stringify(line));
  const composed = composeSandbox({ now: () => NOW, state: UNROUTED, onRequest, ...options });
  const { sandbox, control, http } = composed;
  const server = await serveSandbox(http, { port: 0, onRequest });
  const receiver = await receiving(answer);
  onTestFinished(async () => {
    control.close();
    await server.close();
    await sandbox.events.close();
  });
  const ops = await webhook(sandbox, "ops", receiver.url, { headers: { "x-key": "hush-hush" } });
  await route(sandbox, "lifecycle", ["connection.error"], [ops]);
  const { origin } = new URL(server.url);
  const send = (path: string, body?: unknown, headers: Record<string, string> = {}) =>
    fetch(`${origin}${path}`, {
      ...(body !== undefined && { method: "POST", body: JSON.stringify(body) }),
      headers: {
        authorization: `Bearer ${control.token}`,
        "content-type": "application/json",
        ...headers,
      },
    });
  const ask = async <Answer>(path: string, body?: unknown): Promise<Answer> => {
    const answer = await send(`/_sandbox/${path}`, body);
    expect(answer.status, await answer.clone().text()).toBe(200);
    return answer.json() as Promise<Answer>;
  };
  const trigger = (data?: object) =>
    ask<{ eventIds: string[] }>("trigger", { type: "connection.error", ...(data && { data }) });
  return { ...composed, server, receiver, origin, ops, log, send, ask, trigger };
}

const latest = "/_sandbox/latest/connection.error";

test("health and the newest event of a type need no token, all else does", async () => {
  const { origin, trigger, sandbox, send, log, control } = await controlled();
  expect(await (await fetch(`${origin}/health`)).json()).toEqual({ status: "ok" });
  const none = await fetch(`${origin}${latest}`);
  expect(none.status).toBe(404);
  expect(await none.json()).toMatchObject({
    detail: 'No event of type "connection.error" has occurred yet.',
    remedy: expect.stringContaining("Trigger one"),
  });
  const { eventIds } = await trigger();
  await sandbox.events.settled();
  expect(await (await fetch(`${origin}${latest}`)).json()).toMatchObject({ id: eventIds[0] });
  for (const authorization of ["", "Bearer no", `Bearer ${control.token}x`, control.token]) {
    for (const path of ["state", "events", "events/evt_1", "stream", "world"]) {
      const refused = await send(`/_sandbox/${path}`, undefined, { authorization });
      expect([path, refused.status]).toEqual([path, 401]);
      expect(refused.headers.get("content-type")).toBe("application/problem+json");
    }
    for (const act of ["trigger", "redeliver", "faults", "clock", "pause", "reset"]) {
      expect((await send(`/_sandbox/${act}`, {}, { authorization })).status).toBe(401);
    }
  }
  expect((await send("/_sandbox/reset", {}, { origin: "https://evil.example" })).status).toBe(403);
  expect((await send("/_sandbox/nothing")).status).toBe(404);
  expect((await send("/_sandbox/reset")).status).toBe(405);
  expect(log.join("\n")).not.toContain(control.token);
});

test("an event is kept with request, answer and verdict, and no secret", async () => {
  const { ask, ops, sandbox, trigger, receiver } = await controlled({}, () => 500);
  const { eventIds } = await trigger({ groupName: "<b>Acme</b>", consumerName: null });
  await expect.poll(() => sandbox.events.history.attempts.length).toBe(1);
  const detail = await ask<EventDetail>(`events/${eventIds[0]}`);
  // What the trigger did not name is as in the sample.
  expect(detail).toMatchObject({ about: "<b>Acme</b>", data: { consumerName: null } });
  expect(detail.data).toHaveProperty("provider");
  const [message] = detail.messages;
  expect(message).toMatchObject({ destination: ops, destinationName: "ops", result: "retrying" });
  const [made] = message?.tries ?? [];
  expect(made).toMatchObject({
    ...{ number: 1, outcome: "failed", status: 500 },
    request: { url: receiver.url, headers: { "x-key": "[redacted]" }, body: receiver.got[0]?.body },
    signature: { verdict: "The signature is valid" },
  });
  expect(message?.next).toBe(new Date(NOW.getTime() + 5000).toISOString());
  const text = JSON.stringify(detail);
  expect(text).not.toContain("hush-hush");
  expect(text).not.toContain(await secretOf(sandbox, "ops"));
});

test("the signature is judged by the secret that the destination has", async () => {
  const { ask, sandbox, trigger } = await controlled();
  const { eventIds } = await trigger();
  await sandbox.events.settled();
  const verdict = async () => {
    const { messages } = await ask<EventDetail>(`events/${eventIds[0]}`);
    return messages[0]?.tries[0]?.signature;
  };
  expect(await verdict()).toEqual({ verdict: "The signature is valid" });
  await sandbox.parts.store.change((world) => ({
    result: undefined,
    world: {
      ...world,
      destinations: world.destinations.map((one) => ({
        ...one,
        secrets: { webhookSigningKey: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw" },
      })),
    },
  }));
  expect(await verdict()).toMatchObject({
    verdict: "The signature is not valid",
    detail: expect.stringContaining("no signature matches the body and the secret"),
  });
});

test("the state has the routing, the events with their fields, and problems first", async () => {
  const { ask, ops, origin } = await controlled();
  const state = await ask<PageState>("state?project=acme");
  const { routing, installations, eventTypes, ...rest } = state;
  expect(rest).toEqual({
    ...{ kind: "sandbox", project: "acme", projects: ["acme", "globex-staging"], faults: [] },
    clock: { now: NOW.toISOString(), timeScale: 1 },
    baseUrl: `${origin}/v1`,
    world: "",
    maxAttempts: 8,
  });
  const [topic] = routing.topics;
  const topicId = topic?.id;
  expect(topic).toMatchObject({ name: "lifecycle" });
  expect(routing.events).toContain("read.triggered.error");
  expect(routing.eventRoutes).toMatchObject([{ eventType: "connection.error", topicId }]);
  expect(routing.destinationRoutes).toMatchObject([{ topicId, destinationId: ops }]);
  expect(routing.destinations).toMatchObject([{ id: ops, name: "ops", state: "active" }]);
  expect(eventTypes.map(({ type }) => type)).toContain("read.message");
  expect(eventTypes[0]?.data).toMatchObject({ provider: "hubspot" });
  const healths = installations.map(({ health }) => health);
  expect(healths).toEqual(
    healths.toSorted((a, b) => "fah".indexOf(a[0] ?? "") - "fah".indexOf(b[0] ?? "")),
  );
  expect(installations[0]).toMatchObject({ health: "failing", reason: expect.any(String) });
});

test("events are listed newest first, by page, and filtered", async () => {
  const { ask, ops, sandbox, trigger } = await controlled({}, (number) => (number > 2 ? 500 : 204));
  const ids: string[] = [];
  for (const groupName of ["One", "Two", "Three"]) {
    ids.unshift(...(await trigger({ groupName })).eventIds);
    await expect.poll(() => sandbox.events.history.attempts.length).toBe(ids.length);
  }
  await ask("trigger", { type: "read.async.done" });
  const list = async (query: string) => {
    const { events, more } = await ask<{ events: EventRow[]; more: boolean }>(`events?${query}`);
    return [events.map(({ id }) => id), more];
  };
  const known = "event=connection.error";
  expect(await list(known)).toEqual([ids, false]);
  expect(await list(`${known}&limit=2`)).toEqual([ids.slice(0, 2), true]);
  expect(await list(`${known}&limit=2&before=${ids[1]}`)).toEqual([ids.slice(2), false]);
  expect(await list("before=evt_gone")).toEqual([[], false]);
  expect(await list("search=TWO")).toEqual([[ids[1]], false]);
  expect(await list("result=retrying")).toEqual([[ids[0]], false]);
  expect((await list("result=nobody"))[0]).toHaveLength(1);
  expect(await list(`destination=${ops}&result=delivered`)).toEqual([ids.slice(1), false]);
  expect(await list("project=globex-staging")).toEqual([[], false]);
});

test.each([
  ["status", { status: 418 }, { status: 418, error: "failed by the sandbox: 418" }],
  ["timeout", {}, { error: "failed by the sandbox: timeout" }],
  ["reset", {}, { error: "failed by the sandbox: connection reset" }],
])("the next deliveries fail by %s, and the clock brings them", async (kind, more, shown) => {
  const { ask, receiver, sandbox, trigger } = await controlled();
  const failed = await ask("faults", { destination: "ops", next: 2, kind, ...more });
  expect(failed).toEqual({ faults: [expect.objectContaining({ kind, left: 2 })] });
  const { eventIds } = await trigger();
  await expect.poll(() => sandbox.events.history.attempts.length).toBe(1);
  expect((await ask<PageState>("state")).faults).toMatchObject([{ left: 1 }]);
  expect(await ask("clock", { forward: "1h" })).toEqual({
    now: new Date(NOW.getTime() + 3_600_000).toISOString(),
  });
  // The second attempt after 5 s, the third after 5 minutes more: each at its own time.
  const { messages } = await ask<EventDetail>(`events/${eventIds[0]}`);
  const { tries = [], result } = messages[0] ?? {};
  const ends = tries.map(({ time }) => (Date.parse(time) - NOW.getTime()) / 1000);
  expect([ends, result]).toEqual([[0, 5, 305], "delivered"]);
  expect(tries[0]).toMatchObject({ outcome: "failed", ...shown });
  expect([tries[0]?.request, tries[0]?.signature]).toEqual([undefined, undefined]);
  expect(receiver.got).toHaveLength(1);
  // A receiver goes by its own clock.
  expect(receiver.got[0]?.headers["svix-timestamp"]).toBe(String(NOW.getTime() / 1000));
  expect((await ask<PageState>("state")).faults).toEqual([]);
});

test("a destination that fails for five days on the clock is disabled", async () => {
  const late = (response: ServerResponse) =>
    void setTimeout(() => response.writeHead(500).end(), 300);
  const { ask, sandbox, trigger } = await controlled({}, (number) => (number === 1 ? late : 500));
  await trigger();
  // The first attempt is still in progress, and what follows it belongs in that time.
  await ask("clock", { forward: "121h" });
  expect(sandbox.events.history.attempts).toHaveLength(8);
  expect((await ask<PageState>("state")).routing.destinations).toMatchObject([
    { state: "disabled" },
  ]);
});

test("a paused destination gets nothing until it is resumed", async () => {
  const { ask, ops, receiver, sandbox, send, trigger } = await controlled();
  expect(await ask("pause", { destination: "ops", paused: true })).toEqual({
    ...{ name: "ops", destination: ops, paused: true },
  });
  const { eventIds } = await trigger();
  await ask("clock", { forward: "10m" });
  expect(receiver.got).toHaveLength(0);
  const [id] = eventIds;
  expect((await send("/_sandbox/redeliver", { id })).status).toBe(409);
  expect(await ask("events")).toMatchObject({ events: [{ messages: [{ result: "waiting" }] }] });
  await ask("pause", { destination: ops, paused: false });
  await expect.poll(() => receiver.got.length).toBe(1);
  await sandbox.events.settled();
  expect(await ask("redeliver", { id })).toEqual({ attempts: 1 });
  expect(receiver.got).toHaveLength(2);
});

test("a reset brings the world back, without events, faults, pauses and time", async () => {
  const { ask, sandbox, trigger, ops, receiver } = await controlled({
    state: { ...UNROUTED, id: "first" },
  });
  const began = sandbox.world;
  await ask("faults", { kind: "reset" });
  await ask("pause", { destination: ops, paused: true });
  await trigger();
  await ask("clock", { forward: "3h" });
  const { now, world } = await ask<{ now: string; world: string }>("reset", {});
  expect([now, world === "first"]).toEqual([NOW.toISOString(), false]);
  expect(sandbox.world.destinations).toEqual(UNROUTED.destinations);
  const state = await ask<PageState>("state");
  expect([state.faults, state.routing.topics]).toEqual([[], []]);
  expect(await ask("events")).toEqual({ events: [], more: false });
  expect(receiver.got).toHaveLength(0);
  // What is made anew has the same ID.
  const { destinations } = began;
  const metadata = destinations.find(({ id }) => id === ops)?.metadata ?? {};
  expect(await create(sandbox, "destinations", { name: "ops", type: "webhook", metadata })).toBe(
    ops,
  );
});

test("a fault script fails requests of the API until the reset", async () => {
  const { ask, origin } = await controlled();
  const list = async () =>
    (
      await fetch(`${origin}/v1/projects/acme/topics`, {
        headers: { "x-api-key": "sandbox-api-key" },
      })
    ).status;
  await ask("faults", { faults: [{ on: "GET topics", do: "status", status: 500, commit: false }] });
  expect(await list()).toBe(500);
  await ask("reset", {});
  expect(await list()).toBe(200);
});

test.each([
  ["faults", { kind: "rain" }, "kind"],
  ["faults", { kind: "reset", next: 0 }, "next"],
  ["faults", { kind: "status", status: 204 }, "status"],
  ["faults", { kind: "reset", destination: "no" }, "destination"],
  ["faults", { faults: [{ on: "GET x", do: "dance" }] }, "faults"],
  ["clock", { forward: "yesterday" }, "forward"],
  ["clock", {}, "forward"],
  ["pause", { destination: "ops" }, "paused"],
  ["reset", { all: true }, "all"],
  ["trigger", {}, "type"],
  ["trigger", { type: "x", data: [] }, "data"],
  ["trigger", { type: "conection.error" }, "type"],
  ["redeliver", {}, "id"],
])("a wrong body is a problem with its place: %s %j", async (act, body, name) => {
  const { send } = await controlled();
  const answer = await send(`/_sandbox/${act}`, body);
  expect(answer.status).toBe(422);
  type Problem = { detail: string; issues: { name: string; detail: string }[] };
  const { detail, issues } = (await answer.json()) as Problem;
  expect(issues.map((issue) => issue.name)).toContain(name);
  for (const issue of issues) expect(detail).toContain(`${issue.name}: ${issue.detail}`);
});

test("a stream says what happens, and ends with the sandbox", async () => {
  const { control, send, trigger, ask } = await controlled();
  const answer = await send("/_sandbox/stream?project=acme");
  expect(answer.headers.get("content-type")).toBe("text/event-stream");
  const lines: string[] = [];
  const reader = createInterface({ input: Readable.fromWeb(answer.body as never) });
  reader.on("line", (line) => lines.push(line));
  const { eventIds } = await trigger();
  await ask("faults", { kind: "reset" });
  const said = () => lines.filter((line) => line.startsWith("event:"));
  await expect
    .poll(() => new Set(said()))
    .toEqual(new Set(["event: event", "event: attempt", "event: state"]));
  const attempt = JSON.parse(lines[lines.indexOf("event: attempt") + 1]?.slice(6) ?? "");
  expect(attempt).toMatchObject({ eventId: eventIds[0], message: { destinationName: "ops" } });
  lines.length = 0;
  await ask("reset", {});
  await expect.poll(said).toContain("event: state");
  const ended = once(reader, "close");
  control.close();
  await ended;
});

test("a burst of events is said in short: ask again", async () => {
  const { send, ask } = await controlled();
  const answer = await send("/_sandbox/stream");
  const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
  await ask("trigger", { type: "connection.error", repeat: 2000 });
  let text = "";
  while (!text.includes("event: state")) text += Buffer.from((await reader.read()).value ?? []);
  expect(text.match(/event: event/gu)?.length ?? 0).toBeLessThan(1000);
  await reader.cancel();
});

test("the clock in parts brings the same attempts as the clock at once", async () => {
  const after = async (parts: readonly number[]) => {
    const { sandbox, control } = composeSandbox({ now: () => NOW, state: UNROUTED });
    try {
      const ops = await webhook(sandbox, "ops", "http://127.0.0.1:9/");
      await route(sandbox, "lifecycle", ["connection.error"], [ops]);
      await control.acts.faults({ kind: "reset", next: 100 });
      await control.acts.trigger({ type: "connection.error", repeat: 2 }, "http://localhost");
      for (const minutes of parts) await control.acts.clock({ forward: `${minutes}m` });
      return sandbox.events.history.attempts
        .map(({ attempt, time }) => `${attempt} ${time}`)
        .toSorted();
    } finally {
      await sandbox.events.close();
    }
  };
  const minutes = fc.array(fc.integer({ min: 1, max: 700 }), { minLength: 1, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(minutes, async (parts) => {
      expect(await after(parts)).toEqual(await after([parts.reduce((sum, one) => sum + one, 0)]));
    }),
    { numRuns: 25 },
  );
});
