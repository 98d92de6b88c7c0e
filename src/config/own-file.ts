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
 * @throws {UsageError} with the path, and the place where the engine says it. Its message is never
 *   shown: it may quote the text around the error, which may be a secret.
 */
export function parseJsonText(text: string, path: string): unknown {
  // Editors on Windows write a byte order mark.
  const source = text.replace(/^\uFEFF/u, "");
  try {
    return JSON.parse(source);
  } catch (error) {
    const [, line, column] = /\(line (\d+) column (\d+)\)$/u.exec(String(error)) ?? [];
    const place = line === undefined ? "" : ` at line ${line}, column ${column}`;
    throw invalidFile(`${path} is not valid JSON${place}`);
  }
}
