import type { Secret } from "../../secrets/secret.ts";
import { SETTINGS } from "../../settings.ts";

/** Secrets of one destination, by the service's names for them. */
export type Secrets = Readonly<Record<string, Secret>>;

/** The values of secrets, for a check of their form; never for a message. */
export function revealedSecrets(secrets: Secrets): Record<string, string> {
  return Object.fromEntries(
    Object.entries(secrets).map(([name, secret]) => [name, secret.reveal()]),
  );
}

/** Makes names for variables that replace hidden values; each part gets its own. */
export function variableNames(): (...parts: readonly string[]) => string {
  const owners = new Map<string, string>();
  return (...parts) => {
    const owner = JSON.stringify(parts);
    const base = snake(parts);
    let name = base;
    for (let count = 2; (owners.get(name) ?? owner) !== owner; count += 1)
      name = `${base}_${count}`;
    owners.set(name, owner);
    return name;
  };
}

/**
 * A variable's name, such as `OPS_STREAM_AWS_SECRET_KEY` for `ops-stream`, `awsSecretKey`; it
 * differs from all names that are taken.
 */
function snake(parts: readonly string[]): string {
  const words = parts
    .map((part) => part.replaceAll(/([a-z\d])([A-Z])/gu, "$1_$2"))
    .join("_")
    .replaceAll(/[^A-Za-z\d]+/gu, "_")
    .replaceAll(/^_+|_+$/gu, "")
    .toUpperCase();
  const isFree = /^[A-Z]/u.test(words) && protectedVariable(words) === undefined;
  return isFree ? words : ["SECRET", words].filter(Boolean).join("_");
}

/** The owners of variables, by a pattern of their names in upper case. */
const OWNERS: readonly (readonly [pattern: RegExp, owner: string])[] = [
  [/^AMP_/u, "belongs to amp"],
  [/^AWS_/u, "belongs to the AWS login of this machine"],
  [/^(?:GITHUB|GH|GITLAB|NPM|NODE_?AUTH|VAULT)_TOKEN$/u, "is a token of the CI job"],
  [/^ACTIONS_\w+_(?:TOKEN|URL)$/u, "is a token of the CI job"],
  [/^CI_(?:JOB_TOKEN|JOB_JWT\w*|\w+_PASSWORD)$/u, "is a token of the CI job"],
  [
    /^(?:SYSTEM_ACCESSTOKEN|CIRCLE_OIDC_TOKEN\w*|DRONE_NETRC_PASSWORD)$/u,
    "is a token of the CI job",
  ],
  [/^(?:BITBUCKET_STEP_OIDC_TOKEN|BUILDKITE_AGENT_\w*TOKEN)$/u, "is a token of the CI job"],
];

/**
 * The owner of a variable that a routing file may read only if it is allowed: amp's own settings,
 * logins of this machine, and the variables of CI jobs. The text ends a sentence.
 */
export function protectedVariable(name: string): string | undefined {
  const upper = name.toUpperCase();
  const isSetting = Object.values(SETTINGS).some((one) => "env" in one && one.env === upper);
  return isSetting ? "belongs to amp" : OWNERS.find(([pattern]) => pattern.test(upper))?.[1];
}

/** Variables for a routing whose secrets are not sent: one that is not set has the value `?`. */
export function optionalVariables(sources: { variable(name: string): string | undefined }) {
  /** The names of variables that were read and are not set. */
  const unset = new Set<string>();
  return {
    unset,
    variable: (name: string): string => {
      const value = sources.variable(name);
      if (!value) unset.add(name);
      return value || "?";
    },
  };
}
