import { type Capture, jsonBody, messageType } from "../events/capture.ts";
import { type Examination, examineSignature } from "../events/diagnosis.ts";
import { isAccepted } from "../events/message.ts";
import { isLocalName } from "../runtime/loopback.ts";
import { type Filter, matches } from "../values/filter.ts";
import { defined, isJsonObject, valueAt } from "../values/json.ts";
import { matchesPattern } from "../values/nearest.ts";
import { type Forwarded, type ForwardResult, forward } from "./forward.ts";
import type { ReceivedRequest, SenderAnswer } from "./receiver.ts";

/** One message that arrived, as output shows it. */
export interface ArrivedMessage {
  readonly time: string;
  /** The ID of the message; absent where no header has it. */
  readonly id?: string;
  /** The event type, or `read.message` and `subscribe.message`; absent for anything else. */
  readonly event?: string;
  readonly bytes: number;
  readonly signature: Pick<Examination, "valid" | "problem" | "reason" | "mistakes" | "advice">;
  /** The status for the sender; absent for a message that was sent again without an answer. */
  readonly status?: number;
  readonly ms: number;
  readonly forward?: Forwarded;
  /** The body as JSON, or as text; only with `--verbose`. */
  readonly body?: unknown;
}

/** How many requests came to what. */
export interface Counts {
  /** Messages that match the filters. */
  messages: number;
  /** The messages whose signature is not valid. */
  invalid: number;
  /** The messages that the application did not accept. */
  notAccepted: number;
  /** Messages of other event types, or that a filter left out. */
  others: number;
  /** Requests that are no messages. */
  refused: number;
}

export function newCounts(): Counts {
  return { messages: 0, invalid: 0, notAccepted: 0, others: 0, refused: 0 };
}

/** The options for each message of a session. */
export interface ReceptionOptions {
  readonly secrets: readonly string[];
  /** Event types, with `*` for any characters; none: all. */
  readonly events: readonly string[];
  readonly filters: readonly Filter[];
  readonly forwardTo?: URL | undefined;
  /** The status for every message, whatever becomes of it. */
  readonly respond?: number | undefined;
  readonly verbose: boolean;
  /** The hosts by which others reach this machine, such as that of a tunnel. */
  readonly hosts: readonly string[];
  readonly signal: AbortSignal;
  readonly save?: ((capture: Capture) => Promise<void>) | undefined;
  /** Called when the answer is known, before it is sent. */
  readonly onMessage: (message: ArrivedMessage) => Promise<void>;
  readonly onRefused: (reason: string) => void;
}

/** Decides about messages, and counts them. */
export function createSession(options: ReceptionOptions) {
  const counts = newCounts();
  const { respond, signal, verbose, onMessage } = options;
  return {
    counts: counts as Readonly<Counts>,
    handle: async (request: ReceivedRequest): Promise<SenderAnswer> => {
      const began = performance.now();
      const { headers, body, time } = request;
      const { secrets } = options;
      const signature = examineSignature(request, { secrets, now: time, receivedAt: time });
      const foreign = signature.valid ? undefined : foreignSender(request, options.hosts);
      if (foreign !== undefined) {
        counts.refused += 1;
        options.onRefused(foreign);
        return { status: 403, body: `${foreign}\n` };
      }
      const json = jsonBody(body);
      const event = messageType(json);
      if (!isWanted(options, event, json)) {
        counts.others += 1;
        return { status: respond ?? 204 };
      }
      counts.messages += 1;
      if (!signature.valid) counts.invalid += 1;
      await options.save?.({ ...request, receivedAt: time });
      const result =
        options.forwardTo && (await forward({ headers, body }, options.forwardTo, { signal }));
      if (result && !isAccepted(result.forwarded)) counts.notAccepted += 1;
      const answer = answerFor(signature, result, respond);
      const { id, valid, problem, reason, mistakes, advice } = signature;
      await onMessage(
        defined({
          time: time.toISOString(),
          id,
          event,
          bytes: body.byteLength,
          signature: valid
            ? { valid }
            : { valid, ...defined({ problem, reason, mistakes, advice }) },
          status: answer.status,
          ms: Math.round(performance.now() - began),
          forward: result?.forwarded,
          body: verbose ? (json ?? Buffer.from(body).toString("utf8")) : undefined,
        }),
      );
      return answer;
    },
  };
}

/** True if a message has one of the event types and meets all filters. */
export function isWanted(
  { events, filters }: Pick<ReceptionOptions, "events" | "filters">,
  event: string | undefined,
  body: unknown,
): boolean {
  const isOfType =
    events.length === 0 || events.some((pattern) => matchesPattern(pattern, event ?? ""));
  const record = { event, ...(isJsonObject(body) ? body : {}) };
  return isOfType && filters.every((filter) => matches(filter, record, inDataToo));
}

/** Fields of notifications are below `data`, which need not be typed. */
function inDataToo(record: unknown, name: string): unknown {
  return valueAt(record, name) ?? valueAt(record, `data.${name}`);
}

/** The answer that a receiver that verifies signatures would give. */
function answerFor(
  { valid, reason }: Examination,
  result: ForwardResult | undefined,
  respond: number | undefined,
): SenderAnswer {
  if (respond !== undefined) return { status: respond };
  if (result !== undefined) return result.answer;
  return valid ? { status: 204 } : { status: 401, body: `amp listen: ${reason}\n` };
}

/**
 * Why a request without a valid signature is no message: a web page that the user happens to visit
 * can send requests to this machine, also by a name of its own (DNS rebinding).
 */
function foreignSender(
  { headers }: Pick<ReceivedRequest, "headers">,
  hosts: readonly string[],
): string | undefined {
  const header = (wanted: string) => headers.find(([name]) => name.toLowerCase() === wanted)?.[1];
  const host = header("host") ?? "localhost";
  const hostName = URL.parse(`http://${host}`)?.hostname;
  if (hostName === undefined || !(isLocalName(hostName) || hosts.includes(hostName))) {
    return `the Host header names ${host}, which is not this machine`;
  }
  const origin = header("origin");
  const from = origin === undefined ? "localhost" : URL.parse(origin)?.hostname;
  if (from !== undefined && (isLocalName(from) || hosts.includes(from))) return undefined;
  return `a web page of ${origin} sent it`;
}
