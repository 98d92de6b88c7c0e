import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { type AmpError, ServiceError, UsageError } from "../../../errors.ts";
import { jsonOf } from "../../../values/json.ts";
import {
  differentLockError,
  type LockedState,
  lostLockError,
  notLockedError,
  type StateBackend,
  saveLostError,
} from "../backend.ts";
import { type HttpStateLocation, httpError, shownUrl } from "./http-location.ts";
import {
  isHeldBy,
  type LockAttempt,
  type LockInfo,
  newLockInfo,
  parseLockHolder,
  withServerLock,
} from "./lock.ts";
import {
  failed,
  isSuccess,
  type RepeatableRequest,
  retryUntilKnown,
  type StateRequest,
  type StateResponse,
  type StateServerOptions,
  sendStateRequest,
  textDigest,
} from "./send.ts";

/** A state on a server of Terraform's HTTP state protocol, which GitLab and others implement. */
export function httpBackend(at: HttpStateLocation, options: StateServerOptions = {}): StateBackend {
  const server = stateServer(at, options);
  const { location } = server;
  return {
    location,
    local: false,
    read: () => server.read(true),
    withLock: (request, work) =>
      withServerLock(server, request, options, async (info) => {
        await assertExclusive(server, request.command);
        return work(lockedServerState(server, info));
      }),
    unlock: async (id) => {
      // The protocol has no request for the holder, but a refused lock reports it.
      const probe = newLockInfo("amp notify state unlock");
      const attempt = await server.acquire(probe);
      if (attempt === "taken") {
        await server.release(probe);
        throw notLockedError(location);
      }
      const { by } = attempt;
      if (by.id !== undefined && by.id !== id) throw differentLockError(location, id, by);
      await server.release({ ...probe, ID: id });
    },
  };
}

type StateServer = ReturnType<typeof stateServer>;

/** The operations of the protocol, as Terraform sends them. All throw {@link AmpError}s. */
function stateServer(server: HttpStateLocation, options: StateServerOptions) {
  const location = shownUrl(server.address);
  const send = (request: Omit<StateRequest, "headers">) =>
    sendStateRequest({ ...request, headers: requestHeaders(server, request.body) }, options);
  const refused = (answer: StateResponse, action: string) =>
    failed(httpError(server, answer, action), answer);

  /**
   * Reads the saved text; undefined if nothing was saved yet.
   * @param interruptible whether the signal ends it at once: no change depends on the answer
   */
  async function read(interruptible = false): Promise<string | undefined> {
    const action = `read ${location}`;
    const answer = await send({ method: "GET", url: server.address, action, interruptible });
    if (answer.status === 200 && isPage(answer)) throw webPageError(action);
    if (answer.status === 200) return answer.text === "" ? undefined : answer.text;
    if (answer.status === 204 || answer.status === 404) return undefined;
    throw httpError(server, answer, action);
  }

  function acquire(
    info: LockInfo,
    { interruptible = true, retries = options.retries } = {},
  ): Promise<LockAttempt> {
    const action = `lock ${location}`;
    const { lockMethod: method, lockAddress: url } = server;
    const asking: RepeatableRequest<LockAttempt> = {
      send: () => send({ method, url, action, body: JSON.stringify(info), interruptible }),
      judge: (answer) => {
        if (isLocked(answer)) return { done: { by: parseLockHolder(answer.text, info) } };
        if (!isSuccess(answer)) return refused(answer, action);
        return isPage(answer) ? failed(webPageError(action), answer) : { done: "taken" };
      },
    };
    return retryUntilKnown(options, asking, retries === undefined ? undefined : retries + 1);
  }

  async function release(info: LockInfo): Promise<void> {
    const action = `release the lock of ${location}`;
    const { unlockMethod: method, unlockAddress: url } = server;
    let attempts = 0;
    await retryUntilKnown<true>(options, {
      send: () => {
        attempts += 1;
        return send({ method, url, action, body: JSON.stringify(info) });
      },
      judge: (answer) => {
        // The previous request, whose answer was lost, has released the lock already.
        const released = (attempts > 1 || answer.repeated) && isLocked(answer);
        return isSuccess(answer) || released ? { done: true } : refused(answer, action);
      },
    });
  }

  return {
    location,
    read,

    /** Replaces the saved text. @returns false if the state is locked with another ID by now */
    save(text: string, lockId: string): Promise<boolean> {
      const action = `save ${location}`;
      const url = new URL(server.address);
      url.searchParams.set("ID", lockId);
      return retryUntilKnown<boolean>(options, {
        send: () => send({ method: "POST", url, action, body: text }),
        judge: (answer) => {
          if (isLocked(answer)) return { done: false };
          return isSuccess(answer) ? { done: true } : refused(answer, action);
        },
        findResult: async () => (await read()) === text || undefined,
      });
    },

    acquire,
    release,

    async withdraw(info: LockInfo): Promise<void> {
      // Some servers release the lock of whoever has it: the holder is asked for first.
      const attempt = await acquire(info, { interruptible: false, retries: 0 });
      if (isHeldBy(info, attempt)) await release(info);
    },
  };
}

/**
 * Whether a body is a page. Its type says nothing: some servers send an empty body as text/html.
 */
function isPage({ text }: StateResponse): boolean {
  return /^\s*</u.test(text);
}

/** The error for a page, which a proxy or a login answers with in place of the server. */
function webPageError(action: string): ServiceError {
  return new ServiceError(`Could not ${action}: the server answered with a web page`, {
    remedy:
      "Check the address of the state, and whether a login page or proxy answers in its place.",
    retryable: true,
  });
}

/**
 * Asks for the lock by a second ID, which must be refused: some servers grant it to every run.
 * @throws {UsageError} for such a server
 */
async function assertExclusive(server: StateServer, command: string): Promise<void> {
  const second = newLockInfo(command);
  const attempt = await server.acquire(second);
  if (!isHeldBy(second, attempt)) return;
  await server.release(second).catch(() => {});
  throw new UsageError(`The server of ${server.location} grants its lock to several runs at once`, {
    detail: "It granted the lock to a second ID while this run held it.",
    remedy: "Two runs could create every resource twice. Choose another location with --state.",
    done: "Nothing was sent to the service.",
  });
}

function lockedServerState(server: StateServer, info: LockInfo): LockedState {
  /** The digests of all texts that this run has read or sent: any other is another run's. */
  const own = new Set<string>();
  let lost = false;
  let isKept = false;

  function lose(): never {
    lost = true;
    throw lostLockError(server.location);
  }

  return {
    read: async () => {
      const text = await server.read(true);
      own.add(textDigest(text));
      return text;
    },
    write: async (text) => {
      if (lost) lose();
      own.add(textDigest(text));
      if (!(await server.save(text, info.ID))) lose();
      if (isKept) return;
      // Some servers answer 200 to a save and drop it: the first one is read back.
      const kept = await server.read();
      if (!isSameJson(kept, text)) throw saveLostError(server.location);
      own.add(textDigest(kept));
      isKept = true;
    },
    check: async () => {
      if (lost) lose();
      // A second request for the lock is refused while this run holds it.
      const attempt = await server.acquire(info);
      if (attempt !== "taken") {
        // A server that does not report the holder cannot say that it is another run.
        if (attempt.by.id === undefined || attempt.by.id === info.ID) return;
        lose();
      }
      // The lock was granted again: some servers do so for the same ID, or somebody had removed it.
      // This run holds it either way, and may go on if nobody saved in the meantime.
      const now = textDigest(await server.read(true));
      if (own.size > 0 && !own.has(now)) lose();
      own.add(now);
    },
  };
}

/** Whether the server has the same text, or has formatted it in its own way. */
function isSameJson(kept: string | undefined, text: string): boolean {
  if (kept === undefined || kept === text) return kept === text;
  return isDeepStrictEqual(jsonOf(kept), JSON.parse(text));
}

function isLocked({ status }: StateResponse): boolean {
  return status === 409 || status === 423;
}

function requestHeaders({ credential }: HttpStateLocation, body: string | undefined) {
  const headers: Record<string, string> = { accept: "application/json" };
  if (credential) {
    const pair = Buffer.from(`${credential.username}:${credential.password}`).toString("base64");
    headers.authorization = `Basic ${pair}`;
  }
  if (body !== undefined) {
    headers["content-type"] = "application/json";
    headers["content-md5"] = createHash("md5").update(body).digest("base64");
  }
  return headers;
}
