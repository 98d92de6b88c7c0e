import { UsageError } from "../errors.ts";

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
export function fieldsAt(path: string, where: string, value: unknown): Fields {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Fields;
  throw shapeError(path, where, "an object");
}

/** @throws {UsageError} for what is neither a text nor absent */
export function textAt(path: string, where: string, value: unknown): string | undefined {
  if (value === undefined || typeof value === "string") return value;
  throw shapeError(path, where, "a text");
}

/** @throws {UsageError} for what is no text */
export function neededTextAt(path: string, where: string, value: unknown): string {
  const text = textAt(path, where, value);
  if (text === undefined) throw shapeError(path, where, "a text");
  return text;
}

/** @throws {UsageError} for what is none of a closed set */
export function oneOfAt<const Choice extends string>(
  path: string,
  where: string,
  value: unknown,
  choices: readonly Choice[],
): Choice {
  const found = choices.find((choice) => choice === value);
  if (found !== undefined) return found;
  throw shapeError(path, where, `one of ${choices.join(", ")}`);
}
