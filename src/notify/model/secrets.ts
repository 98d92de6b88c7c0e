import type { Secret } from "../../secrets/secret.ts";
import { SETTINGS } from "../../settings.ts";
import {
  isFileReference,
  isSensitive,
  type Metadata,
  type MetadataReference,
  mapTexts,
  placeholderProblem,
  referenceAt,
  referencedVariable,
  referenceText,
} from "./metadata.ts";

/** Secrets of one destination, by the service's names for them. */
export type Secrets = Readonly<Record<string, Secret>>;

/** The content of a destination, besides its name and type. */
export interface DestinationContent {
  readonly metadata: Metadata;
  readonly secrets: Secrets;
  /** The values of the metadata that are read from variables. */
  readonly references?: readonly MetadataReference[];
}

/** Whether a destination has any field. */
export function hasContent({ metadata, secrets }: DestinationContent): boolean {
  return Object.keys(metadata).length + Object.keys(secrets).length > 0;
}

/** The values of secrets, for a check of their form; never for a message. */
export function revealedSecrets(secrets: Secrets): Record<string, string> {
  return Object.fromEntries(
    Object.entries(secrets).map(([name, secret]) => [name, secret.reveal()]),
  );
}

/** Makes names for variables that replace hidden values; each part gets its own. */
export function variableNames(): Variable {
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

/** A function that returns, and records, the variable for a value that must not be shown. */
export type Variable = (...parts: readonly string[]) => string;

/**
 * The metadata of a destination as files and commands have it: what was read from a variable refers
 * to it again, and so does a credential, to a new one.
 * @param literal keeps credentials as they are
 */
export function writtenMetadata(
  destination: string,
  { type, metadata, references }: Omit<DestinationContent, "secrets"> & { readonly type: string },
  variable: Variable,
  literal = false,
): Metadata {
  return mapTexts(metadata, (text, path) => {
    const reference = referenceAt(references, path, text);
    if (reference) return referenceText(reference);
    const isCredential = !literal && text !== "" && isSensitive(type, path, text);
    const isReference = isFileReference(text) || referencedVariable(text) !== undefined;
    const isHidden = isCredential || isReference || placeholderProblem(text) !== undefined;
    return isHidden ? `env:${variable(destination, ...path)}` : text;
  });
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

const CI_TOKEN = "is a token of the CI job";
const LOGIN = "belongs to a login of this machine";

/** The owners of variables, by a pattern of their names in upper case. */
const OWNERS: readonly (readonly [pattern: RegExp, owner: string])[] = [
  [/^AMP_/u, "belongs to amp"],
  [/^AWS_/u, "belongs to the AWS login of this machine"],
  [/^(?:CI|GITHUB|GH|GITLAB|NPM|NODE_?AUTH|VAULT)_(?:\w+_)?(?:TOKEN|PAT)$/u, CI_TOKEN],
  [/^(?:JENKINS|APPVEYOR|TRAVIS|CIRCLE|BITBUCKET|BUILDKITE)_(?:\w+_)?TOKEN\w*$/u, CI_TOKEN],
  [/^ACTIONS_\w+_(?:TOKEN|URL)$/u, CI_TOKEN],
  [/^CI_(?:JOB_JWT\w*|\w+_PASSWORD)$/u, CI_TOKEN],
  [/^(?:SYSTEM_ACCESSTOKEN|DRONE_NETRC_PASSWORD)$/u, CI_TOKEN],
  // A job of GitLab gives its ID tokens names of its own. SECRET_ is what amp itself writes.
  [/^(?!SECRET_)(?:\w+_)?(?:ID|OIDC)_TOKEN$/u, CI_TOKEN],
  [/^(?:AZURE|ARM)_CLIENT_SECRET$|^TF_TOKEN_|^DOCKER_AUTH_CONFIG$|^ALL_PROXY$/u, LOGIN],
];

/** Words in the names of refused variables whose value is a secret, and not a region or a path. */
const SECRET_NAME = /TOKEN|SECRET|PASSWORD|KEY|JWT|PAT$|AUTH_CONFIG/iu;

/** The shortest value that is not found in another one by coincidence. */
const MIN_SECRET = 8;

/** A URL, of any scheme, with a user name or password. */
const USER_INFO = /:\/\/[^/?#@\s]+@/u;

/**
 * The owner of a variable that a routing file may read only if it is allowed: amp's own settings,
 * logins of this machine, and the variables of CI jobs. The text ends a sentence.
 */
export function protectedVariable(name: string): string | undefined {
  const upper = name.toUpperCase();
  const isSetting = Object.values(SETTINGS).some((one) => "env" in one && one.env === upper);
  return isSetting ? "belongs to amp" : OWNERS.find(([pattern]) => pattern.test(upper))?.[1];
}

/**
 * The login that the value of a variable contains, which a CI system may give several names. The
 * text ends a sentence.
 * @param isTarget whether requests are sent to the value itself
 */
export function protectedValue(
  value: string,
  variables: Readonly<Record<string, string | undefined>>,
  isTarget: boolean,
): string | undefined {
  const [source] =
    Object.entries(variables).find(
      ([name, secret = ""]) =>
        secret.length >= MIN_SECRET &&
        value.includes(secret) &&
        SECRET_NAME.test(name) &&
        protectedVariable(name) !== undefined,
    ) ?? [];
  if (source !== undefined) return `contains the value of ${source}`;
  return USER_INFO.test(value) && !isTarget
    ? "contains a URL with a user name or password"
    : undefined;
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
