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
  readonly location: string;
  /**
   * GET.
   * @param interruptible whether the signal may end it: no change depends on the answer
   * @returns undefined if nothing was saved yet
   */
  read(interruptible?: boolean): Promise<string | undefined>;
  /**
   * POST with the ID of the lock.
   * @returns false if the state is locked with another ID by now
   */
  save(text: string, lockId: string): Promise<boolean>;
  lock(info: LockInfo): Promise<LockAttempt>;
  unlock(info: LockInfo): Promise<void>;
}

/** Sends the requests of the protocol as Terraform does. */
export function httpStateServer(
  server: HttpStateLocation,
  options: StateServerOptions,
): HttpStateServer {
  registerServerSecrets(server);
  const location = shownUrl(server.address);
  const send = (request: Omit<StateRequest, "headers">) =>
    sendStateRequest({ ...request, headers: requestHeaders(server, request.body) }, options);
  const failed = (answer: StateResponse, action: string): AnswerVerdict<never> => ({
    error: httpError(answer, action),
    retry: isTransient(answer.status),
  });

  async function read(interruptible = false): Promise<string | undefined> {
    const action = `read ${location}`;
    const answer = await send({ method: "GET", url: server.address, action, interruptible });
    if (answer.status === 200) return answer.text === "" ? undefined : answer.text;
    if (answer.status === 204 || answer.status === 404) return undefined;
    throw httpError(answer, action);
  }

  async function save(text: string, lockId: string): Promise<boolean> {
    const action = `save ${location}`;
    const url = new URL(server.address);
    url.searchParams.set("ID", lockId);
    return retryUntilKnown<boolean>(
      {
        send: () => send({ method: "POST", url, action, body: text }),
        judge: (answer) => {
          if (isLocked(answer)) return { done: false };
          return isHttpSuccess(answer) ? { done: true } : failed(answer, action);
        },
        findResult: async () => (await read()) === text || undefined,
      },
      options,
    );
  }

  async function lock(info: LockInfo): Promise<LockAttempt> {
    const action = `lock ${location}`;
    const { lockMethod: method, lockAddress: url } = server;
    return retryUntilKnown<LockAttempt>(
      {
        send: () => send({ method, url, action, body: JSON.stringify(info) }),
        judge: (answer) => {
          if (isHttpSuccess(answer)) return { done: { taken: true } };
          if (isLocked(answer))
            return { done: { taken: false, by: parseLockHolder(answer.text, info) } };
          return failed(answer, action);
        },
      },
      options,
    );
  }

  async function unlock(info: LockInfo): Promise<void> {
    const action = `release the lock of ${location}`;
    const { unlockMethod: method, unlockAddress: url } = server;
    let attempts = 0;
    await retryUntilKnown<true>(
      {
        send: () => {
          attempts += 1;
          return send({ method, url, action, body: JSON.stringify(info) });
        },
        judge: (answer) => {
          // The previous request, whose answer was lost, has released the lock already.
          const released = (attempts > 1 || answer.repeated) && isLocked(answer);
          return isHttpSuccess(answer) || released ? { done: true } : failed(answer, action);
        },
      },
      options,
    );
  }

  return { location, read, save, lock, unlock };
}

function isHttpSuccess({ status }: StateResponse): boolean {
  return status >= 200 && status < 300;
}

function isLocked({ status }: StateResponse): boolean {
  return status === 409 || status === 423;
}

const UNSUPPORTED_METHOD = new Set([404, 405, 501]);

function httpError(answer: StateResponse, action: string): AmpError {
  const error = refusedError(answer, action);
  if (error instanceof AuthError) {
    return error.with({ remedy: "Check AMP_STATE_USERNAME and AMP_STATE_PASSWORD." });
  }
  if (!UNSUPPORTED_METHOD.has(answer.status)) return error;
  return error.with({
    remedy: [
      "The server must support locking. If the lock has its own URL or method, set",
      "AMP_STATE_LOCK_ADDRESS and AMP_STATE_LOCK_METHOD.",
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
  // Basic authentication encodes both together.
  registerSecret(`${credential.username}:${credential.password}`);
}

function basicCredentials({
  username,
  password,
}: NonNullable<HttpStateLocation["credential"]>): string {
  return Buffer.from(`${username}:${password}`).toString("base64");
}
