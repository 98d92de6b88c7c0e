import { type ReadOptions, readOwnFileSync } from "../durable/read-file.ts";
import { AmpError, UsageError } from "../errors.ts";
import { fsReason } from "../runtime/fs-reason.ts";
import { isJsonObject } from "../values/json.ts";
import { suggest } from "../values/suggested-command.ts";
import { type FolderEnvironment, usualConfigFolder } from "./folders.ts";

/**
 * The folder of profiles and credentials.
 * @throws {UsageError} for an empty AMP_CONFIG_DIR
 */
export function configFolder(around: FolderEnvironment): string {
  const named = around.env.AMP_CONFIG_DIR;
  if (named === "")
    throw new UsageError("AMP_CONFIG_DIR is empty: unset it, or set it to a folder");
  return named ?? usualConfigFolder(around);
}

/**
 * Turns a file system error into one that the user can act on; other errors stay as they are.
 * @param does for example `read`
 */
export function fileError(does: string, path: string, error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (error instanceof AmpError || code === undefined) return error;
  return new UsageError(`Cannot ${does} ${path}: ${fsReason(error)}`, {}, { cause: error });
}

/** Reads a text file of the user; undefined if it does not exist. */
export function readIfExists(path: string, options?: ReadOptions): string | undefined {
  try {
    return readOwnFileSync(path, options);
  } catch (error) {
    throw fileError("read", path, error);
  }
}

/** An object of a file; its fields are not checked yet. */
export type Fields = Readonly<Record<string, unknown>>;

/**
 * The error for a value of a wrong type in a file of amp.
 * @param where for example `profiles.acme.baseUrl`
 * @param wanted for example `a string`
 */
export function shapeError(path: string, where: string, wanted: string): UsageError {
  return invalidFile(`${path} is not valid: ${where} must be ${wanted}`);
}

/** @throws {UsageError} for a value that is not an object */
export function objectAt(path: string, where: string, value: unknown): Fields {
  if (isJsonObject(value)) return value;
  throw shapeError(path, where, "an object");
}

/** @throws {UsageError} for a value that is neither a string nor absent */
export function optionalTextAt(path: string, where: string, value: unknown): string | undefined {
  if (value === undefined || typeof value === "string") return value;
  throw shapeError(path, where, "a string");
}

/** @throws {UsageError} for a value that is not a string */
export function requiredTextAt(path: string, where: string, value: unknown): string {
  if (typeof value === "string") return value;
  throw shapeError(path, where, "a string");
}

/** @throws {UsageError} for a value that is not one of the choices */
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

function invalidFile(message: string): UsageError {
  return new UsageError(message, {
    done: "The file was not changed.",
    remedy: "Fix the file, or move it aside.",
    suggestion: suggest("auth login", [], { reset: true }),
  });
}

/**
 * Parses the text of a file of amp.
 * @throws {UsageError} with path, line and column. The message of `JSON.parse` is never shown: it
 *   quotes the text around the error, which may be a secret, and often lacks the position.
 */
export function parseJsonText(text: string, path: string): unknown {
  // Editors on Windows write a byte order mark.
  const source = text.replace(/^\uFEFF/u, "");
  try {
    return JSON.parse(source);
  } catch {
    const before = source.slice(0, jsonErrorOffset(source) ?? 0);
    const line = before.split("\n").length;
    const column = before.length - before.lastIndexOf("\n");
    throw invalidFile(`${path} is not valid JSON at line ${line}, column ${column}`);
  }
}

const SPACE = /[ \t\n\r]*/y;
const STRING = /"(?:[ !#-[\]-\u{10ffff}]|\\["\\/bfnrt]|\\u[\dA-Fa-f]{4})*"/uy;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[Ee][+-]?\d+)?/y;
const WORD = /true|false|null/y;
const END = /$/y;
/** The maximum depth: deeper nesting would overflow the stack, and no file of amp comes near it. */
const MAX_DEPTH = 500;

/**
 * Finds where a text stops being JSON.
 * @returns the offset of the error, or of nesting that is too deep; undefined for valid JSON
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
  const list = (depth: number, item: () => boolean, close: RegExp): boolean => {
    if (depth > MAX_DEPTH) return false;
    if (token(close)) return true;
    do {
      if (!item()) return false;
    } while (token(/,/y));
    return token(close);
  };
  const member = (depth: number) => token(STRING) && token(/:/y) && value(depth);
  const value = (outer = 0): boolean => {
    const depth = outer + 1;
    if (token(/\{/y)) return list(depth, () => member(depth), /\}/y);
    if (token(/\[/y)) return list(depth, () => value(depth), /\]/y);
    return token(STRING) || token(NUMBER) || token(WORD);
  };
  return value() && token(END) ? undefined : at;
}
