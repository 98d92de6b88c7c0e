import { type IncomingMessage, request as sendHttp } from "node:http";
import { request as sendHttps } from "node:https";
import { redactSecrets } from "../secrets/secret.ts";
import { ANSWER_LIMIT_MS } from "./behaviour-checks.ts";
import type { NoAnswer, ReceiverAnswer } from "./check.ts";
import type { TestMessage } from "./messages.ts";

/** Where messages go, and how. */
export interface Receiver {
  readonly url: URL;
  /** Headers beyond those of the message, for example a token of a gateway in front. */
  readonly headers: Readonly<Record<string, string>>;
  /** Whether any certificate is accepted. */
  readonly insecureTls: boolean;
  /** The variable that names a proxy for this URL, which is not used. */
  readonly unusedProxy?: string | undefined;
  /** How long an answer may take, in milliseconds; default: as long as the platform waits. */
  readonly limitMs?: number | undefined;
}

/** The characters of an answer's body that are kept, and the bytes that are read for them. */
const SHOWN_CHARACTERS = 200;
const READ_BYTES = 4096;
/** The time for the body of an answer, whose head has come. */
const BODY_MS = 1000;

/**
 * Sends one message over a connection of its own, as a sender does that has not spoken to the
 * receiver before. Follows no redirect, uses no proxy. Never rejects, except when the signal aborts.
 */
function sendMessage(
  message: TestMessage,
  { url, headers, insecureTls, limitMs = ANSWER_LIMIT_MS }: Receiver,
  signal: AbortSignal,
): Promise<ReceiverAnswer> {
  const body = Buffer.from(message.body);
  const start = performance.now();
  const send = url.protocol === "https:" ? sendHttps : sendHttp;
  return new Promise((resolve, reject) => {
    const took = () => Math.max(0, performance.now() - start);
    const outgoing = send(url, {
      method: "POST",
      // A connection that another message used may have been closed by the receiver meanwhile.
      agent: false,
      rejectUnauthorized: !insecureTls,
      signal,
      headers: {
        "content-type": "application/json",
        "user-agent": "amp webhooks test",
        ...headers,
        ...message.headers,
        "content-length": body.length,
      },
    });
    const end = (answer: Omit<ReceiverAnswer, "message">) => {
      clearTimeout(late);
      resolve({ message, ...answer });
      outgoing.destroy();
    };
    const fail = (failure: NoAnswer) => end({ ms: took(), failure });
    const late = setTimeout(
      () => fail({ kind: "late", reason: `no response within ${limitMs / 1000} s` }),
      limitMs,
    );
    outgoing.on("error", (error: NodeJS.ErrnoException) => {
      if (!signal.aborted) return fail(failureOf(error));
      clearTimeout(late);
      reject(error);
    });
    outgoing.on("response", (response) => {
      const ms = took();
      clearTimeout(late);
      void startOf(response).then((bodyStart) => {
        const { location, "webhook-delivery": control, "retry-after": again } = response.headers;
        end({
          status: response.statusCode ?? 0,
          ms,
          bodyStart: withoutSignatures(bodyStart, message),
          ...(location === undefined ? {} : { location: redactSecrets(location) }),
          ...(/^\d+$/u.test(again ?? "") ? { retryAfterSeconds: Number(again) } : {}),
          ...(control === undefined ? {} : { control: String(control) }),
        });
      });
    });
    outgoing.end(body);
  });
}

/** The first bytes of a body as text; what comes after them, or too late, is not read. */
async function startOf(response: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const timer = setTimeout(() => response.destroy(), BODY_MS);
  try {
    for await (const chunk of response as AsyncIterable<Uint8Array>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= READ_BYTES) break;
    }
  } catch {
    // A body that breaks off is shown as far as it came: the status is what counts.
  } finally {
    clearTimeout(timer);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** Some receivers answer with the signature that they expected. */
function withoutSignatures(text: string, { headers }: TestMessage): string {
  const sent = Object.values(headers).flatMap((value) => value.match(SIGNATURE) ?? []);
  const hidden = sent.reduce((rest, one) => rest.replaceAll(one, "[redacted]"), text);
  const shown = redactSecrets(hidden).replaceAll(SIGNATURE, "[redacted]").trim();
  return shown.length > SHOWN_CHARACTERS ? `${shown.slice(0, SHOWN_CHARACTERS)}…` : shown;
}

/** A SHA-256 in base64, which has 43 characters and one to fill it. */
const SIGNATURE = /[A-Za-z0-9+/]{43}=/gu;

/** The failures before the receiver could see anything of the message. */
const UNREACHABLE: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  ENOTFOUND: "host not found",
  EAI_AGAIN: "the host name could not be resolved",
  EHOSTUNREACH: "no route to the host",
  ENETUNREACH: "no route to the network",
  ETIMEDOUT: "the connection timed out",
};

/** The codes of a certificate that is not accepted. */
const CERTIFICATE = /CERT|ALTNAME|SELF_SIGNED|UNABLE_TO_(?:GET|VERIFY)/u;

function failureOf(error: NodeJS.ErrnoException): NoAnswer {
  // An address of each family was tried.
  const causes = error instanceof AggregateError ? (error.errors as NodeJS.ErrnoException[]) : [];
  const code = error.code ?? causes[0]?.code ?? "";
  const known = UNREACHABLE[code];
  if (known !== undefined) return { kind: "unreachable", reason: known };
  if (CERTIFICATE.test(code)) {
    const reason = `the certificate is not accepted (${code})`;
    return { kind: "unreachable", isCertificate: true, reason };
  }
  if (code === "EPROTO" || code.startsWith("ERR_SSL")) {
    return { kind: "unreachable", reason: "the receiver does not speak TLS" };
  }
  if (code.startsWith("HPE_")) return { kind: "closed", reason: "the response is not valid HTTP" };
  return { kind: "closed", reason: "the connection was closed without a response" };
}

/** How long a receiver that limits the rate is waited for at most, in milliseconds, and how often. */
const MAX_WAIT_MS = 30_000;
const MAX_ATTEMPTS = 3;

/** Sends a message, again after a while if the receiver says that there were too many. */
export async function sendPatiently(
  message: TestMessage,
  {
    receiver,
    signal,
    wait = (ms) => pause(ms, signal),
  }: {
    readonly receiver: Receiver;
    readonly signal: AbortSignal;
    readonly wait?: ((ms: number) => Promise<void>) | undefined;
  },
): Promise<ReceiverAnswer> {
  for (let attempt = 1; ; attempt += 1) {
    signal.throwIfAborted();
    const answer = await sendMessage(message, receiver, signal);
    if (answer.status !== 429 || attempt === MAX_ATTEMPTS) return answer;
    await wait(Math.min(MAX_WAIT_MS, (answer.retryAfterSeconds ?? attempt) * 1000));
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  const { setTimeout: sleep } = await import("node:timers/promises");
  await sleep(ms, undefined, { signal });
}
