import { Agent, request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest, Agent as TlsAgent } from "node:https";

/** The answer of a receiver to a message. */
export interface Received {
  /** The status of the answer; absent where there was none. */
  readonly status?: number;
  readonly durationMs: number;
  /** Why there was no answer. */
  readonly error?: string;
  /** The first characters of the answer's body. */
  readonly response?: string;
  /** The header `webhook-delivery` of the answer. */
  readonly control?: string | undefined;
}

/** Posts a body to a webhook. Never rejects. */
export type Post = (
  url: URL,
  message: {
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
    readonly timeoutMs: number;
  },
) => Promise<Received>;

/** The part of an answer's body that is kept. */
const KEPT_BYTES = 500;
/** An answer that goes on beyond this is not read to its end. */
const READ_BYTES = 64 * 1024;

/**
 * Creates a client for webhooks. It knows neither proxies nor redirects, since a message must reach
 * the address that the destination has and no other.
 */
export function createPost(): { readonly post: Post; close(): void } {
  const agents = {
    "http:": new Agent({ keepAlive: true }),
    "https:": new TlsAgent({ keepAlive: true }),
  };
  const post: Post = async (url, message) => {
    const start = performance.now();
    const elapsed = () => Math.round(performance.now() - start);
    const agent = agents[url.protocol as keyof typeof agents];
    if (agent === undefined) return { durationMs: 0, error: "the URL is not http or https" };
    for (let attempt = 1; ; attempt++) {
      try {
        const answer = await exchange(url, message, agent);
        return { ...answer, durationMs: elapsed() };
      } catch (error) {
        // A connection that the receiver closed while it was idle says nothing about the message.
        if (isClosedIdle(error) && attempt < 3) continue;
        return { durationMs: elapsed(), error: reasonOf(error, message.timeoutMs) };
      }
    }
  };
  return {
    post,
    close: () => {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

async function exchange(
  url: URL,
  message: Parameters<Post>[1],
  agent: Agent,
): Promise<Omit<Received, "durationMs">> {
  // AbortSignal.timeout would hold each request in memory for the whole time.
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), message.timeoutMs);
  try {
    const answer = await answerTo(url, message, { agent, signal: stop.signal });
    const { statusCode = 0, headers } = answer;
    const control = headers["webhook-delivery"]?.toString();
    return { status: statusCode, response: await startOf(answer), control };
  } finally {
    clearTimeout(timer);
  }
}

function answerTo(
  url: URL,
  { headers, body }: Parameters<Post>[1],
  options: { readonly agent: Agent; readonly signal: AbortSignal },
): Promise<IncomingMessage> {
  const send = url.protocol === "https:" ? httpsRequest : httpRequest;
  const bytes = Buffer.from(body);
  return new Promise((resolve, reject) => {
    const request = send(url, {
      ...options,
      method: "POST",
      headers: { ...headers, "content-length": bytes.length },
    });
    request.once("response", resolve);
    request.once("error", (error) =>
      reject(Object.assign(error, { wasReused: request.reusedSocket })),
    );
    request.end(bytes);
  });
}

/** The start of a body. An answer that breaks off has its status all the same. */
async function startOf(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      if (size < KEPT_BYTES) chunks.push(chunk.subarray(0, KEPT_BYTES - size));
      size += chunk.length;
      if (size > READ_BYTES) break;
    }
  } catch {
    answer.destroy();
  }
  return Buffer.concat(chunks).toString();
}

function isClosedIdle(error: unknown): boolean {
  const { wasReused, code } = error as { wasReused?: boolean; code?: string };
  return wasReused === true && (code === "ECONNRESET" || code === "EPIPE");
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "the connection was refused",
  ECONNRESET: "the connection was closed before a response",
  EPIPE: "the connection was closed before a response",
  ENOTFOUND: "the host was not found",
};

function reasonOf(error: unknown, timeoutMs: number): string {
  const { code, name, message } = error as NodeJS.ErrnoException;
  if (name === "AbortError" || name === "TimeoutError") {
    return `there was no response within ${timeoutMs / 1000} s`;
  }
  return REASONS[code ?? ""] ?? message;
}
