import { createHash } from "node:crypto";
import { type AmpError, AuthError } from "../../errors.ts";
import { learnSecret } from "../../secret.ts";
import { learnAddress } from "../../secret-address.ts";
import type { HttpPlace } from "./http-options.ts";
import { insist, type Verdict } from "./insist.ts";
import { holderOf, type LockInfo } from "./lock-info.ts";
import { type Message, mayPass, refusal, type SendOptions, type Sent, send } from "./send.ts";
import { shownUrl } from "./server-url.ts";
import type { Attempt } from "./wait-for-lock.ts";

/** The operations of Terraform's HTTP state protocol. All throw {@link AmpError}s. */
export interface StateServer {
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
  lock(info: LockInfo): Promise<Attempt>;
  unlock(info: LockInfo): Promise<void>;
}

/** Speaks the protocol as Terraform does. */
export function stateServer(server: HttpPlace, options: SendOptions): StateServer {
  learnSecretsOf(server);
  const place = shownUrl(server.address);
  const speak = (message: Omit<Message, "headers">) =>
    send({ ...message, headers: headersOf(server, message.body) }, options);
  const verdictOf = (answer: Sent, does: string): Verdict<never> => ({
    error: refusalOf(answer, does),
    again: mayPass(answer.status),
  });

  async function read(idle = false): Promise<string | undefined> {
    const does = `read ${place}`;
    const answer = await speak({ method: "GET", url: server.address, does, idle });
    if (answer.status === 200) return answer.text === "" ? undefined : answer.text;
    if (answer.status === 204 || answer.status === 404) return undefined;
    throw refusalOf(answer, does);
  }

  async function save(text: string, lockId: string): Promise<boolean> {
    const does = `save ${place}`;
    const url = new URL(server.address);
    url.searchParams.set("ID", lockId);
    return insist<boolean>(
      {
        send: () => speak({ method: "POST", url, does, body: text }),
        judge: (answer) => {
          if (isLocked(answer)) return { done: false };
          return isGood(answer) ? { done: true } : verdictOf(answer, does);
        },
        look: async () => (await read()) === text || undefined,
      },
      options,
    );
  }

  async function lock(info: LockInfo): Promise<Attempt> {
    const does = `lock ${place}`;
    const { lockMethod: method, lockAddress: url } = server;
    return insist<Attempt>(
      {
        send: () => speak({ method, url, does, body: JSON.stringify(info) }),
        judge: (answer) => {
          if (isGood(answer)) return { done: { taken: true } };
          if (isLocked(answer)) return { done: { taken: false, by: holderOf(answer.text, info) } };
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
    await insist<true>(
      {
        send: () => {
          asked += 1;
          return speak({ method, url, does, body: JSON.stringify(info) });
        },
        judge: (answer) => {
          // The request before, whose answer was lost, has done it.
          const late = (asked > 1 || answer.repeated) && isLocked(answer);
          return isGood(answer) || late ? { done: true } : verdictOf(answer, does);
        },
      },
      options,
    );
  }

  return { place, read, save, lock, unlock };
}

function isGood({ status }: Sent): boolean {
  return status >= 200 && status < 300;
}

function isLocked({ status }: Sent): boolean {
  return status === 409 || status === 423;
}

const NO_SUCH_METHOD = new Set([404, 405, 501]);

function refusalOf(answer: Sent, does: string): AmpError {
  const error = refusal(answer, does);
  if (error instanceof AuthError) {
    return error.with({ remedy: "AMP_STATE_USERNAME and AMP_STATE_PASSWORD are the credential." });
  }
  if (!NO_SUCH_METHOD.has(answer.status)) return error;
  return error.with({
    remedy: [
      "Where the lock has an address or a method of its own, set AMP_STATE_LOCK_ADDRESS and",
      "AMP_STATE_LOCK_METHOD. A server without locks will not do.",
    ].join(" "),
  });
}

function headersOf({ credential }: HttpPlace, body: string | undefined): Record<string, string> {
  const ofBody = body !== undefined && {
    "content-type": "application/json",
    "content-md5": createHash("md5").update(body).digest("base64"),
  };
  return {
    accept: "application/json",
    ...(credential ? { authorization: `Basic ${basicOf(credential)}` } : {}),
    ...(ofBody || {}),
  };
}

function learnSecretsOf({ credential, address, lockAddress, unlockAddress }: HttpPlace): void {
  for (const url of [address, lockAddress, unlockAddress]) learnAddress(url);
  if (!credential) return;
  learnSecret(credential.password);
  // Whole, as basic authentication encodes it.
  learnSecret(`${credential.username}:${credential.password}`);
}

function basicOf({ username, password }: NonNullable<HttpPlace["credential"]>): string {
  return Buffer.from(`${username}:${password}`).toString("base64");
}
