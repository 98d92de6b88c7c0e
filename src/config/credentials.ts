import { join } from "node:path";
import { AuthError } from "../errors.ts";
import { Secret } from "../secret.ts";
import { CREDENTIAL_KINDS, CREDENTIAL_NAMES, type CredentialKind } from "../settings.ts";
import type { BaseUrl } from "./base-url.ts";
import { fieldsAt, neededTextAt, oneOfAt, shapeError } from "./file-shape.ts";
import { parseJsonText } from "./json-text.ts";
import { readPrivateFile } from "./private-file.ts";

/** The version of the file's form. */
export const CREDENTIALS_VERSION = 1;

/** A saved secret. */
export interface StoredCredential {
  readonly kind: CredentialKind;
  readonly secret: Secret;
  /** The only origin that it may be sent to. */
  readonly origin: string;
}

/** What the file of secrets holds, by profile. */
export interface StoredCredentials {
  readonly credentials: ReadonlyMap<string, StoredCredential>;
  /** What was said or done about the file's mode, a line each. */
  readonly notices: readonly string[];
}

/** The path of the file of secrets. */
export function credentialsPath(folder: string): string {
  return join(folder, "credentials.json");
}

/**
 * Reads the secrets.
 * @param uid of the user, where the system has such a thing
 * @throws {UsageError} for a symbolic link, another user's file, or one that cannot be understood;
 *   it is left alone
 */
export function readCredentials(folder: string, uid = process.geteuid?.()): StoredCredentials {
  const path = credentialsPath(folder);
  const file = readPrivateFile(path, uid);
  if (file === undefined) return { credentials: new Map(), notices: [] };
  return { credentials: parse(file.text, path), notices: file.notices };
}

/**
 * Lets a saved secret out for the origin that it is bound to.
 * @throws {AuthError} for any other origin, and where there is none
 */
export function credentialFor(
  profile: string,
  { origin }: Pick<BaseUrl, "origin">,
  stored: StoredCredential | undefined,
): StoredCredential {
  const suggestion = `amp auth login --profile ${profile}`;
  if (stored === undefined) {
    throw new AuthError(`No credential of profile ${profile} is saved here`, { suggestion });
  }
  if (stored.origin === origin) return stored;
  const name = CREDENTIAL_NAMES[stored.kind];
  throw new AuthError(`The ${name} of profile ${profile} is not sent to ${origin}`, {
    detail: `It was saved for ${stored.origin}.`,
    suggestion,
  });
}

function parse(text: string, path: string): Map<string, StoredCredential> {
  const { version, credentials } = fieldsAt(path, "it", parseJsonText(text, path));
  if (version !== CREDENTIALS_VERSION) {
    throw shapeError(path, "version", `${CREDENTIALS_VERSION}, as this amp writes it`);
  }
  const named = Object.entries(fieldsAt(path, "credentials", credentials));
  return new Map(named.map(([name, value]) => [name, credentialAt(path, name, value)]));
}

function credentialAt(path: string, name: string, value: unknown): StoredCredential {
  const where = `credentials.${name}`;
  const fields = fieldsAt(path, where, value);
  const need = (key: string) => neededTextAt(path, `${where}.${key}`, fields[key]);
  const kind = oneOfAt(path, `${where}.kind`, fields.kind, CREDENTIAL_KINDS);
  return { kind, secret: new Secret(need("secret")), origin: need("origin") };
}
