import { NotFoundError, UsageError } from "../errors.ts";
import { nearest } from "../nearest.ts";
import type { CredentialKind } from "../settings.ts";

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
export function noSuchProfile(
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
