import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { RunEnvironment } from "../../../context/command-context.ts";
import { durableErrors } from "../../../durable/errors.ts";
import { type AmpError, AuthError } from "../../../errors.ts";
import { registerAddressSecrets } from "../../../secrets/address.ts";
import { registerSecret } from "../../../secrets/secret.ts";
import { defined, jsonOf } from "../../../values/json.ts";
import { routingErrors } from "../../errors.ts";
import { describedHolder, type LockedState, type StateBackend } from "../backend.ts";
import type { StateTarget } from "../state.ts";
import {
  isHeldBy,
  isSuccess,
  type LockAttempt,
  type LockInfo,
  newLockInfo,
  parseLockHolder,
  parseServerUrl,
  type RepeatableRequest,
  refusedError,
  retryUntilKnown,
  type StateRequest,
  type StateResponse,
  type StateServerOptions,
  sendStateRequest,
  shownUrl,
  textDigest,
  withServerLock,
} from "./server.ts";

/** The addresses and credential of a server of Terraform's HTTP state protocol. */
interface HttpStateLocation {
  readonly address: URL;
  readonly lockAddress: URL;
  readonly unlockAddress: URL;
  readonly lockMethod: string;
  readonly unlockMethod: string;
  /** The credential of basic authentication; absent: none is sent. */
  readonly credential?: {
    readonly username: string;
    readonly password: string;
    /**
     * The variable of the CI job that it is from; absent: AMP_STATE_USERNAME and
     * AMP_STATE_PASSWORD.
     */
    readonly variable?: "CI_JOB_TOKEN";
  };
}

/**
 * The server that an address and the environment name. The lock has the address of the state,
 * unless AMP_STATE_LOCK_ADDRESS is set.
 * @throws {UsageError} that names the invalid variable
 */
export function httpLocation(
  address: string,
  source: string,
  env: RunEnvironment["env"],
): HttpStateLocation {
  const lockAddress = env.AMP_STATE_LOCK_ADDRESS ?? address;
  const unlockAddress = env.AMP_STATE_UNLOCK_ADDRESS ?? lockAddress;
  const credential = basicCredential(env);
  const addresses = {
    address: parseServerUrl(address, source),
    lockAddress: parseServerUrl(lockAddress, "AMP_STATE_LOCK_ADDRESS"),
    unlockAddress: parseServerUrl(unlockAddress, "AMP_STATE_UNLOCK_ADDRESS"),
  };
  // Only addresses that somebody wrote may contain a token: those of GitLab are made of names.
  for (const url of Object.values(addresses)) registerAddressSecrets(url);
  return {
    ...addresses,
    lockMethod: lockMethodFrom(env, "AMP_STATE_LOCK_METHOD", "LOCK"),
    unlockMethod: lockMethodFrom(env, "AMP_STATE_UNLOCK_METHOD", "UNLOCK"),
    ...defined({ credential }),
  };
}

/** AMP_STATE_USERNAME and AMP_STATE_PASSWORD; undefined if neither is set. */
function basicCredential(env: RunEnvironment["env"]): HttpStateLocation["credential"] {
  const { AMP_STATE_USERNAME: username = "", AMP_STATE_PASSWORD: password = "" } = env;
  if (username === "" && password === "") return undefined;
  if (username.includes(":")) throw routingErrors.state_user_colon();
  return registered({ username, password });
}

function registered(credential: Required<HttpStateLocation>["credential"]) {
  registerSecret(credential.password);
  // Basic authentication encodes both together.
  registerSecret(`${credential.username}:${credential.password}`);
  return credential;
}

function lockMethodFrom(env: RunEnvironment["env"], name: string, standard: string): string {
  const value = env[name] ?? standard;
  if (/^[A-Za-z]+$/u.test(value)) return value.toUpperCase();
  throw routingErrors.state_method_invalid(name, standard);
}

/**
 * The state of a GitLab project, found by the variables of its CI jobs.
 * @param name of the state; by default made from the target, so that two targets never share one
 * @throws {UsageError} that names the missing variables
 */
export function gitlabLocation(
  name: string | undefined,
  env: RunEnvironment["env"],
  target: StateTarget,
): HttpStateLocation {
  const own = basicCredential(env);
  const { CI_API_V4_URL: api, CI_PROJECT_ID: project, CI_JOB_TOKEN: token } = env;
  const needed = ["CI_API_V4_URL", "CI_PROJECT_ID", ...(own ? [] : ["CI_JOB_TOKEN"])];
  const missing = needed.filter((variable) => !env[variable]);
  if (missing.length > 0) throw routingErrors.gitlab_variables_missing(missing);
  // CI_PROJECT_ID may be a path, whose slashes must be encoded.
  const [id, state] = [project ?? "", name ?? gitlabStateName(target)].map(encodeURIComponent);
  const address = `${api}/projects/${id}/terraform/state/${state}`;
  const lockAddress = parseServerUrl(`${address}/lock`, "CI_API_V4_URL");
  return {
    address: parseServerUrl(address, "CI_API_V4_URL"),
    lockAddress,
    unlockAddress: lockAddress,
    lockMethod: "POST",
    unlockMethod: "DELETE",
    credential:
      own ??
      registered({
        username: "gitlab-ci-token",
        password: token ?? "",
        variable: "CI_JOB_TOKEN",
      }),
  };
}

function gitlabStateName({ origin, basePath, project }: StateTarget): string {
  const { host } = new URL(origin);
  return `amp-${host}${basePath}-${project}`.replaceAll(/[^A-Za-z\d]+/gu, "-");
}

/** A state on a server of Terraform's HTTP state protocol, which GitLab and others implement. */
export function httpBackend(at: HttpStateLocation, options: StateServerOptions = {}): StateBackend {
  const server = new StateServer(at, options);
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
        throw routingErrors.state_not_locked(location);
      }
      const { by } = attempt;
      if (by.id !== undefined && by.id !== id) {
        throw routingErrors.state_lock_different(location, id, describedHolder(by));
      }
      await server.release({ ...probe, ID: id });
    },
  };
}

/** The operations of the protocol, as Terraform sends them. All throw {@link AmpError}s. */
class StateServer {
  readonly location: string;
  readonly #at: HttpStateLocation;
  readonly #options: StateServerOptions;

  constructor(at: HttpStateLocation, options: StateServerOptions) {
    this.location = shownUrl(at.address);
    this.#at = at;
    this.#options = options;
  }

  /**
   * Reads the saved text; undefined if nothing was saved yet.
   * @param interruptible whether the signal ends it at once: no change depends on the answer
   */
  async read(interruptible = false): Promise<string | undefined> {
    const action = `read ${this.location}`;
    const url = this.#at.address;
    const answer = await this.#send({ method: "GET", url, action, interruptible });
    if (answer.status === 200 && isPage(answer)) throw routingErrors.state_server_page(action);
    if (answer.status === 200) return answer.text === "" ? undefined : answer.text;
    if (answer.status === 204 || answer.status === 404) return undefined;
    throw httpError(this.#at, answer, action);
  }

  /** Replaces the saved text. @returns false if the state is locked with another ID by now */
  save(text: string, lockId: string): Promise<boolean> {
    const url = new URL(this.#at.address);
    url.searchParams.set("ID", lockId);
    const request = { method: "POST", url, action: `save ${this.location}`, body: text };
    return retryUntilKnown<boolean>(this.#options, {
      send: () => this.#send(request),
      judge: (answer) => {
        if (!isLocked(answer)) this.#assertDone(answer, request);
        return !isLocked(answer);
      },
      findResult: async () => (await this.read()) === text || undefined,
    });
  }

  acquire(
    info: LockInfo,
    { interruptible = true, retries = this.#options.retries } = {},
  ): Promise<LockAttempt> {
    const { lockMethod: method, lockAddress: url } = this.#at;
    const action = `lock ${this.location}`;
    const request = { method, url, action, body: JSON.stringify(info), interruptible };
    const asking: RepeatableRequest<LockAttempt> = {
      send: () => this.#send(request),
      judge: (answer) => {
        if (isLocked(answer)) return { by: parseLockHolder(answer.text, info) };
        this.#assertDone(answer, request);
        if (isPage(answer)) throw routingErrors.state_server_page(action);
        return "taken";
      },
    };
    return retryUntilKnown(this.#options, asking, retries === undefined ? undefined : retries + 1);
  }

  release(info: LockInfo): Promise<void> {
    const { unlockMethod: method, unlockAddress: url } = this.#at;
    const action = `release the lock of ${this.location}`;
    const request = { method, url, action, body: JSON.stringify(info) };
    return retryUntilKnown<void>(this.#options, {
      send: () => this.#send(request),
      judge: (answer) => {
        // The previous request, whose answer was lost, has released the lock already.
        if (!(answer.repeated && isLocked(answer))) this.#assertDone(answer, request);
      },
    });
  }

  async withdraw(info: LockInfo): Promise<void> {
    // Some servers release the lock of whoever has it: the holder is asked for first.
    const attempt = await this.acquire(info, { interruptible: false, retries: 0 });
    if (isHeldBy(info, attempt)) await this.release(info);
  }

  #send(request: Omit<StateRequest, "headers">): Promise<StateResponse> {
    const headers = requestHeaders(this.#at, request.body);
    return sendStateRequest({ ...request, headers }, this.#options);
  }

  #assertDone(answer: StateResponse, { action }: Pick<StateRequest, "action">): void {
    if (!isSuccess(answer)) throw httpError(this.#at, answer, action);
  }
}

/**
 * Whether a body is a page. Its type says nothing: some servers send an empty body as text/html.
 */
function isPage({ text }: StateResponse): boolean {
  return /^\s*</u.test(text);
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
  throw routingErrors.lock_not_exclusive(server.location);
}

function lockedServerState(server: StateServer, info: LockInfo): LockedState {
  /** The digests of all texts that this run has read or sent: any other is another run's. */
  const own = new Set<string>();
  let lost = false;
  let isKept = false;

  function lose(): never {
    lost = true;
    throw durableErrors.lock_lost(server.location);
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
      if (!isSameJson(kept, text)) throw routingErrors.state_save_lost(server.location);
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

/** The error for an answer of a state server that is not a success, with a remedy. */
function httpError(
  { credential }: HttpStateLocation,
  answer: StateResponse,
  action: string,
): AmpError {
  const error = refusedError(answer, action, messageIn(answer));
  if (error instanceof AuthError) return error.setFacts({ remedy: credentialRemedy(credential) });
  // The statuses of an unknown method.
  if (![404, 405, 501].includes(answer.status)) return error;
  return error.setFacts({
    remedy: [
      "The server must support locking. If the lock has its own URL or method, set",
      "AMP_STATE_LOCK_ADDRESS and AMP_STATE_LOCK_METHOD.",
    ].join(" "),
  });
}

function credentialRemedy(credential: HttpStateLocation["credential"]): string {
  if (credential === undefined) return "Set AMP_STATE_USERNAME and AMP_STATE_PASSWORD.";
  if (credential.variable === undefined) {
    return "Check AMP_STATE_USERNAME and AMP_STATE_PASSWORD.";
  }
  return [
    `The credential is ${credential.variable}, with the permissions of the user who started the job:`,
    "saving a state needs the Maintainer role in the project. To use another token, set",
    "AMP_STATE_USERNAME and AMP_STATE_PASSWORD.",
  ].join(" ");
}

/** The message of an error in JSON; undefined for any other answer. */
function messageIn({ text }: StateResponse): string | undefined {
  const { message } = Object(jsonOf(text));
  return typeof message === "string" ? message : undefined;
}
