import { closeSync, constants, fchmodSync, fstatSync, openSync, readFileSync } from "node:fs";
import { platform } from "node:os";
import { join } from "node:path";
import { assertOwnFile } from "../durable/read-file.ts";
import { AuthError, UsageError } from "../errors.ts";
import { Secret } from "../secrets/secret.ts";
import { CREDENTIAL_KINDS, CREDENTIAL_NAMES, type CredentialKind } from "../settings.ts";
import { suggest } from "../values/suggested-command.ts";
import type { BaseUrl } from "./base-url.ts";
import {
  choiceAt,
  objectAt,
  parseJsonText,
  requiredTextAt,
  shapeError,
  withFileErrors,
} from "./own-file.ts";

/** The version of the file format. */
export const CREDENTIALS_VERSION = 1;

/** A saved secret. */
export interface StoredCredential {
  readonly kind: CredentialKind;
  readonly secret: Secret;
  /** The only origin that it may be sent to. */
  readonly origin: string;
}

/** The content of the file of secrets, by profile. */
export interface StoredCredentials {
  readonly credentials: ReadonlyMap<string, StoredCredential>;
  /** A line for each problem with the file's mode. */
  readonly notices: readonly string[];
}

/** The path of the file of secrets. */
export function credentialsPath(folder: string): string {
  return join(folder, "credentials.json");
}

/**
 * Reads the secrets.
 * @param uid of the user, on systems that have user IDs
 * @throws {UsageError} for a symbolic link, another user's file, and a file that is not valid; the
 *   file is not changed
 */
export function readCredentials(folder: string, uid = process.geteuid?.()): StoredCredentials {
  const path = credentialsPath(folder);
  const file = readPrivateFile(path, uid);
  if (file === undefined) return { credentials: new Map(), notices: [] };
  return { credentials: parseCredentials(file.text, path), notices: file.notices };
}

/**
 * Releases a saved secret for the origin that it is bound to.
 * @throws {AuthError} for any other origin, and if no secret is saved
 */
export function credentialForOrigin(
  profile: string,
  { origin }: Pick<BaseUrl, "origin">,
  stored: StoredCredential | undefined,
): StoredCredential {
  const suggestion = suggest("auth login", [], { profile });
  if (stored === undefined) {
    throw new AuthError(`No credential is saved for profile ${profile}`, { suggestion });
  }
  if (stored.origin === origin) return stored;
  const name = CREDENTIAL_NAMES[stored.kind];
  throw new AuthError(`The ${name} of profile ${profile} cannot be used for ${origin}`, {
    detail: `It was saved for ${stored.origin}.`,
    suggestion,
  });
}

function parseCredentials(text: string, path: string): Map<string, StoredCredential> {
  const { version, credentials } = objectAt(path, "it", parseJsonText(text, path));
  if (version !== CREDENTIALS_VERSION) {
    throw shapeError(path, "version", `${CREDENTIALS_VERSION}`);
  }
  const named = Object.entries(objectAt(path, "credentials", credentials));
  return new Map(named.map(([name, value]) => [name, credentialAt(path, name, value)]));
}

function credentialAt(path: string, name: string, value: unknown): StoredCredential {
  const where = `credentials.${name}`;
  const fields = objectAt(path, where, value);
  const need = (key: string) => requiredTextAt(path, `${where}.${key}`, fields[key]);
  const kind = choiceAt(path, `${where}.kind`, fields.kind, CREDENTIAL_KINDS);
  return { kind, secret: new Secret(need("secret")), origin: need("origin") };
}

/** The text of a file of secrets, and a line for each problem with its mode. */
interface PrivateText {
  readonly text: string;
  readonly notices: readonly string[];
}

/**
 * Reads a file of secrets. One that others can read is made private, and a notice says so.
 * @returns undefined if the file does not exist
 * @throws {UsageError} for a symbolic link, a folder, pipe or device, and another user's file
 */
function readPrivateFile(path: string, uid: number | undefined): PrivateText | undefined {
  return withFileErrors("read", path, () => {
    const file = openIfExists(path);
    if (file === undefined) return undefined;
    try {
      const notices = checkPrivate(file, path, uid);
      return { text: readFileSync(file, "utf8"), notices };
    } finally {
      closeSync(file);
    }
  });
}

function openIfExists(path: string): number | undefined {
  // Neither follows a link nor waits for the writer of a pipe. Windows has neither flag.
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
  try {
    return openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

function checkPrivate(file: number, path: string, uid: number | undefined): string[] {
  const stat = fstatSync(file);
  assertOwnFile(stat, path);
  if (platform() === "win32") return [];
  if (uid !== undefined && stat.uid !== uid) {
    throw new UsageError(`${path} belongs to another user`, {
      remedy: "Secrets are read only from your own files. Move it aside.",
      suggestion: suggest("auth login", [], { reset: true }),
    });
  }
  const mode = stat.mode & 0o777;
  if ((mode & 0o077) === 0) return [];
  const found = `${path} was readable by other users (mode 0${mode.toString(8)})`;
  try {
    fchmodSync(file, 0o600);
    return [`${found}; its mode is now 0600.`];
  } catch {
    return [`${found}; its mode cannot be changed.`];
  }
}
