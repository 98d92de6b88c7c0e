import { Agent } from "node:http";
import { Agent as TlsAgent } from "node:https";
import { postFailure, postMessage, readStart } from "../../events/post-message.ts";

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

/** Creates a client for webhooks, which keeps connections open between messages. */
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
  { headers, body, timeoutMs }: Parameters<Post>[1],
  agent: Agent,
): Promise<Omit<Received, "durationMs">> {
  // AbortSignal.timeout would hold each request in memory for the whole time.
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), timeoutMs);
  try {
    const posting = { agent, headers, body: Buffer.from(body), signal: stop.signal };
    const response = await postMessage(url, posting);
    const control = response.headers["webhook-delivery"]?.toString();
    // An answer that breaks off has its status all the same.
    const { start } = await readStart(response, KEPT_BYTES, READ_BYTES);
    return { status: response.statusCode ?? 0, response: start.toString(), control };
  } finally {
    clearTimeout(timer);
  }
}

function isClosedIdle(error: unknown): boolean {
  const { wasReused, code } = error as { wasReused?: boolean; code?: string };
  return wasReused === true && (code === "ECONNRESET" || code === "EPIPE");
}

function reasonOf(error: unknown, timeoutMs: number): string {
  const isLate = (error as Error).name === "AbortError";
  return isLate ? `no response within ${timeoutMs / 1000} s` : postFailure(error).reason;
}
