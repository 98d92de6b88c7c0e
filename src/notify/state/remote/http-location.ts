import type { RunEnvironment } from "../../../context/command-context.ts";
import { type AmpError, AuthError, UsageError } from "../../../errors.ts";
import { isLoopback } from "../../../runtime/loopback.ts";
import { registerAddressSecrets } from "../../../secrets/address.ts";
import { registerSecret } from "../../../secrets/secret.ts";
import { defined, jsonOf } from "../../../values/json.ts";
import type { StateTarget } from "../state.ts";
import { refusedError, type StateResponse } from "./send.ts";

/** The addresses and credential of a server of Terraform's HTTP state protocol. */
export interface HttpStateLocation {
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
  if (username.includes(":")) throw new UsageError("AMP_STATE_USERNAME must not contain a colon");
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
  throw new UsageError(`${name} is not a valid HTTP method, for example ${standard} or POST`);
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
  if (missing.length > 0) {
    throw new UsageError(`--state gitlab requires ${missing.join(", ")} (set by GitLab CI)`, {
      remedy: [
        "Outside GitLab CI, set CI_API_V4_URL and CI_PROJECT_ID, and a user name and an access token",
        "in AMP_STATE_USERNAME and AMP_STATE_PASSWORD.",
      ].join(" "),
      done: "Nothing was sent.",
    });
  }
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

/**
 * Reads the URL of a state server: https, or http on this machine.
 * @param source for messages, for example `AMP_STATE_LOCK_ADDRESS`
 * @throws {UsageError} for any other URL, and for one with a user name or password
 */
export function parseServerUrl(text: string, source: string): URL {
  const url = /^https?:\/\/[^/\\\s]/iu.test(text) ? URL.parse(text) : null;
  // The URL is not shown: its password is a secret.
  if (/^[^/]*\/\/[^/?#]*@/u.test(text)) {
    throw new UsageError(`${source} must not contain a user name or password`, {
      remedy: "Remove them from the URL, and set AMP_STATE_USERNAME and AMP_STATE_PASSWORD.",
    });
  }
  if (url === null) {
    throw new UsageError(
      `${source} is not a valid URL, for example https://state.example.com/routing`,
    );
  }
  if (url.protocol === "http:" && !isLoopback(url.hostname)) {
    throw new UsageError(`${source} must use https: ${shownUrl(url)}`, {
      detail: "A credential sent over http is not encrypted.",
      remedy: "Use https; http is only allowed for this machine.",
    });
  }
  url.hash = "";
  return url;
}

/** A URL as messages show it: its query may contain a secret. */
export function shownUrl(url: URL): string {
  return `${url.origin}${url.pathname}${url.search === "" ? "" : "?…"}`;
}

/** The error for an answer of a state server that is no success, with a remedy. */
export function httpError(
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
