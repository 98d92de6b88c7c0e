import { posix, win32 } from "node:path";
import { AmpError, UsageError } from "../errors.ts";
import { fsReason } from "../runtime/fs-reason.ts";

/** What the places of amp's files follow from. */
export interface FolderEnvironment {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly homeDir: string;
  readonly platform: NodeJS.Platform;
}

/**
 * The folder of profiles and credentials.
 * @throws {UsageError} where AMP_CONFIG_DIR is set to nothing
 */
export function configFolder(around: FolderEnvironment): string {
  const { env, platform } = around;
  const named = env.AMP_CONFIG_DIR;
  if (named === "") throw new UsageError("AMP_CONFIG_DIR is empty: unset it, or name a folder");
  if (named !== undefined) return named;
  const appData = platform === "win32" ? "APPDATA" : undefined;
  return ampFolder(around, ["XDG_CONFIG_HOME", appData], [".config"]);
}

/** The folder of what amp must remember, such as the journals of what it created. */
export function stateFolder(around: FolderEnvironment): string {
  return ampFolder(around, ["XDG_STATE_HOME"], [".local", "state"]);
}

/** The folder of what may be lost at any time. */
export function cacheFolder(around: FolderEnvironment): string {
  return ampFolder(around, ["XDG_CACHE_HOME"], [".cache"]);
}

function ampFolder(
  { env, homeDir, platform }: FolderEnvironment,
  variables: readonly (string | undefined)[],
  below: readonly string[],
): string {
  const { isAbsolute, join } = platform === "win32" ? win32 : posix;
  const values = variables.map((name) => (name === undefined ? undefined : env[name]));
  // The XDG specification: an empty variable is an unset one, a relative path is to be ignored.
  const base = values.find((value) => value !== undefined && isAbsolute(value));
  return join(base ?? join(homeDir, ...below), "amp");
}

/**
 * Runs something with a file of the user's; what the file system says against it is the user's to
 * mend, and no defect of amp.
 * @throws {UsageError} in place of the file system's errors; others pass
 */
export function withFileErrors<Result>(does: string, path: string, run: () => Result): Result {
  try {
    return run();
  } catch (error) {
    throw fileError(does, path, error);
  }
}

/** What a failure with a file of the user's is to be thrown as. */
export function fileError(does: string, path: string, error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (error instanceof AmpError || code === undefined) return error;
  return new UsageError(`Cannot ${does} ${path}: ${fsReason(error)}`, {}, { cause: error });
}

/** An object of a file, its fields not yet looked at. */
export type Fields = Readonly<Record<string, unknown>>;

/**
 * The first thing in a file of ours that is not as it must be.
 * @param where for example `profiles.acme.baseUrl`
 * @param wanted for example `a text`
 */
export function shapeError(path: string, where: string, wanted: string): UsageError {
  return new UsageError(`${path} is no file of amp's: ${where} must be ${wanted}`, {
    done: "The file was left as it is.",
    remedy: "Mend it, or set it aside with: amp auth login --reset",
  });
}

/** @throws {UsageError} for what is no object */
export function objectAt(path: string, where: string, value: unknown): Fields {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Fields;
  throw shapeError(path, where, "an object");
}

/** @throws {UsageError} for what is neither a text nor absent */
export function optionalTextAt(path: string, where: string, value: unknown): string | undefined {
  if (value === undefined || typeof value === "string") return value;
  throw shapeError(path, where, "a text");
}

/** @throws {UsageError} for what is no text */
export function requiredTextAt(path: string, where: string, value: unknown): string {
  const text = optionalTextAt(path, where, value);
  if (text === undefined) throw shapeError(path, where, "a text");
  return text;
}

/** @throws {UsageError} for what is none of a closed set */
export function choiceAt<const Choice extends string>(
  path: string,
  where: string,
  value: unknown,
  choices: readonly Choice[],
): Choice {
  const found = choices.find((choice) => choice === value);
  if (found !== undefined) return found;
  throw shapeError(path, where, `one of ${choices.join(", ")}`);
}

/**
 * Parses the text of a file of ours.
 * @throws {UsageError} with path, line and column. The engine's own message is never shown: it
 *   quotes the text around the fault, which may be a secret, and often lacks the place.
 */
export function parseJsonText(text: string, path: string): unknown {
  // Editors on Windows like to begin a file with a byte order mark.
  const source = text.replace(/^\uFEFF/u, "");
  try {
    return JSON.parse(source);
  } catch {
    const before = source.slice(0, jsonErrorOffset(source) ?? 0);
    const line = before.split("\n").length;
    const column = before.length - before.lastIndexOf("\n");
    throw new UsageError(`${path} is no valid JSON at line ${line}, column ${column}`, {
      done: "The file was left as it is.",
      remedy: "Mend it, or set it aside with: amp auth login --reset",
    });
  }
}

const SPACE = /[ \t\n\r]*/y;
const STRING = /"(?:[ !#-[\]-\u{10ffff}]|\\["\\/bfnrt]|\\u[\dA-Fa-f]{4})*"/uy;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[Ee][+-]?\d+)?/y;
const WORD = /true|false|null/y;
const END = /$/y;
/** No file of ours is nested like that, and the stack has an end. */
const MAX_DEPTH = 500;

/**
 * Finds where a text stops being JSON.
 * @returns the offset of what cannot stand there, or is nested absurdly; undefined for valid JSON
 */
export function jsonErrorOffset(text: string): number | undefined {
  let at = 0;
  const take = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    at += found?.[0].length ?? 0;
    return found !== null;
  };
  const token = (pattern: RegExp) => take(SPACE) && take(pattern);
  const list = (item: () => boolean, close: RegExp): boolean => {
    if (token(close)) return true;
    do {
      if (!item()) return false;
    } while (token(/,/y));
    return token(close);
  };
  const member = () => token(STRING) && token(/:/y) && value();
  let depth = 0;
  const within = (item: () => boolean, close: RegExp): boolean => {
    depth += 1;
    const whole = depth <= MAX_DEPTH && list(item, close);
    depth -= 1;
    return whole;
  };
  const value = (): boolean => {
    if (token(/\{/y)) return within(member, /\}/y);
    if (token(/\[/y)) return within(value, /\]/y);
    return token(STRING) || token(NUMBER) || token(WORD);
  };
  return value() && token(END) ? undefined : at;
}
