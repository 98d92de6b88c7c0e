import { constants, fchmodSync, type Stats } from "node:fs";
import { platform } from "node:os";
import { join } from "node:path";
import { type ReadOptions, readOwnFileSync } from "../durable/read-file.ts";
import { AmpError, UsageError } from "../errors.ts";
import { fsReason } from "../runtime/fs-reason.ts";
import { Secret } from "../secrets/secret.ts";
import { CREDENTIAL_KINDS, PROFILE_SETTINGS, type ProfileSetting } from "../settings.ts";
import { inputErrors } from "../values/errors.ts";
import { isJsonObject } from "../values/json.ts";
import { suggest } from "../values/suggested-command.ts";
import { accountErrors } from "./errors.ts";
import { type FolderEnvironment, usualConfigFolder } from "./folders.ts";
import {
  isProfileName,
  type Profile,
  type ProfileFile,
  type StoredCredential,
  type StoredCredentials,
  type TrustedContent,
} from "./profiles.ts";

/** The wanted value in words, if it is not this one. */
type Rule = (value: unknown) => string | undefined;

const text: Rule = (value) => (typeof value === "string" ? undefined : "a string");
const flag: Rule = (value) => (typeof value === "boolean" ? undefined : "true or false");
const oneOf =
  (...choices: readonly unknown[]): Rule =>
  (value) =>
    choices.includes(value) ? undefined : `one of ${choices.join(", ")}`;
const optional =
  (rule: Rule): Rule =>
  (value) =>
    value === undefined ? undefined : rule(value);

type Rules<Entry> = { readonly [Field in keyof Required<Entry>]: Rule };

interface SecretEntry extends Omit<StoredCredential, "secret"> {
  readonly secret: string;
}

const SECRET: Rules<SecretEntry> = {
  kind: oneOf(...CREDENTIAL_KINDS),
  secret: text,
  origin: text,
  readOrigin: optional(text),
};

/**
 * The files of the folder: each has a list of entries by name, whose fields have these rules. Plain
 * functions, because nearly every command reads the profiles, and zod takes longer to load than the
 * rest of its start. Fields without a rule are kept.
 */
export const FILES = {
  profiles: {
    name: "config.json",
    entries: "profiles",
    rules: {
      baseUrl: text,
      readBaseUrl: optional(text),
      credential: optional(oneOf(...CREDENTIAL_KINDS, "none")),
      keyring: optional(text),
      ...(Object.fromEntries(PROFILE_SETTINGS.map((name) => [name, optional(text)])) as Record<
        ProfileSetting,
        Rule
      >),
      // A guard that cannot be understood must not be taken for none.
      protected: optional(flag),
      readOnly: optional(flag),
    } satisfies Rules<Profile>,
  },
  credentials: { name: "credentials.json", version: 1, entries: "credentials", rules: SECRET },
  trust: {
    name: "trust.json",
    version: 1,
    entries: "files",
    rules: { sha256: text, since: text } satisfies Rules<TrustedContent>,
  },
} as const;

type FileKind = keyof typeof FILES;

/** The path of a file; that of the profiles is also the path of the lock of the whole folder. */
export function pathOf(folder: string, kind: FileKind): string {
  return join(folder, FILES[kind].name);
}

/**
 * The folder of profiles and credentials.
 * @throws {UsageError} for an empty AMP_CONFIG_DIR
 */
export function configFolder(around: FolderEnvironment): string {
  const named = around.env.AMP_CONFIG_DIR;
  if (named === "") throw accountErrors.config_folder_empty();
  return named ?? usualConfigFolder(around);
}

/**
 * Reads the profiles, without conf, which writes them: importing conf takes 25 to 40 ms. Opening it
 * would also create the folder, and wait for the writer of a named pipe.
 * @throws {UsageError} with path and place for a file that is not valid; it is not changed, as by
 *   the other readers
 */
export function readProfileFile(folder: string): ProfileFile {
  const { head, entries } = readEntries<Profile>(folder, "profiles");
  const path = pathOf(folder, "profiles");
  assertField(path, "active", optional(text), head.active);
  const odd = [...entries.keys()].find((name) => !isProfileName(name));
  if (odd !== undefined) {
    throw shapeError(path, `the name ${JSON.stringify(odd)}`, "letters, digits, dots and dashes");
  }
  return {
    active: head.active as string | undefined,
    profiles: new Map(
      [...entries].map(([name, profile]) => [
        name,
        { ...profile, credential: profile.credential ?? "none" },
      ]),
    ),
  };
}

/**
 * Reads the secrets.
 * @param uid the ID of the user, on systems that have user IDs
 * @throws {UsageError} for a symbolic link, another user's file, and a file that is not valid
 */
export function readCredentials(folder: string, uid = process.geteuid?.()): StoredCredentials {
  let notices: readonly string[] = [];
  const { entries } = readEntries<SecretEntry>(folder, "credentials", {
    // Windows does not have this flag.
    flags: constants.O_NOFOLLOW ?? 0,
    inspect: (file, opened) => {
      notices = makePrivate(file, opened, pathOf(folder, "credentials"), uid);
    },
  });
  return { credentials: new Map([...entries].map(([name, one]) => [name, stored(one)])), notices };
}

/**
 * Reads the trusted files, by canonical path.
 * @throws {UsageError} for a file that is not valid; nothing is trusted then
 */
export function readTrusted(folder: string): ReadonlyMap<string, TrustedContent> {
  try {
    return readEntries<TrustedContent>(folder, "trust").entries;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw error.setFacts({
      remedy: "Fix the file, or delete it and trust your project files again.",
      suggestion: suggest("trust"),
    });
  }
}

/**
 * The secret of an entry of the keyring.
 * @throws {UsageError} for one that amp did not write
 */
export function readKeyringEntry(entry: string, content: string): StoredCredential {
  const where = `The keyring entry ${entry}`;
  const fields = objectAt(where, "it", parseJsonText(content, where));
  assertFields(where, "", SECRET, fields);
  return stored(fields as unknown as SecretEntry);
}

function stored({ kind, secret, origin, readOrigin }: SecretEntry): StoredCredential {
  return {
    kind,
    secret: new Secret(secret),
    origin,
    ...(readOrigin !== undefined && { readOrigin }),
  };
}

type Fields = Readonly<Record<string, unknown>>;

function readEntries<Entry>(folder: string, kind: FileKind, options?: ReadOptions) {
  const model: { version?: number; entries: string; rules: Rules<object> } = FILES[kind];
  const path = pathOf(folder, kind);
  const content = readIfExists(path, options);
  if (content === undefined) return { head: {} as Fields, entries: new Map<string, Entry>() };
  const head = objectAt(path, "it", parseJsonText(content, path));
  if (head.version !== model.version && model.version !== undefined) {
    throw shapeError(path, "version", `${model.version}`);
  }
  const listed = head[model.entries] ?? (model.version === undefined ? {} : undefined);
  const entries = Object.entries(objectAt(path, model.entries, listed));
  for (const [name, entry] of entries) {
    const where = `${model.entries}.${name}`;
    assertFields(path, `${where}.`, model.rules, objectAt(path, where, entry));
  }
  return { head, entries: new Map(entries) as Map<string, Entry> };
}

function objectAt(path: string, where: string, value: unknown): Fields {
  if (isJsonObject(value)) return value;
  throw shapeError(path, where, "an object");
}

function assertFields(path: string, before: string, rules: Rules<object>, fields: Fields): void {
  for (const [name, rule] of Object.entries(rules) as [string, Rule][]) {
    assertField(path, before + name, rule, fields[name]);
  }
}

function assertField(path: string, where: string, rule: Rule, value: unknown): void {
  const wanted = rule(value);
  if (wanted !== undefined) throw shapeError(path, where, wanted);
}

function shapeError(path: string, where: string, wanted: string): UsageError {
  return accountErrors.own_file_invalid(`${path} is not valid: ${where} must be ${wanted}`);
}

/**
 * Parses the text of a file of amp.
 * @throws {UsageError} with the path, and the place where the engine says it. Its message is never
 *   shown: it may quote the text around the error, which may be a secret.
 */
export function parseJsonText(content: string, path: string): unknown {
  // Editors on Windows write a byte order mark.
  const source = content.replace(/^\uFEFF/u, "");
  try {
    return JSON.parse(source);
  } catch (error) {
    const [, line, column] = /\(line (\d+) column (\d+)\)$/u.exec(String(error)) ?? [];
    const place = line === undefined ? "" : ` at line ${line}, column ${column}`;
    throw accountErrors.own_file_invalid(`${path} is not valid JSON${place}`);
  }
}

/**
 * Turns a file system error into one that the user can act on; other errors stay as they are.
 * @param does for example `read`
 */
export function fileError(does: string, path: string, error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (error instanceof AmpError || code === undefined) return error;
  return inputErrors.file_unusable(does, path, fsReason(error), error);
}

/** Reads a text file of the user; undefined if it does not exist. */
export function readIfExists(path: string, options?: ReadOptions): string | undefined {
  try {
    return readOwnFileSync(path, options);
  } catch (error) {
    throw fileError("read", path, error);
  }
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
  if (user !== undefined && uid !== user) throw accountErrors.secrets_of_another_user(path);
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
