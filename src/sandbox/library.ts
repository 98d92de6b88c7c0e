import { setTimeout as pause } from "node:timers/promises";
import { deliveryOf, headersByName, jsonBody } from "../events/delivery.ts";
import { examineSignature } from "../events/examine.ts";
import { startReceiver } from "../events/listen/receiver.ts";
import { secretProblem } from "../events/message/signature.ts";
import { asList } from "../values/basics.ts";
import { CONTROL_PATH, composeSandbox } from "./control/control.ts";
import { SANDBOX_ACCESS_TOKEN, SANDBOX_API_KEY } from "./defaults.ts";
import type { AttemptRecord } from "./events/delivery.ts";
import type { FaultScript } from "./faults/script.ts";
import { newWorld, readSeed } from "./seed/seed-file.ts";
import { serveSandbox } from "./serve.ts";

/** A fault of requests to the API, as a line of a fault script: `{ on: "POST topics", do: "reset" }`. */
export interface ApiFault {
  readonly on: string;
  readonly do: string;
  readonly nth?: number;
  readonly times?: number;
  readonly [more: string]: unknown;
}

/** Deliveries that fail without being sent. */
export interface FailedDeliveries {
  readonly kind: "status" | "timeout" | "reset";
  /** The status of the answer, for the kind `status`; default: 503. */
  readonly status?: number;
  /** The name or ID of a destination; default: all. */
  readonly destination?: string;
  /** How many; default: one. */
  readonly next?: number;
}

/** The options of {@link startSandbox}. */
export interface StartOptions {
  /** Default: any free port. */
  readonly port?: number;
  /** A parsed seed file, as `amp sandbox export` writes it; default: the sample data. */
  readonly world?: object;
  readonly faults?: readonly ApiFault[];
  readonly clock?: {
    /** The time at which the sandbox begins; default: now. */
    readonly start?: Date | string;
    /** How many times as fast as the platform's the waits between attempts pass; default: 1. */
    readonly timeScale?: number;
  };
}

/** One attempt to deliver a message of an event. */
export interface SandboxDelivery {
  readonly eventId: string;
  readonly event: string;
  /** Equal for every attempt at one message: the value of its header `svix-id`. */
  readonly messageId: string;
  /** The name of the destination. */
  readonly destination: string;
  readonly attempt: number;
  readonly time: string;
  readonly outcome: "delivered" | "failed" | "aborted" | "not_sent";
  readonly status?: number | undefined;
  readonly error?: string | undefined;
  readonly nextAttemptTime?: string | undefined;
}

/** Which deliveries {@link RunningSandbox.deliveries} returns. */
export interface DeliveryQuery {
  /** An event type or the ID of an event; default: all. */
  readonly event?: string;
  /** Waits for so many, or until the function returns true; default: returns at once. */
  readonly until?: number | ((deliveries: readonly SandboxDelivery[]) => boolean);
  /** The milliseconds after which waiting fails; default: 5,000. */
  readonly timeoutMs?: number;
}

/** A sandbox that runs in this process. */
export interface RunningSandbox {
  /** The base URL of its API, which ends in `/v1`. */
  readonly url: string;
  /** The credentials of its API, and the token of its control by HTTP. */
  readonly keys: { readonly apiKey: string; readonly accessToken: string; readonly token: string };
  /** The URL of its page, with the token. */
  readonly page: string;
  /** Brings back the world as it began, without events, faults and pauses. */
  reset(): Promise<void>;
  /** Fails the next deliveries; or replaces the faults of requests to the API. */
  faults(script: FailedDeliveries | readonly ApiFault[]): Promise<void>;
  /**
   * Lets an event occur.
   * @param fields replace those of the sample
   * @returns the IDs of the events
   */
  trigger(
    event: string,
    fields?: Readonly<Record<string, unknown>>,
    options?: {
      readonly project?: string;
      readonly installationId?: string;
      readonly repeat?: number;
    },
  ): Promise<readonly string[]>;
  /**
   * The attempts at deliveries so far, the oldest first.
   * @throws {Error} if what is waited for does not happen in time
   */
  deliveries(query?: DeliveryQuery): Promise<readonly SandboxDelivery[]>;
  readonly clock: {
    now(): Date;
    /** Lets time pass, such as `1h`: what is due meanwhile is attempted, each at its own time. */
    forward(duration: string): Promise<Date>;
  };
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Starts a sandbox on this machine. Any number may run in one process. */
export async function startSandbox(options: StartOptions = {}): Promise<RunningSandbox> {
  const { port = 0, clock = {}, faults = [] } = options;
  const startsAt = clock.start === undefined ? undefined : new Date(clock.start);
  const { sandbox, control, http } = composeSandbox({
    state: newWorld(options.world && readSeed(options.world), startsAt ?? new Date()),
    startsAt,
    script: { faults } as FaultScript,
    events: { timeScale: clock.timeScale },
  });
  const server = await serveSandbox(http, { port });
  const { acts, token } = control;
  const { events, parts } = sandbox;
  const { origin } = new URL(server.url);
  const deliveriesOf = (event: string | undefined) =>
    events.history.attempts
      .filter(
        ({ eventId, eventType }) => event === undefined || [eventId, eventType].includes(event),
      )
      .map(shownDelivery);
  const close = async () => {
    control.close();
    await server.close();
    await events.close();
  };
  return {
    url: server.url,
    keys: { apiKey: SANDBOX_API_KEY, accessToken: SANDBOX_ACCESS_TOKEN, token },
    page: `${origin}${CONTROL_PATH}#${token}`,
    reset: async () => void (await acts.reset({})),
    faults: async (script) =>
      void (await acts.faults("kind" in script ? script : { faults: script })),
    trigger: async (type, data, more) =>
      (await acts.trigger({ type, ...(data && { data }), ...more }, origin)).eventIds,
    deliveries: async ({ event, until, timeoutMs } = {}) => {
      const isDone = (found: readonly SandboxDelivery[]) =>
        typeof until === "function" ? until(found) : found.length >= (until ?? 0);
      return waitFor(() => deliveriesOf(event), isDone, timeoutMs);
    },
    clock: {
      now: parts.now,
      forward: async (duration) => new Date((await acts.clock({ forward: duration })).now),
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

function shownDelivery(made: AttemptRecord): SandboxDelivery {
  const { eventId, eventType: event, messageId, destinationId, destinationName } = made;
  const { attempt, time, outcome, status, error, nextAttemptTime } = made;
  const destination = destinationName ?? destinationId;
  const message = { eventId, event, messageId, destination };
  return { ...message, attempt, time, outcome, status, error, nextAttemptTime };
}

/** What was read once it is as wanted. @throws {Error} with what there was when time was up */
async function waitFor<Found>(
  read: () => readonly Found[],
  isDone: (found: readonly Found[]) => boolean,
  timeoutMs = 5_000,
): Promise<readonly Found[]> {
  const end = performance.now() + timeoutMs;
  for (;;) {
    const found = read();
    if (isDone(found)) return found;
    if (performance.now() > end) {
      const seen = JSON.stringify(found, (name, value) => (name === "body" ? undefined : value), 1);
      throw new Error(`Not within ${timeoutMs / 1000} s. So far: ${seen}`);
    }
    await pause(10);
  }
}

/** A `Request`, or the headers and the body that another framework has. */
export type ReceivedWebhook =
  | { readonly headers: Iterable<readonly [string, string]>; arrayBuffer(): Promise<ArrayBuffer> }
  | {
      readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
      /** As it came: the signature is over its bytes. */
      readonly body: string | Uint8Array;
    };

/** A webhook, with the verdict about its signature. */
export interface VerifiedWebhook {
  readonly valid: boolean;
  /** The event type. */
  readonly event?: string | undefined;
  /** Equal for every attempt at a message. */
  readonly id?: string | undefined;
  /** The body, parsed; undefined if it is not JSON. */
  readonly payload: unknown;
  /** Why the signature is not valid. */
  readonly reason?: string | undefined;
  /** What to change where it is not. */
  readonly advice: readonly string[];
}

/**
 * Checks the signature of a webhook, and finds common mistakes where it is not valid.
 * @param secret the signing secret of the destination, or several during a rotation
 * @throws {Error} if a secret cannot be used
 */
export async function verifyWebhook(
  request: ReceivedWebhook,
  secret: string | readonly string[],
): Promise<VerifiedWebhook> {
  if ("arrayBuffer" in request) {
    return verified([...request.headers], Buffer.from(await request.arrayBuffer()), asList(secret));
  }
  const headers = Object.entries(request.headers).flatMap(([name, value]) =>
    asList<string>(value).map((one) => [name, one] as const),
  );
  return verified(headers, Buffer.from(request.body), asList(secret));
}

function verified(
  headers: readonly (readonly [string, string])[],
  body: Uint8Array,
  secrets: readonly string[],
): VerifiedWebhook {
  const problem = secrets.map(secretProblem).find((one) => one !== undefined);
  if (problem !== undefined) throw new Error(problem);
  const { id, event } = deliveryOf({ headers, body });
  const verdict = examineSignature({ headers, body }, { secrets, now: new Date() });
  const { valid, reason, advice = [] } = verdict;
  return { valid, event, id, payload: jsonBody(body), reason, advice };
}

/** The options of {@link startListener}. */
export interface ListenerOptions {
  /** Default: any free port. */
  readonly port?: number;
  /** The signing secrets of the destination; default: signatures are not checked. */
  readonly secret?: string | readonly string[];
  /** The status of each answer; default: 204. */
  readonly answer?: number | ((message: ReceivedMessage) => number | Promise<number>);
}

/** A message that a listener received. */
export interface ReceivedMessage extends Omit<VerifiedWebhook, "valid"> {
  /** Absent without a secret. */
  readonly valid?: boolean;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** A receiver of webhooks that runs in this process. */
export interface Listener {
  /** The URL for a destination. */
  readonly url: string;
  /** The messages so far, the oldest first. */
  readonly messages: readonly ReceivedMessage[];
  /**
   * The messages once there are so many.
   * @throws {Error} if they do not come in time, by default in 5,000 ms
   */
  received(count: number, timeoutMs?: number): Promise<readonly ReceivedMessage[]>;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Starts a receiver of webhooks on this machine. */
export async function startListener(options: ListenerOptions = {}): Promise<Listener> {
  const { port = 0, secret, answer = 204 } = options;
  const messages: ReceivedMessage[] = [];
  const server = await startReceiver({
    host: "127.0.0.1",
    port,
    now: () => new Date(),
    onRefused: () => {},
    handle: async ({ headers, body }) => {
      const { valid, ...facts } = verified(headers, body, asList(secret));
      const unchecked = { ...facts, reason: undefined, advice: [] };
      const verdict = secret === undefined ? unchecked : { ...facts, valid };
      const message = { ...verdict, headers: headersByName({ headers }), body };
      messages.push(message);
      return { status: typeof answer === "number" ? answer : await answer(message) };
    },
  });
  return {
    url: server.url,
    messages,
    received: (count, timeoutMs) =>
      waitFor(
        () => [...messages],
        ({ length }) => length >= count,
        timeoutMs,
      ),
    close: server.close,
    [Symbol.asyncDispose]: server.close,
  };
}
