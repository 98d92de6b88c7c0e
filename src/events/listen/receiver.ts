import { randomUUID } from "node:crypto";
import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeader,
  type ServerResponse,
} from "node:http";
import type { ListenCounts, MessageAttempt, SignatureVerdict } from "../../documents/events.ts";
import { type LocalServer, listenAt } from "../../runtime/local-server.ts";
import { isLocalName } from "../../runtime/loopback.ts";
import { readWithin } from "../../values/basics.ts";
import { sizeText } from "../../values/counted.ts";
import { alternatives, type Filter, matches } from "../../values/filter.ts";
import { isJsonObject, valueAt } from "../../values/json.ts";
import { matchesPattern } from "../../values/nearest.ts";
import { suggest } from "../../values/suggested-command.ts";
import { attemptOf, type Delivery, deliveryOf, headersByName, jsonBody } from "../delivery.ts";
import { examineSignature } from "../examine.ts";
import { isAccepted } from "../message/payloads.ts";
import { CONNECTION_HEADERS, post, sentHeaders } from "../message/post.ts";
import { SIGNATURE_HEADERS, signatureHeaders } from "../message/signature.ts";

type ReceivedRequest = Pick<Delivery, "headers" | "body"> & { readonly time: Date };

interface SenderAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, OutgoingHttpHeader>>;
  readonly body?: Uint8Array | string;
}

interface ReceiverOptions {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  readonly now: () => Date;
  /** Decides about a whole request; several may be decided at once. */
  readonly handle: (request: ReceivedRequest) => Promise<SenderAnswer>;
  /** Called for a request that is refused before it was read whole. */
  readonly onRefused: (refusal: { readonly status: number; readonly reason: string }) => void;
  /** In milliseconds; a test shortens it. */
  readonly requestTimeoutMs?: number;
}

/** The platform sends up to 300 KB; what is larger than this is not a message of it. */
const MAX_REQUEST_BYTES = 2 ** 20;

/** The platform gives up after 15 s, so a request that takes longer to arrive is of no use. */
const REQUEST_MS = 15_000;

/**
 * Starts a server that hands over each POST with the bytes and headers as they came.
 * @throws {ConflictError} where the port is in use
 * @throws {UsageError} where the address cannot be used
 */
export async function startReceiver(options: ReceiverOptions): Promise<LocalServer> {
  const { host, port, requestTimeoutMs = REQUEST_MS } = options;
  const server = createServer(
    {
      requestTimeout: requestTimeoutMs,
      headersTimeout: requestTimeoutMs,
      // Node looks for slow clients at this interval only.
      connectionsCheckingInterval: Math.min(1_000, requestTimeoutMs),
    },
    (request, response) => void answer(options, request, response),
  );
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    const slow = error.code === "ERR_HTTP_REQUEST_TIMEOUT";
    const [status, reason] = slow
      ? [408, "the request took too long to arrive"]
      : [400, "the request is not valid HTTP"];
    // A client that is gone has sent nothing to speak of.
    if (!socket.writable || error.code === "ECONNRESET") return void socket.destroy();
    options.onRefused({ status, reason });
    socket.end(
      `HTTP/1.1 ${status} ${slow ? "Request Timeout" : "Bad Request"}\r\nconnection: close\r\n\r\n`,
    );
  });
  return listenAt(server, {
    host,
    port,
    name: "amp listen",
    elsewhere: suggest("listen", [], { port: 0 }).asCorrection(),
  });
}

async function answer(
  options: ReceiverOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const refuse = (status: number, reason: string) => {
    options.onRefused({ status, reason });
    // The rest of the request is not read, so its connection cannot be used again.
    send(response, { status, body: `${reason}\n`, headers: { connection: "close" } });
  };
  try {
    if (request.method !== "POST") {
      return send(response, {
        status: 405,
        headers: { allow: "POST" },
        body: "amp listen accepts only POST requests.\n",
      });
    }
    // The length that it claims may be wrong.
    const isTooLarge = Number(request.headers["content-length"] ?? 0) > MAX_REQUEST_BYTES;
    const body = isTooLarge ? undefined : await readWithin(request, MAX_REQUEST_BYTES);
    if (body === undefined) {
      return refuse(413, `the body has more than ${sizeText(MAX_REQUEST_BYTES)}`);
    }
    const raw = request.rawHeaders;
    const headers = raw.flatMap((name, at): [string, string][] =>
      at % 2 === 0 ? [[name, raw[at + 1] ?? ""]] : [],
    );
    send(response, await options.handle({ headers, body, time: options.now() }));
  } catch (error) {
    // The sender went away, or the request could not be decided about.
    if (response.headersSent || !request.complete) response.destroy();
    else refuse(500, error instanceof Error ? error.message : String(error));
  }
}

function send(response: ServerResponse, { status, headers = {}, body = "" }: SenderAnswer): void {
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  const hasBody = status !== 204 && status !== 304;
  response.writeHead(status, {
    ...(typeof body === "string" && bytes.length > 0
      ? { "content-type": "text/plain; charset=utf-8" }
      : {}),
    ...headers,
    ...(hasBody ? { "content-length": bytes.length } : {}),
  });
  response.end(hasBody ? bytes : undefined);
}

/** A message that arrived: it was examined, and attempted once. */
export type ArrivedMessage = Delivery & { readonly signature: SignatureVerdict };

/** How many requests came to what. */
export type Counts = { -readonly [Name in keyof ListenCounts]: number };

/** The options for each message of a session. */
export interface ReceptionOptions {
  readonly secrets: readonly string[];
  /** Event types, with `*` for any characters; none: all. */
  readonly events: readonly string[];
  readonly filters: readonly Filter[];
  readonly forwardTo?: URL | undefined;
  /** The secrets that a valid message is signed with before it is forwarded; none: as it came. */
  readonly signWith?: readonly string[] | undefined;
  /** The status for every message, whatever becomes of it. */
  readonly respond?: number | undefined;
  /** The hosts by which others reach this machine, such as that of a tunnel. */
  readonly hosts: readonly string[];
  readonly signal: AbortSignal;
  readonly save?: ((message: Delivery) => Promise<void>) | undefined;
  /** Called when the answer is known, before it is sent. */
  readonly onMessage: (message: ArrivedMessage) => Promise<void>;
  readonly onRefused: (reason: string) => void;
}

/** Decides about messages, and counts them. */
export function createSession(options: ReceptionOptions) {
  const counts: Counts = { messages: 0, invalid: 0, notAccepted: 0, others: 0, refused: 0 };
  const { respond, secrets } = options;
  const passage = randomUUID();
  return {
    counts: counts as Readonly<Counts>,
    handle: async (request: ReceivedRequest): Promise<SenderAnswer> => {
      const began = performance.now();
      if (request.headers.some(([name, value]) => isPassage(name) && value.includes(passage))) {
        counts.refused += 1;
        options.onRefused(LOOP);
        return { status: 508, body: `amp listen: ${LOOP}\n` };
      }
      const signature = examineSignature(request, { secrets, now: request.time });
      const message = { ...deliveryOf(request), signature };
      const foreign = signature.valid ? undefined : foreignSender(request, options.hosts);
      if (foreign !== undefined) {
        counts.refused += 1;
        options.onRefused(foreign);
        return { status: 403, body: `${foreign}\n` };
      }
      if (!isWanted(options, message)) {
        counts.others += 1;
        return { status: respond ?? 204 };
      }
      counts.messages += 1;
      if (!signature.valid) counts.invalid += 1;
      const { forwardTo, signWith, signal } = options;
      const headers =
        signWith && signature.valid ? signedAgain(message, signWith) : request.headers;
      // What is saved is verified with the secret that the application has.
      await options.save?.({ ...message, headers });
      const forwarded =
        forwardTo && (await forward({ ...message, headers }, forwardTo, { signal, passage }));
      const own = signature.valid
        ? { status: 204 }
        : { status: 401, body: `amp listen: ${signature.reason}\n` };
      const returned = respond === undefined ? (forwarded?.answer ?? own) : { status: respond };
      const durationMs = Math.round(performance.now() - began);
      const attempt = forwarded?.attempt ?? attemptOf({ status: returned.status, durationMs }, {});
      const arrived = { ...message, attempts: [attempt] };
      if (isNotAccepted(arrived)) counts.notAccepted += 1;
      await options.onMessage(arrived);
      return returned;
    },
  };
}

/** Whether an application has refused a message that was forwarded to it. */
export function isNotAccepted({ attempts }: Delivery): boolean {
  return attempts.some((one) => one.url !== undefined && !isAccepted(one));
}

/**
 * With it a receiver can make the platform disable a destination or drop a message: an application
 * that is being tried must not do that.
 */
const DELIVERY_CONTROL = "webhook-delivery";

/** The header of a forwarded message: an ID of each listener that forwarded it. */
const PASSAGE = "amp-listen";

const isPassage = (name: string) => name.toLowerCase() === PASSAGE;

const LOOP = "--forward-to leads back to this listener";

/** The headers with the signature by other secrets, over the same ID, time and bytes. */
function signedAgain({ headers, body }: ArrivedMessage, secrets: readonly string[]) {
  const { id, timestamp, signature } = SIGNATURE_HEADERS;
  const { [id]: ownId = "", [timestamp]: stamp } = headersByName({ headers });
  const content = {
    id: ownId,
    time: new Date(Number(stamp) * 1000),
    body: Buffer.from(body).toString("utf8"),
  };
  const { [signature]: own = "" } = signatureHeaders(content, secrets);
  return headers.map(
    ([name, value]) => [name, name.toLowerCase() === signature ? own : value] as const,
  );
}

async function forward(
  { headers, body }: Pick<Delivery, "headers" | "body">,
  url: URL,
  { signal, passage }: Pick<ReceptionOptions, "signal"> & { readonly passage: string },
): Promise<{ readonly attempt: MessageAttempt; readonly answer: SenderAnswer }> {
  // One name, however a proxy wrote it: Node sends only the last spelling of a header.
  const passages = headers.flatMap(([name, value]) => (isPassage(name) ? [value] : []));
  const others = headers.filter(([name]) => !isPassage(name));
  const passedOn = sentHeaders([...others, [PASSAGE, [...passages, passage].join(", ")]]);
  const answer = await post(url, { headers: passedOn, body, signal });
  const to = { url, headers: passedOn };
  const { status = 0, failure, durationMs } = answer;
  if (failure === undefined) {
    const passedBack = Object.entries(answer.headers).flatMap(([name, value]) =>
      value === undefined || CONNECTION_HEADERS.has(name) || name === DELIVERY_CONTROL
        ? []
        : [[name, value] as const],
    );
    return {
      attempt: attemptOf(answer, to),
      answer: { status, headers: Object.fromEntries(passedBack), body: answer.body },
    };
  }
  const error = failure.kind === "stopped" ? "amp listen was stopped" : failure.reason;
  return {
    attempt: attemptOf({ durationMs, failure: { ...failure, reason: error } }, to),
    answer: { status: STATUS_OF[failure.kind] ?? 502, body: `amp listen: ${error}\n` },
  };
}

/** The statuses for failures, where it is not that of a gateway with a bad answer. */
const STATUS_OF: Readonly<Record<string, number>> = { late: 504, stopped: 503 };

function isWanted(
  { events, filters }: Pick<ReceptionOptions, "events" | "filters">,
  { event, body }: Delivery,
): boolean {
  const isOfType =
    events.length === 0 || events.some((pattern) => matchesPattern(pattern, event ?? ""));
  const json = jsonBody(body);
  const record = { event, ...(isJsonObject(json) ? json : {}) };
  const groups = alternatives(filters, (filter) => filter);
  const isMet = (filter: Filter) => matches(filter, record, inDataToo);
  return isOfType && groups.every((group) => group.some(isMet));
}

/** Fields of notifications are below `data`, which need not be typed. */
function inDataToo(record: unknown, name: string): unknown {
  return valueAt(record, name) ?? valueAt(record, `data.${name}`);
}

/**
 * Why a request without a valid signature is not a message: a web page that the user happens to visit
 * can send requests to this machine, also by a name of its own (DNS rebinding).
 */
function foreignSender(
  request: Pick<Delivery, "headers">,
  hosts: readonly string[],
): string | undefined {
  const { host = "localhost", origin } = headersByName(request);
  const hostName = URL.parse(`http://${host}`)?.hostname;
  if (hostName === undefined || !(isLocalName(hostName) || hosts.includes(hostName))) {
    return `the Host header names ${host}, which is not this machine`;
  }
  const from = origin === undefined ? "localhost" : URL.parse(origin)?.hostname;
  if (from !== undefined && (isLocalName(from) || hosts.includes(from))) return undefined;
  return `a web page of ${origin} sent it`;
}
