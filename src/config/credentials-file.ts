import { constants, fchmodSync, type Stats } from "node:fs";
import { platform } from "node:os";
import { join } from "node:path";
import { AuthError, type ErrorFacts, UsageError } from "../errors.ts";
import { Secret } from "../secrets/secret.ts";
import { CREDENTIAL_KINDS, CREDENTIAL_NAMES, type CredentialKind } from "../settings.ts";
import { suggest } from "../values/suggested-command.ts";
import type { BaseUrl } from "./base-url.ts";
import {
  choiceAt,
  type Fields,
  objectAt,
  optionalTextAt,
  parseJsonText,
  readIfExists,
  requiredTextAt,
  shapeError,
} from "./own-file.ts";

/** The version of the file format. */
export const CREDENTIALS_VERSION = 1;

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

/** The path of the file of secrets. */
export function credentialsPath(folder: string): string {
  return join(folder, "credentials.json");
}

/**
 * Reads the secrets.
 * @param uid the ID of the user, on systems that have user IDs
 * @throws {UsageError} for a symbolic link, another user's file, and a file that is not valid; the
 * file is not changed
 */
export function readCredentials(folder: string, uid = process.geteuid?.()): StoredCredentials {
  const path = credentialsPath(folder);
  let notices: readonly string[] = [];
  const text = readIfExists(path, {
    // Windows does not have this flag.
    flags: constants.O_NOFOLLOW ?? 0,
    inspect: (file, opened) => {
      notices = makePrivate(file, opened, path, uid);
    },
  });
  return { credentials: text === undefined ? new Map() : parseCredentials(text, path), notices };
}

/** The saved profiles, as far as they say which one has a credential for a service. */
interface SavedLogins {
  profiles(): {
    readonly profiles: ReadonlyMap<
      string,
      { readonly baseUrl: string; readonly credential: string }
    >;
  };
}

/**
 * Releases a saved secret for the origin that it is bound to.
 * @param saved read where it is for another origin: which profile is for this one
 * @throws {AuthError} for any other origin, and if no secret is saved
 */
export function credentialForOrigin(
  profile: string,
  { origin }: Pick<BaseUrl, "origin">,
  stored: StoredCredential | undefined,
  saved: SavedLogins = { profiles: () => ({ profiles: new Map() }) },
): StoredCredential {
  const suggestion = suggest("auth login", [], { profile });
  if (stored === undefined) {
    throw new AuthError(`No credential is saved for profile ${profile}`, { suggestion });
  }
  if (stored.origin === origin) return stored;
  const fits = (baseUrl: string) => URL.parse(baseUrl)?.origin === origin;
  const { profiles } = saved.profiles();
  const usable = [...profiles].filter(([, one]) => one.credential !== "none" && fits(one.baseUrl));
  const other = usable.find(([name]) => name !== profile)?.[0];
  const own = profiles.get(profile);
  const facts: ErrorFacts = { detail: `It was saved for ${stored.origin}.`, suggestion };
  if (other !== undefined) {
    facts.remedy = `Profile ${other} is for this service: add --profile ${other}.`;
    facts.suggestion = suggest("auth status", [], { profile: other });
  } else if (own !== undefined && !fits(own.baseUrl)) {
    // A login as the same profile would replace a credential that is of use elsewhere.
    facts.remedy = `To keep profile ${profile}, log in under another name and use that profile here.`;
    facts.suggestion = suggest("auth login", [], { profile: { placeholder: "new-name" } });
  }
  const name = CREDENTIAL_NAMES[stored.kind];
  throw new AuthError(`The ${name} of profile ${profile} cannot be used for ${origin}`, facts);
}

function parseCredentials(text: string, path: string): Map<string, StoredCredential> {
  const { version, credentials } = objectAt(path, "it", parseJsonText(text, path));
  if (version !== CREDENTIALS_VERSION) {
    throw shapeError(path, "version", `${CREDENTIALS_VERSION}`);
  }
  const named = Object.entries(objectAt(path, "credentials", credentials));
  return new Map(
    named.map(([name, value]) => {
      const where = `credentials.${name}`;
      return [name, credentialOf(path, objectAt(path, where, value), `${where}.`)];
    }),
  );
}

/**
 * Reads a saved secret from its fields.
 * @param before the prefix of the fields' names in errors
 * @throws {UsageError} for a field of a wrong type
 */
export function credentialOf(path: string, fields: Fields, before = ""): StoredCredential {
  const need = (key: string) => requiredTextAt(path, before + key, fields[key]);
  const kind = choiceAt(path, `${before}kind`, fields.kind, CREDENTIAL_KINDS);
  const readOrigin = optionalTextAt(path, `${before}readOrigin`, fields.readOrigin);
  return {
    kind,
    secret: new Secret(need("secret")),
    origin: need("origin"),
    ...(readOrigin === undefined ? {} : { readOrigin }),
  };
}

/**
 * Restricts the mode of a file of secrets that others can read.
 * @returns a line for each problem with the mode
 */
function makePrivate(
  file: number,
  { uid, mode }: Stats,
  path: string,
  user: number | undefined,
): string[] {
  if (platform() === "win32") return [];
  if (user !== undefined && uid !== user) {
    throw new UsageError(`${path} belongs to another user`, {
      remedy: "Secrets are read only from your own files. Move it aside.",
      suggestion: suggest("auth login", [], { reset: true }),
    });
  }
  const bits = mode & 0o777;
  if ((bits & 0o077) === 0) return [];
  const found = `${path} was readable by other users (mode 0${bits.toString(8)})`;
  try {
    fchmodSync(file, 0o600);
    return [`${found}; its mode is now 0600.`];
  } catch {
    return [`${found}; its mode cannot be changed.`];
  }
}
