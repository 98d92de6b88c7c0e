import { createHmac } from "node:crypto";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";

/** The secret of all receivers here, and its key. */
export const SECRET = `whsec_${Buffer.from("a key of the tests, 24 b").toString("base64")}`;
const KEY = Buffer.from(SECRET.slice("whsec_".length), "base64");

/** The parts of a receiver; a defect replaces one of them. */
export interface ReceiverParts {
  /** What is verified, of the bytes that came. */
  readonly verified: (raw: Buffer) => string | Buffer;
  /** The key that is made of the secret. */
  readonly key: string | Buffer;
  /** The text before the body in what is signed. */
  readonly beforeBody: (id: string, timestamp: string) => string;
  readonly encoding: "base64" | "base64url" | "hex";
  readonly hash: string;
  /** The beginning of the names of its headers. */
  readonly prefix: string;
  /** Whether the signatures hold: the status, or nothing. */
  readonly checkSignature: (given: string, expected: string, body: string) => number | undefined;
  /** The same for the names and values as they came. */
  readonly checkRawHeaders: (headers: readonly string[]) => number | undefined;
  readonly checkHeaders: (headers: IncomingHttpHeaders) => number | undefined;
  /** Whether the time is right; `age` in seconds. */
  readonly checkAge: (age: number) => number | undefined;
  readonly handle: (message: Record<string, unknown>, id: string) => number | undefined;
  readonly limit: number;
  /** Whether it closes the connection at the limit, in place of 413. */
  readonly closes: boolean;
  readonly headers: Readonly<Record<string, string>>;
  readonly delayMs: number;
  /** Answers before anything else. */
  readonly first: (number: number) => Answered | undefined;
  /** The header of the expected signature in a refusal. */
  readonly refusal: (expected: string) => string;
}

interface Answered {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
}

const HEADERS = ["svix-id", "svix-timestamp", "svix-signature"] as const;

/** A receiver without a defect, written without any code of amp. */
export const GOOD: ReceiverParts = {
  verified: (raw) => raw,
  key: KEY,
  beforeBody: (id, timestamp) => `${id}.${timestamp}.`,
  encoding: "base64",
  hash: "sha256",
  prefix: "svix-",
  checkHeaders: (headers) => (HEADERS.every((name) => headers[name]) ? undefined : 400),
  checkRawHeaders: () => undefined,
  checkSignature: (given, expected) => {
    const parts = given.split(" ").map((part) => part.split(","));
    return parts.some(([version, value]) => version === "v1" && value === expected)
      ? undefined
      : 401;
  },
  checkAge: (age) => (Math.abs(age) > 300 ? 401 : undefined),
  handle: () => undefined,
  limit: Number.POSITIVE_INFINITY,
  closes: false,
  headers: {},
  delayMs: 0,
  first: () => undefined,
  refusal: () => "no",
};

/** A receiver that listens. */
export interface ListeningReceiver {
  readonly url: string;
  /** The IDs of the messages that came. */
  readonly ids: string[];
  readonly headers: IncomingHttpHeaders[];
  /** How many connections were made. */
  connections(): number;
  close(): Promise<void>;
}

/** Starts a receiver with the given defects. */
export async function startReceiver(
  defects: Partial<ReceiverParts> = {},
  host = "127.0.0.1",
): Promise<ListeningReceiver> {
  const parts = { ...GOOD, ...defects };
  const ids: string[] = [];
  const seen: IncomingHttpHeaders[] = [];
  let connections = 0;
  const server = createServer(async (request, response) => {
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [
        name.replace(parts.prefix, "svix-"),
        parts.prefix !== "svix-" && name.startsWith("svix-") ? undefined : value,
      ]),
    );
    const id = String(headers["svix-id"] ?? "");
    ids.push(id);
    seen.push(request.headers);
    const answer = (status: number, more: Readonly<Record<string, string>> = {}, body = "") => {
      response.writeHead(status, { ...parts.headers, ...more }).end(body);
    };
    const first = parts.first(ids.length);
    if (first) return answer(first.status, first.headers);
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of request as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size <= parts.limit) continue;
      if (parts.closes) return request.socket.destroy();
      answer(413, { connection: "close" });
      return;
    }
    if (parts.delayMs > 0) await new Promise((resolve) => setTimeout(resolve, parts.delayMs));
    const raw = Buffer.concat(chunks);
    const stamp = String(headers["svix-timestamp"]);
    const expected = createHmac(parts.hash, parts.key)
      .update(parts.beforeBody(id, stamp))
      .update(parts.verified(raw))
      .digest(parts.encoding);
    const refused =
      parts.checkRawHeaders(request.rawHeaders) ??
      parts.checkHeaders(headers) ??
      parts.checkSignature(
        String(headers["svix-signature"] ?? ""),
        expected,
        raw.toString("utf8"),
      ) ??
      parts.checkAge(Date.now() / 1000 - Number(stamp));
    if (refused !== undefined && refused !== 0) {
      const more = refused >= 300 && refused < 400 ? { location: "/login" } : {};
      return answer(refused, more, parts.refusal(expected));
    }
    const message = JSON.parse(raw.toString("utf8")) as Record<string, unknown>;
    answer(parts.handle(message, id) ?? 204);
  });
  server.on("connection", () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => {
    server.listen(0, host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${port}/amp`,
    ids,
    headers: seen,
    connections: () => connections,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
