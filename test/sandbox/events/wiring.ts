import { expect, onTestFinished } from "vitest";
import type { AttemptRecord } from "../../../src/sandbox/events/delivery.ts";
import type { EventOptions } from "../../../src/sandbox/events/platform-events.ts";
import type { Sandbox, SandboxOptions } from "../../../src/sandbox/sandbox.ts";
import { type Asked, ask, fresh } from "../ask.ts";
import { type Answer, type Receiver, receive } from "./receiver.ts";

/** As fast as it goes: 10 hours in 36 ms. */
export const FAST = 1_000_000;

/** A sandbox whose deliveries end with the test. */
export function delivering(events: EventOptions = {}, more: SandboxOptions = {}): Sandbox {
  const sandbox = fresh({ ...more, events: { timeScale: FAST, ...events } });
  onTestFinished(() => sandbox.events.close());
  return sandbox;
}

export async function receiving(answer?: (number: number) => Answer): Promise<Receiver> {
  const receiver = await receive(answer);
  onTestFinished(() => receiver[Symbol.asyncDispose]());
  return receiver;
}

export const create = async (sandbox: Sandbox, path: string, body: object): Promise<string> => {
  const { status, body: made, text } = await ask(sandbox, `POST /projects/acme/${path}`, body);
  expect(status, text).toBe(201);
  return made.id;
};

export const webhook = (sandbox: Sandbox, name: string, url: string, more: object = {}) =>
  create(sandbox, "destinations", { name, type: "webhook", metadata: { url, ...more } });

/** A topic with its routes, from event types to destinations. */
export async function route(
  sandbox: Sandbox,
  name: string,
  types: readonly string[],
  to: string[],
) {
  const topicId = await create(sandbox, "topics", { name });
  for (const eventType of types) {
    await create(sandbox, "notification-event-topic-routes", { topicId, eventType });
  }
  for (const destinationId of to) {
    await create(sandbox, "topic-destination-routes", { topicId, destinationId });
  }
  return topicId;
}

export const trigger = (sandbox: Sandbox, type: string, more: object = {}): Promise<Asked> =>
  ask(sandbox, "POST /sandbox/projects/acme/events", { type, ...more });

export const secretOf = async (sandbox: Sandbox, name: string): Promise<string> =>
  (await ask(sandbox, `GET /projects/acme/destinations/${name}?includeSecrets=true`)).body.secrets
    .webhookSigningKey;

export const attemptsOf = async (sandbox: Sandbox, query = ""): Promise<AttemptRecord[]> =>
  (await ask(sandbox, `GET /sandbox/projects/acme/deliveries${query}`)).body;

/** One webhook that a topic with one event type leads to, and its receiver. */
export async function wired(events: EventOptions = {}, answer?: (number: number) => Answer) {
  const sandbox = delivering(events);
  const receiver = await receiving(answer);
  const id = await webhook(sandbox, "ops", receiver.url);
  await route(sandbox, "lifecycle", ["connection.error"], [id]);
  return { sandbox, receiver, id };
}
