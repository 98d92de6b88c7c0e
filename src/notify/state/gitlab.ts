import { UsageError } from "../../errors.ts";
import { basicCredential, type Environment, type HttpPlace } from "./http-options.ts";
import { serverUrl } from "./server-url.ts";
import type { StateTarget } from "./state.ts";

/**
 * The state of a GitLab project, found by the variables of its CI jobs.
 * @param name of the state; by default after the target, so that two of them never meet
 * @throws {UsageError} naming the variables that are missing
 */
export function gitlabPlace(
  name: string | undefined,
  env: Environment,
  target: StateTarget,
): HttpPlace {
  const own = basicCredential(env);
  const { CI_API_V4_URL: api, CI_PROJECT_ID: project, CI_JOB_TOKEN: token } = env;
  const needed = {
    CI_API_V4_URL: api,
    CI_PROJECT_ID: project,
    ...(own ? {} : { CI_JOB_TOKEN: token }),
  };
  const missing = Object.entries(needed).flatMap(([variable, value]) => (value ? [] : variable));
  if (missing.length > 0) {
    throw new UsageError(`--state gitlab needs ${inWords(missing)}, which GitLab CI sets`, {
      remedy: [
        "Elsewhere, set CI_API_V4_URL and CI_PROJECT_ID, with a user name and an access token in",
        "AMP_STATE_USERNAME and AMP_STATE_PASSWORD.",
      ].join(" "),
      done: "Nothing was sent.",
    });
  }
  // The project may stand there by its path, whose slashes are to be encoded.
  const [id, state] = [project ?? "", name ?? nameOf(target)].map(encodeURIComponent);
  const address = `${api}/projects/${id}/terraform/state/${state}`;
  const lockAddress = serverUrl(`${address}/lock`, "CI_API_V4_URL");
  return {
    address: serverUrl(address, "CI_API_V4_URL"),
    lockAddress,
    unlockAddress: lockAddress,
    lockMethod: "POST",
    unlockMethod: "DELETE",
    credential: own ?? { username: "gitlab-ci-token", password: token ?? "" },
  };
}

function inWords(names: readonly string[]): string {
  return [names.slice(0, -1).join(", "), ...names.slice(-1)].filter(Boolean).join(" and ");
}

function nameOf({ origin, basePath, project }: StateTarget): string {
  const { host } = new URL(origin);
  return `amp-${host}${basePath}-${project}`.replaceAll(/[^A-Za-z\d]+/gu, "-");
}
