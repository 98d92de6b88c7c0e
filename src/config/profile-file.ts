import { join } from "node:path";
import { AuthError, NotFoundError, UsageError } from "../errors.ts";
import { Secret } from "../secrets/secret.ts";
import { CREDENTIAL_KINDS, type CredentialKind, isEnabled, PROFILE_SETTINGS } from "../settings.ts";
import { nearest } from "../values/nearest.ts";
import { suggest } from "../values/suggested-command.ts";
import type { ProfileGuards } from "../values/writes.ts";
import type { StoredCredential } from "./credentials-file.ts";
import {
  choiceAt,
  objectAt,
  optionalTextAt,
  parseJsonText,
  readIfExists,
  requiredTextAt,
  shapeError,
} from "./own-file.ts";

/** The settings that a profile supplies unless an option or a variable sets them. */
export interface ProfileDefaults {
  /** The URL of the service; checked when it is used. */
  readonly baseUrl: string;
  /** The URL of operations, logs and backfills, if they are on a separate host. */
  readonly readBaseUrl?: string;
  /** Defaults of the commands; a project by name or ID, an organisation and integration by ID. */
  readonly project?: string;
  readonly org?: string;
  readonly integration?: string;
  readonly output?: string;
  /** Of requests; checked when they are used. */
  readonly timeout?: string;
  readonly retries?: string;
  readonly maxWait?: string;
  readonly maxBody?: string;
  readonly auth?: string;
}

/** A saved login without its secret. Fields that this version does not know are kept. */
export interface Profile extends ProfileDefaults, ProfileGuards {
  /** The kind of its credential; the secret is in a file of its own. */
  readonly credential: CredentialKind | "none";
  /** The keyring entry of the secret; absent: the secret is in the file of secrets. */
  readonly keyring?: string;
}

function isProfileName(name: string): boolean {
  // The only name that an object cannot hold as an ordinary key is excluded.
  return /^[\w.-]{1,64}$/u.test(name) && name !== "__proto__";
}

/**
 * Checks the name of a new profile.
 * @throws {UsageError} for a name that no saved profile may have
 */
export function checkNewName(name: string): void {
  assertNotSandbox(name, "cannot be overwritten");
  if (isProfileName(name)) return;
  throw new UsageError(`${JSON.stringify(name)} is not a valid profile name`, {
    remedy: "Use 1 to 64 letters, digits, dots, dashes and underscores.",
  });
}

/**
 * The error for a profile that does not exist.
 * @param source the setting that names it, if any
 */
export function profileNotFound(
  name: string,
  names: readonly string[],
  source?: string,
): NotFoundError {
  const near = nearest(name, names);
  return new NotFoundError(`Profile ${JSON.stringify(name)} not found`, {
    ...(source === undefined ? {} : { detail: `It is set by ${source}.` }),
    ...(near === undefined ? {} : { remedy: `Did you mean ${near}?` }),
    suggestion: suggest("auth list"),
  });
}

/** The name of the built-in profile, for the embedded platform. It needs no login and no file. */
export const SANDBOX_NAME = "sandbox";

/** The defaults of `amp sandbox start`. A test compares them with the sandbox's own. */
export const SANDBOX_PROFILE: Profile = {
  baseUrl: "http://127.0.0.1:4747/v1",
  credential: "api-key",
  project: "acme",
  org: "org_5a17e0c4",
  integration: "113e9685-9a51-42cc-8662-9d9725b17f14",
};

/** The credential of the sandbox. Its key is public, and valid only for a sandbox. */
export const SANDBOX_CREDENTIAL: StoredCredential = {
  kind: "api-key",
  secret: Secret.published("sandbox-api-key"),
  origin: "http://127.0.0.1:4747",
};

/**
 * Refuses a change of the built-in profile.
 * @param change for example `cannot be renamed`
 * @throws {UsageError}
 */
export function assertNotSandbox(name: string, change: string): void {
  if (name !== SANDBOX_NAME) return;
  throw new UsageError(`The profile ${SANDBOX_NAME} is built in and ${change}`, {
    remedy: `Choose another name: ${SANDBOX_NAME} is built in.`,
  });
}

/** The content of the file of profiles; a map, because a profile may be named `constructor`. */
export interface ProfileFile {
  readonly active: string | undefined;
  readonly profiles: ReadonlyMap<string, Profile>;
}

/** The path of the file of profiles, which is also the path of the lock of the whole folder. */
export function profileFilePath(folder: string): string {
  return join(folder, "config.json");
}

/**
 * Reads the profiles, without conf, which writes them: nearly every command reads them, and
 * importing conf takes 25 to 40 ms, more than the rest of its start. Opening conf would also create
 * the folder, and wait for the writer of a named pipe.
 * @throws {UsageError} with path and position for a file that is not valid; it is not changed
 */
export function readProfileFile(folder: string): ProfileFile {
  const path = profileFilePath(folder);
  const text = readIfExists(path);
  if (text === undefined) return { active: undefined, profiles: new Map() };
  const { active, profiles = {} } = objectAt(path, "it", parseJsonText(text, path));
  const named = Object.entries(objectAt(path, "profiles", profiles));
  return {
    active: optionalTextAt(path, "active", active),
    profiles: new Map(named.map(([name, value]) => [name, profileAt(path, name, value)])),
  };
}

function profileAt(path: string, name: string, value: unknown): Profile {
  const where = `profiles.${name}`;
  if (!isProfileName(name)) {
    throw shapeError(path, `the name ${JSON.stringify(name)}`, "letters, digits, dots and dashes");
  }
  const fields = objectAt(path, where, value);
  for (const key of ["readBaseUrl", "keyring", ...PROFILE_SETTINGS]) {
    optionalTextAt(path, `${where}.${key}`, fields[key]);
  }
  for (const key of ["protected", "readOnly"]) {
    // A guard that cannot be understood must not be taken for none.
    const isFlag = fields[key] === undefined || typeof fields[key] === "boolean";
    if (!isFlag) throw shapeError(path, `${where}.${key}`, "true or false");
  }
  const baseUrl = requiredTextAt(path, `${where}.baseUrl`, fields.baseUrl);
  const kinds = [...CREDENTIAL_KINDS, "none"] as const;
  const credential = choiceAt(path, `${where}.credential`, fields.credential ?? "none", kinds);
  return { ...fields, baseUrl, credential };
}

/**
 * The one error of everything that needs a login where there is none, with three ways out.
 * @param env the variables: where they have the base URL, only the credential is missing; in a CI
 *   job nobody logs in
 * @param message what is missing, if it is not the whole login
 * @param port of the sandbox that the base URL names, if it is not the usual one
 */
export function notLoggedIn(
  env: Readonly<Record<string, string | undefined>>,
  message?: string,
  port?: string,
): AuthError {
  const isKeyForgotten = message === undefined && env.AMP_BASE_URL !== undefined;
  const others = isKeyForgotten ? "" : "AMP_BASE_URL, AMP_PROJECT and ";
  const variables = `${others}AMP_API_KEY (or AMP_ACCESS_TOKEN)`;
  const isCi = isEnabled(env.CI);
  return new AuthError(message ?? (isKeyForgotten ? "AMP_API_KEY is not set" : "Not logged in"), {
    remedy: isCi
      ? `Set ${variables}.`
      : `Log in, or set ${variables}, or try the sandbox: while it runs, add --profile sandbox.`,
    done: "Nothing was sent.",
    ...(!isCi && { suggestion: [suggest("auth login"), suggest("sandbox start", [], { port })] }),
  });
}

/** A profile as `amp auth list` shows it. */
export interface ListedProfile extends Profile {
  readonly name: string;
  readonly active: boolean;
  /** The profile of the sandbox, which cannot be changed. */
  readonly builtIn: boolean;
}

/** The profiles by name; the built-in one is last. */
export function listProfiles({ active, profiles }: ProfileFile): ListedProfile[] {
  const saved = [...profiles].filter(([name]) => name !== SANDBOX_NAME);
  saved.sort(([a], [b]) => (a < b ? -1 : 1));
  return [...saved, [SANDBOX_NAME, SANDBOX_PROFILE] as const].map(([name, profile]) => ({
    ...profile,
    name,
    active: name === active,
    builtIn: name === SANDBOX_NAME,
  }));
}

/**
 * A profile by its name.
 * @throws {NotFoundError} for an unknown one
 */
export function requireProfile(name: string, { profiles }: Pick<ProfileFile, "profiles">): Profile {
  const profile = name === SANDBOX_NAME ? SANDBOX_PROFILE : profiles.get(name);
  if (profile) return profile;
  throw profileNotFound(name, [...profiles.keys(), SANDBOX_NAME]);
}
