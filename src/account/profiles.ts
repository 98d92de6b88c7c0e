import type { NotFoundError } from "../errors.ts";
import { Secret } from "../secrets/secret.ts";
import type { CredentialKind, ProfileSetting } from "../settings.ts";
import { nearest } from "../values/nearest.ts";
import type { ProfileGuards } from "../values/writes.ts";
import { accountErrors } from "./errors.ts";

/** A saved login without its secret. Fields that this version does not know are kept. */
export interface Profile extends ProfileGuards, Readonly<Partial<Record<ProfileSetting, string>>> {
  /** The URL of the service; checked when it is used, as the other settings are. */
  readonly baseUrl: string;
  /** The URL of operations, logs and backfills, if they are on a separate host. */
  readonly readBaseUrl?: string;
  /** The kind of its credential; the secret is in a file of its own. */
  readonly credential: CredentialKind | "none";
  /** The keyring entry of the secret; absent: the secret is in the file of secrets. */
  readonly keyring?: string;
}

/** The content of the file of profiles; a map, because a profile may be named `constructor`. */
export interface ProfileFile {
  readonly active: string | undefined;
  readonly profiles: ReadonlyMap<string, Profile>;
}

/** A saved secret. */
export interface StoredCredential {
  readonly kind: CredentialKind;
  readonly secret: Secret;
  /** The only origin that it may be sent to, but for that of reads. */
  readonly origin: string;
  /** The origin of operations, logs and backfills that it was given for, if they have their own. */
  readonly readOrigin?: string;
}

/** The content of the file of secrets, by profile. */
export interface StoredCredentials {
  readonly credentials: ReadonlyMap<string, StoredCredential>;
  /** A line for each problem with the file's mode. */
  readonly notices: readonly string[];
}

/** The trusted content of the project file at one path. */
export interface TrustedContent {
  readonly sha256: string;
  /** The time of the trust: RFC 3339. */
  readonly since: string;
}

/** A profile as `amp auth list` shows it. */
export interface ListedProfile extends Profile {
  readonly name: string;
  readonly active: boolean;
  /** The profile of the sandbox, which cannot be changed. */
  readonly builtIn: boolean;
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

/** Whether a saved profile may have this name. */
export function isProfileName(name: string): boolean {
  // The only name that an object cannot hold as an ordinary key is excluded.
  return /^[\w.-]{1,64}$/u.test(name) && name !== "__proto__";
}

/**
 * Checks the name of a new profile.
 * @throws {UsageError} for a name that no saved profile may have
 */
export function checkNewName(name: string): void {
  assertNotSandbox(name, "cannot be overwritten", true);
  if (isProfileName(name)) return;
  throw accountErrors.profile_name_invalid(name);
}

/**
 * Refuses a change of the built-in profile.
 * @param change for example `cannot be renamed`
 * @throws {UsageError}
 */
export function assertNotSandbox(name: string, change: string, isNew = false): void {
  if (name !== SANDBOX_NAME) return;
  throw accountErrors.profile_built_in(SANDBOX_NAME, change, isNew);
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

/** A profile by its name; undefined for an unknown one. */
export function findProfile(
  name: string,
  saved: () => Pick<ProfileFile, "profiles">,
): Profile | undefined {
  return name === SANDBOX_NAME ? SANDBOX_PROFILE : saved().profiles.get(name);
}

/**
 * The error for a profile that does not exist.
 * @param source the setting that names it, if any
 */
export function profileNotFound(
  name: string,
  { profiles }: Pick<ProfileFile, "profiles">,
  source?: string,
): NotFoundError {
  const near = nearest(name, [SANDBOX_NAME, ...profiles.keys()]);
  return accountErrors.profile_not_found(name, near, source);
}
