import { createHash } from "node:crypto";
import {
  type ReceivedRequest,
  type ServerReply,
  startServer,
  type TestServer,
} from "./test-server.ts";

/** How a server differs from the strictest. */
export interface ServerBehavior {
  /** Grants a lock once more to the id that holds it. */
  readonly lenient?: boolean;
  /** Grants a lock to everybody who asks. */
  readonly generous?: boolean;
  /** Answers 200 to a save, and keeps what it had, or the same JSON in another format. */
  readonly saves?: "not" | "formatted";
  /** Does not tell who holds the lock. */
  readonly mute?: boolean;
  /** Refuses the second save of a serial, as GitLab does. */
  readonly serials?: boolean;
  /** The status of a locked state. */
  readonly lockedStatus?: 409 | 423;
  readonly lockMethod?: string;
  readonly unlockMethod?: string;
  readonly statePath?: string;
  /** Of the lock; by default that of the state. */
  readonly lockPath?: string;
  /** Tells of a lock what GitLab keeps of it, and for the rest what the asker said. */
  readonly echoes?: boolean;
  /** `user:password`; absent: anybody may. */
  readonly credential?: string;
}

/** A state server that keeps one state, by default at `/state`. */
export interface TestStateServer extends TestServer {
  text: string | undefined;
  lock: Readonly<Record<string, unknown>> | undefined;
}

/**
 * A server of Terraform's HTTP state protocol, written after its documentation and after what
 * Terraform sends: a save and an unlock must name the lock that holds.
 */
export async function startStateServer(manners: ServerBehavior = {}): Promise<TestStateServer> {
  const { lockMethod = "LOCK", unlockMethod = "UNLOCK", statePath = "/state" } = manners;
  const lockPath = manners.lockPath ?? statePath;
  const locked: ServerReply = { status: manners.lockedStatus ?? 423 };
  let text: string | undefined;
  let lock: Readonly<Record<string, unknown>> | undefined;

  const handlers: Readonly<Record<string, (asked: ReceivedRequest) => ServerReply>> = {
    [`GET ${statePath}`]: () =>
      text === undefined ? { status: 404 } : { status: 200, body: text },
    [`POST ${statePath}`]: ({ url, body }) => {
      if (lock !== undefined && url.searchParams.get("ID") !== lock.ID) return locked;
      if (manners.serials && text !== undefined && serialOf(text) >= serialOf(body)) {
        return { status: 422, body: '{"message":"Version has already been taken"}' };
      }
      if (manners.saves === undefined) text = body;
      if (manners.saves === "formatted") text = JSON.stringify(JSON.parse(body), null, 4);
      return { status: 200 };
    },
    [`${lockMethod} ${lockPath}`]: ({ body }) => {
      const wanted = JSON.parse(body) as Readonly<Record<string, unknown>>;
      for (const field of FIELDS) if (typeof wanted[field] !== "string") return { status: 400 };
      if (manners.generous) lock = undefined;
      if (lock !== undefined && !(manners.lenient && lock.ID === wanted.ID)) {
        const { ID, Who, Created } = lock;
        const told = manners.echoes ? { ...wanted, ID, Who, Created } : lock;
        return manners.mute ? locked : { ...locked, body: JSON.stringify(told) };
      }
      lock = wanted;
      return { status: 200 };
    },
    [`${unlockMethod} ${lockPath}`]: ({ body }) => {
      if (lock === undefined || (JSON.parse(body) as { ID?: string }).ID !== lock.ID) return locked;
      lock = undefined;
      return { status: 200 };
    },
  };

  const listening = await startServer((asked) => {
    const { credential } = manners;
    const basic = credential && `Basic ${Buffer.from(credential).toString("base64")}`;
    if (basic && asked.headers.authorization !== basic) {
      const sent = asked.headers.authorization ?? "";
      const decoded = Buffer.from(sent.replace("Basic ", ""), "base64").toString();
      return { status: 401, body: `no entry with ${sent}, ${decoded}` };
    }
    if (asked.body !== "" && asked.headers["content-md5"] !== md5(asked.body)) {
      return { status: 400, body: "Content-MD5 does not match" };
    }
    const handler = handlers[`${asked.method} ${asked.url.pathname}`];
    return handler === undefined ? { status: 405 } : handler(asked);
  });
  return Object.defineProperties(listening, {
    text: { get: () => text, set: (value) => (text = value) },
    lock: { get: () => lock, set: (value) => (lock = value) },
  }) as TestStateServer;
}

/** GitLab refuses a lock that lacks one of them. */
const FIELDS = ["ID", "Operation", "Info", "Who", "Version", "Created", "Path"];

function serialOf(text: string): number {
  return (JSON.parse(text) as { serial: number }).serial;
}

function md5(text: string): string {
  return createHash("md5").update(text).digest("base64");
}
