import { UsageError } from "../../../errors.ts";
import { isLoopback } from "../../../runtime/loopback.ts";
import type { StateTarget } from "../state.ts";

/** A server of Terraform's HTTP state protocol. */
export interface HttpStateLocation {
  readonly address: URL;
  readonly lockAddress: URL;
  readonly unlockAddress: URL;
  readonly lockMethod: string;
  readonly unlockMethod: string;
  /** For basic authentication; absent: none is sent. */
  readonly credential?: { readonly username: string; readonly password: string };
}

/** The environment of a call. */
export type StateEnvironment = Readonly<Record<string, string | undefined>>;

/**
 * The server that an address and the environment name. Without a lock address of its own, the
 * state's address takes the lock too.
 * @throws {UsageError} naming the variable that is wrong
 */
export function httpLocation(
  address: string,
  source: string,
  env: StateEnvironment,
): HttpStateLocation {
  const lockAddress = env.AMP_STATE_LOCK_ADDRESS ?? address;
  const unlockAddress = env.AMP_STATE_UNLOCK_ADDRESS ?? lockAddress;
  const credential = basicCredential(env);
  return {
    address: parseServerUrl(address, source),
    lockAddress: parseServerUrl(lockAddress, "AMP_STATE_LOCK_ADDRESS"),
    unlockAddress: parseServerUrl(unlockAddress, "AMP_STATE_UNLOCK_ADDRESS"),
    lockMethod: lockMethodFrom(env, "AMP_STATE_LOCK_METHOD", "LOCK"),
    unlockMethod: lockMethodFrom(env, "AMP_STATE_UNLOCK_METHOD", "UNLOCK"),
    ...(credential ? { credential } : {}),
  };
}

/** AMP_STATE_USERNAME and AMP_STATE_PASSWORD; undefined where neither is set. */
export function basicCredential({
  AMP_STATE_USERNAME: username = "",
  AMP_STATE_PASSWORD: password = "",
}: StateEnvironment): HttpStateLocation["credential"] {
  if (username === "" && password === "") return undefined;
  if (username.includes(":")) {
    throw new UsageError(
      "AMP_STATE_USERNAME holds a colon, which basic authentication cannot carry",
    );
  }
  return { username, password };
}

function lockMethodFrom(env: StateEnvironment, name: string, usual: string): string {
  const value = env[name] ?? usual;
  if (/^[A-Za-z]+$/u.test(value)) return value.toUpperCase();
  throw new UsageError(`${name} is no method such as ${usual} or POST`);
}

/**
 * The state of a GitLab project, found by the variables of its CI jobs.
 * @param name of the state; by default after the target, so that two of them never meet
 * @throws {UsageError} naming the variables that are missing
 */
export function gitlabLocation(
  name: string | undefined,
  env: StateEnvironment,
  target: StateTarget,
): HttpStateLocation {
  const own = basicCredential(env);
  const { CI_API_V4_URL: api, CI_PROJECT_ID: project, CI_JOB_TOKEN: token } = env;
  const needed = {
    CI_API_V4_URL: api,
    CI_PROJECT_ID: project,
    ...(own ? {} : { CI_JOB_TOKEN: token }),
  };
  const missing = Object.entries(needed).flatMap(([variable, value]) => (value ? [] : variable));
  if (missing.length > 0) {
    throw new UsageError(`--state gitlab needs ${listInWords(missing)}, which GitLab CI sets`, {
      remedy: [
        "Elsewhere, set CI_API_V4_URL and CI_PROJECT_ID, with a user name and an access token in",
        "AMP_STATE_USERNAME and AMP_STATE_PASSWORD.",
      ].join(" "),
      done: "Nothing was sent.",
    });
  }
  // The project may stand there by its path, whose slashes are to be encoded.
  const [id, state] = [project ?? "", name ?? gitlabStateName(target)].map(encodeURIComponent);
  const address = `${api}/projects/${id}/terraform/state/${state}`;
  const lockAddress = parseServerUrl(`${address}/lock`, "CI_API_V4_URL");
  return {
    address: parseServerUrl(address, "CI_API_V4_URL"),
    lockAddress,
    unlockAddress: lockAddress,
    lockMethod: "POST",
    unlockMethod: "DELETE",
    credential: own ?? { username: "gitlab-ci-token", password: token ?? "" },
  };
}

function listInWords(names: readonly string[]): string {
  return [names.slice(0, -1).join(", "), ...names.slice(-1)].filter(Boolean).join(" and ");
}

function gitlabStateName({ origin, basePath, project }: StateTarget): string {
  const { host } = new URL(origin);
  return `amp-${host}${basePath}-${project}`.replaceAll(/[^A-Za-z\d]+/gu, "-");
}

/**
 * Reads the address of a state server.
 * @param source what errors call it, for example `AMP_STATE_LOCK_ADDRESS`
 * @throws {UsageError} for anything but an https URL, or an http URL of this machine, without user
 *   info
 */
export function parseServerUrl(text: string, source: string): URL {
  const url = /^https?:\/\/[^/\\\s]/iu.test(text) ? URL.parse(text) : null;
  // Not shown: what stands before the @ may be a secret.
  if (/^[^/]*\/\/[^/?#]*@/u.test(text)) {
    throw new UsageError(`${source} holds user info (what stands before the @)`, {
      remedy: "Set AMP_STATE_USERNAME and AMP_STATE_PASSWORD in place of it.",
    });
  }
  if (url === null) {
    throw new UsageError(`${source} is no address such as https://state.example.com/routing`);
  }
  if (url.protocol === "http:" && !isLoopback(url.hostname)) {
    throw new UsageError(`${source} is not encrypted: ${shownUrl(url)}`, {
      detail: "A credential sent over http can be read on its way.",
      remedy: "Use https; http is for this machine alone.",
    });
  }
  url.hash = "";
  return url;
}

/** An address as messages show it: what is in a query may be a secret. */
export function shownUrl(url: URL): string {
  return `${url.origin}${url.pathname}${url.search === "" ? "" : "?…"}`;
}
