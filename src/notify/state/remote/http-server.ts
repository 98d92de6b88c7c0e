import { createHash } from "node:crypto";
import { type AmpError, AuthError } from "../../../errors.ts";
import { registerAddressSecrets } from "../../../secrets/address.ts";
import { registerSecret } from "../../../secrets/secret.ts";
import { type HttpStateLocation, shownUrl } from "./http-location.ts";
import { type LockAttempt, type LockInfo, parseLockHolder } from "./lock.ts";
import {
  type AnswerVerdict,
  isTransient,
  refusedError,
  retryUntilKnown,
  type StateRequest,
  type StateResponse,
  type StateServerOptions,
  sendStateRequest,
} from "./send.ts";

/** The operations of Terraform's HTTP state protocol. All throw {@link AmpError}s. */
export interface HttpStateServer {
  readonly place: string;
  /**
   * GET: undefined where nothing was saved.
   * @param idle nothing hangs on it: the signal ends it
   */
  read(idle?: boolean): Promise<string | undefined>;
  /**
   * POST, naming the lock.
   * @returns false where the lock is not the one that holds any more
   */
  save(text: string, lockId: string): Promise<boolean>;
  lock(info: LockInfo): Promise<LockAttempt>;
  unlock(info: LockInfo): Promise<void>;
}

/** Speaks the protocol as Terraform does. */
export function httpStateServer(
  server: HttpStateLocation,
  options: StateServerOptions,
): HttpStateServer {
  registerServerSecrets(server);
  const place = shownUrl(server.address);
  const speak = (message: Omit<StateRequest, "headers">) =>
    sendStateRequest({ ...message, headers: requestHeaders(server, message.body) }, options);
  const verdictOf = (answer: StateResponse, does: string): AnswerVerdict<never> => ({
    error: httpRefusal(answer, does),
    again: isTransient(answer.status),
  });

  async function read(idle = false): Promise<string | undefined> {
    const does = `read ${place}`;
    const answer = await speak({ method: "GET", url: server.address, does, idle });
    if (answer.status === 200) return answer.text === "" ? undefined : answer.text;
    if (answer.status === 204 || answer.status === 404) return undefined;
    throw httpRefusal(answer, does);
  }

  async function save(text: string, lockId: string): Promise<boolean> {
    const does = `save ${place}`;
    const url = new URL(server.address);
    url.searchParams.set("ID", lockId);
    return retryUntilKnown<boolean>(
      {
        send: () => speak({ method: "POST", url, does, body: text }),
        judge: (answer) => {
          if (isLocked(answer)) return { done: false };
          return isHttpSuccess(answer) ? { done: true } : verdictOf(answer, does);
        },
        look: async () => (await read()) === text || undefined,
      },
      options,
    );
  }

  async function lock(info: LockInfo): Promise<LockAttempt> {
    const does = `lock ${place}`;
    const { lockMethod: method, lockAddress: url } = server;
    return retryUntilKnown<LockAttempt>(
      {
        send: () => speak({ method, url, does, body: JSON.stringify(info) }),
        judge: (answer) => {
          if (isHttpSuccess(answer)) return { done: { taken: true } };
          if (isLocked(answer))
            return { done: { taken: false, by: parseLockHolder(answer.text, info) } };
          return verdictOf(answer, does);
        },
      },
      options,
    );
  }

  async function unlock(info: LockInfo): Promise<void> {
    const does = `give back the lock of ${place}`;
    const { unlockMethod: method, unlockAddress: url } = server;
    let asked = 0;
    await retryUntilKnown<true>(
      {
        send: () => {
          asked += 1;
          return speak({ method, url, does, body: JSON.stringify(info) });
        },
        judge: (answer) => {
          // The request before, whose answer was lost, has done it.
          const late = (asked > 1 || answer.repeated) && isLocked(answer);
          return isHttpSuccess(answer) || late ? { done: true } : verdictOf(answer, does);
        },
      },
      options,
    );
  }

  return { place, read, save, lock, unlock };
}

function isHttpSuccess({ status }: StateResponse): boolean {
  return status >= 200 && status < 300;
}

function isLocked({ status }: StateResponse): boolean {
  return status === 409 || status === 423;
}

const UNSUPPORTED_METHOD = new Set([404, 405, 501]);

function httpRefusal(answer: StateResponse, does: string): AmpError {
  const error = refusedError(answer, does);
  if (error instanceof AuthError) {
    return error.with({ remedy: "AMP_STATE_USERNAME and AMP_STATE_PASSWORD are the credential." });
  }
  if (!UNSUPPORTED_METHOD.has(answer.status)) return error;
  return error.with({
    remedy: [
      "Where the lock has an address or a method of its own, set AMP_STATE_LOCK_ADDRESS and",
      "AMP_STATE_LOCK_METHOD. A server without locks will not do.",
    ].join(" "),
  });
}

function requestHeaders(
  { credential }: HttpStateLocation,
  body: string | undefined,
): Record<string, string> {
  const ofBody = body !== undefined && {
    "content-type": "application/json",
    "content-md5": createHash("md5").update(body).digest("base64"),
  };
  return {
    accept: "application/json",
    ...(credential ? { authorization: `Basic ${basicCredentials(credential)}` } : {}),
    ...(ofBody || {}),
  };
}

function registerServerSecrets({
  credential,
  address,
  lockAddress,
  unlockAddress,
}: HttpStateLocation): void {
  for (const url of [address, lockAddress, unlockAddress]) registerAddressSecrets(url);
  if (!credential) return;
  registerSecret(credential.password);
  // Whole, as basic authentication encodes it.
  registerSecret(`${credential.username}:${credential.password}`);
}

function basicCredentials({
  username,
  password,
}: NonNullable<HttpStateLocation["credential"]>): string {
  return Buffer.from(`${username}:${password}`).toString("base64");
}
