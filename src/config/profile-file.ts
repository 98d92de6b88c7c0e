import { join } from "node:path";
import { readOwnFileSync } from "../durable/read-file.ts";
import { NotFoundError, UsageError } from "../errors.ts";
import { Secret } from "../secrets/secret.ts";
import { CREDENTIAL_KINDS, type CredentialKind } from "../settings.ts";
import { nearest } from "../values/nearest.ts";
import type { StoredCredential } from "./credentials-file.ts";
import {
  choiceAt,
  type Fields,
  objectAt,
  optionalTextAt,
  parseJsonText,
  requiredTextAt,
  shapeError,
  withFileErrors,
} from "./own-file.ts";

/** A saved login without its secret. Fields that this version does not know are kept. */
export interface Profile {
  /** Where its service is; checked when it is used. */
  readonly baseUrl: string;
  /** The kind of its credential; the secret is in a file of its own. */
  readonly credential: CredentialKind | "none";
  /** The keyring's entry that holds the secret; absent: it is in the file of secrets. */
  readonly keyring?: string;
  /** Defaults of the commands; a project by name or ID, an organisation and integration by ID. */
  readonly project?: string;
  readonly org?: string;
  readonly integration?: string;
}

/** Whether a profile may have this name. */
export function isProfileName(name: string): boolean {
  // The one name that an object cannot hold like any other.
  return /^[\w.-]{1,64}$/u.test(name) && name !== "__proto__";
}

/**
 * Refuses a name that no profile may have.
 * @throws {UsageError}
 */
export function checkProfileName(name: string): void {
  if (isProfileName(name)) return;
  throw new UsageError(`${JSON.stringify(name)} is no name for a profile`, {
    detail: "A name has 1 to 64 letters, digits, dots, dashes and underscores.",
  });
}

/** What is thrown for a profile that does not exist. */
export function profileNotFound(
  name: string,
  names: readonly string[],
  source?: string,
): NotFoundError {
  const near = nearest(name, names);
  return new NotFoundError(`No profile is named ${JSON.stringify(name)}`, {
    ...(source === undefined ? {} : { detail: `It is named by ${source}.` }),
    ...(near === undefined ? {} : { remedy: `Did you mean ${near}?` }),
    suggestion: "amp auth list",
  });
}

/** The built-in profile: the platform that amp embeds. It needs no login and no file. */
export const SANDBOX_NAME = "sandbox";

/** What `amp sandbox start` serves. A test compares it with the sandbox's own defaults. */
export const SANDBOX_PROFILE: Profile = {
  baseUrl: "http://127.0.0.1:4747/v1",
  credential: "api-key",
  project: "acme",
  org: "org_5a17e0c4",
  integration: "113e9685-9a51-42cc-8662-9d9725b17f14",
};

/** Public: it opens nothing but a sandbox. */
export const SANDBOX_CREDENTIAL: StoredCredential = {
  kind: "api-key",
  secret: Secret.published("sandbox-api-key"),
  origin: "http://127.0.0.1:4747",
};

/**
 * Refuses what would change the built-in profile.
 * @param change for example `cannot be renamed`
 */
export function assertNotSandbox(name: string, change: string): void {
  if (name !== SANDBOX_NAME) return;
  throw new UsageError(`The profile ${SANDBOX_NAME} is built in and ${change}`, {
    remedy: "Choose another name.",
  });
}

/** What the file of profiles holds; a map, for a name may be one that every object has. */
export interface ProfileFile {
  readonly active: string | undefined;
  readonly profiles: ReadonlyMap<string, Profile>;
}

/** The path of the file of profiles, which is also the path of the lock of the whole folder. */
export function profileFilePath(folder: string): string {
  return join(folder, "config.json");
}

/**
 * Reads the profiles. By hand, for this is on the way of nearly every command, and importing conf
 * or zod costs more than all else that such a command does.
 * @throws {UsageError} with path and place for a file that cannot be understood; it is left alone
 */
export function readProfileFile(folder: string): ProfileFile {
  const path = profileFilePath(folder);
  const text = readIfExists(path);
  return text === undefined
    ? { active: undefined, profiles: new Map() }
    : parseProfiles(text, path);
}

/** The text of a file of the user's; undefined where there is none. @param most bytes */
export function readIfExists(path: string, most?: number): string | undefined {
  return withFileErrors("read", path, () => readOwnFileSync(path, most));
}

function parseProfiles(text: string, path: string): ProfileFile {
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
  const fields: Fields = objectAt(path, where, value);
  for (const key of ["project", "org", "integration", "keyring"])
    optionalTextAt(path, `${where}.${key}`, fields[key]);
  const baseUrl = requiredTextAt(path, `${where}.baseUrl`, fields.baseUrl);
  const kinds = [...CREDENTIAL_KINDS, "none"] as const;
  const credential = choiceAt(path, `${where}.credential`, fields.credential ?? "none", kinds);
  return { ...fields, baseUrl, credential };
}
