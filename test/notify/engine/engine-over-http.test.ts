import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { createClient } from "../../../src/api/client/client.ts";
import { AmpError } from "../../../src/errors.ts";
import { createEngine } from "../../../src/notify/engine/engine.ts";
import type { LockedState, StateBackend } from "../../../src/notify/state/backend.ts";
import { SANDBOX_API_KEY } from "../../../src/sandbox/defaults.ts";
import type { FaultScript } from "../../../src/sandbox/faults/script.ts";
import { createFaultySandbox } from "../../faulty-sandbox.ts";
import { UNROUTED } from "../../unrouted.ts";
import { ownedBy } from "../state/state-fixture.ts";
import { EIGHT } from "./routings.ts";
import { ENGINE_OPTIONS } from "./simulated-process.ts";

/** The engine over the real client, with the embedded platform behind it. */
function overTheWire(script: FaultScript) {
  const sandbox = createFaultySandbox({ script, state: UNROUTED });
  const api = createClient({
    baseUrl: "http://localhost/v1",
    credential: { kind: "api-key", secret: SANDBOX_API_KEY },
    timeoutMs: 200,
    signal: new AbortController().signal,
    userAgent: "amp/test",
    fetch: (request) => sandbox.fetch(request),
  });
  const engine = createEngine({
    api,
    project: "acme",
    ...ownedBy({ origin: "http://localhost", basePath: "/v1", project: "acme" }),
    backend: memory(),
    command: "amp notify apply",
    signal: new AbortController().signal,
    options: { ...ENGINE_OPTIONS, commitHorizonMs: 500, answerMs: 200 },
    serviceTime: () => undefined,
    elapsed: () => performance.now(),
    now: () => new Date(),
    sleep: (ms, signal) => delay(ms, undefined, { signal }),
    uuid: () => crypto.randomUUID(),
    onEvent: () => {},
  });
  return { engine, sandbox };
}

function memory(): StateBackend {
  let text: string | undefined;
  const held: LockedState = {
    read: async () => text,
    check: async () => {},
    write: async (next) => {
      text = next;
    },
  };
  return {
    location: "memory",
    local: true,
    read: held.read,
    unlock: async () => {},
    withLock: (_, work) => work(held),
  };
}

type Rule = NonNullable<FaultScript["faults"]>[number];

const POSTS = [
  "POST destinations",
  "POST topics",
  "POST notification-event-topic-routes",
  "POST topic-destination-routes",
];

const FAULTS: Readonly<Record<string, (on: string) => Rule>> = {
  "a reset before it is done": (on) => ({ on, nth: 1, do: "reset", commit: false }),
  "a reset after it is done": (on) => ({ on, nth: 1, do: "reset" }),
  "half an answer": (on) => ({ on, nth: 1, do: "cut" }),
  "an empty answer": (on) => ({ on, nth: 1, do: "empty" }),
  "a portal's page": (on) => ({ on, nth: 1, do: "html", commit: false }),
  "no id": (on) => ({ on, nth: 1, do: "no-id" }),
  "a gateway's 502": (on) => ({ on, nth: 1, do: "status", status: 502 }),
  "a redirect": (on) => ({ on, nth: 1, do: "status", status: 307, commit: false }),
  "429": (on) => ({ on, nth: 1, do: "status", status: 429, commit: false, retryAfter: 0 }),
  "a time-out": (on) => ({ on, nth: 1, do: "slow", ms: 250 }),
  "a time-out, and done late": (on) => ({ on, nth: 1, do: "slow", ms: 250, late: true }),
};

describe.each(Object.entries(FAULTS))("%s", (_, fault) => {
  it.each(POSTS)("at %s leaves one of each behind", async (on) => {
    const { engine, sandbox } = overTheWire({ uniqueNames: false, faults: [fault(on)] });
    // A create that was not done ends the run; the next one does the rest.
    const receipt = await engine.apply(EIGHT).catch((error: AmpError) => {
      expect(error.message).toMatch(/was not created/u);
      return engine.apply(EIGHT);
    });
    await sandbox.idle();
    expect(receipt.settled).toHaveLength(8);
    expect(receipt.duplicates).toEqual([]);
    const { world } = sandbox;
    const ids = [
      ...world.destinations,
      ...world.topics,
      ...world.eventRoutes,
      ...world.destinationRoutes,
    ].map(({ id }) => id);
    const known = receipt.settled.map(({ id }) => id);
    const mine = ids.filter((id) => known.includes(id));
    expect(mine).toHaveLength(8);
    const made = sandbox.log.flatMap(({ created }) => created ?? []);
    expect(made.toSorted()).toEqual(mine.toSorted());
    for (const { requestId, outcome, earlier } of receipt.settled) {
      if (outcome === "created" && !earlier) expect(requestId).toEqual(expect.any(String));
    }
  });
});

describe("every create", () => {
  it("goes out with the key of its intent", async () => {
    const { engine, sandbox } = overTheWire({});
    await engine.apply(EIGHT);
    const keys = sandbox.log.flatMap(({ method, idempotencyKey }) =>
      method === "POST" ? [idempotencyKey] : [],
    );
    expect(new Set(keys).size).toBe(8);
  });

  it("that is unknown to a service without lists keeps the request's id in its report", async () => {
    const on = "POST topics";
    const headers = { "x-request-id": "req#1" };
    const fault: Rule = { on, nth: 1, do: "status", status: 500, headers };
    const { engine } = overTheWire({ lists: false, faults: [fault] });
    const error = await engine.apply(EIGHT).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(AmpError);
    const [unknown] = error.facts.data.unknown;
    expect(unknown).toMatchObject({ address: "topic/health", requestId: "req#1" });
    expect(error.facts.requestId).toBe("req#1");
  });
});
