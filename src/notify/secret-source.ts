import { UsageError } from "../errors.ts";
import { Secret } from "../secret.ts";
import type { Sources } from "./destination-input.ts";
import type { SecretArgument } from "./secret-argument.ts";

/**
 * Reads a secret from where it is kept.
 * @param name what it is to the service, for the message
 * @throws {UsageError} where there is nothing
 */
export async function readSecret(
  name: string,
  source: SecretArgument["source"],
  sources: Sources,
): Promise<Secret> {
  if (source.from === "env") {
    const value = sources.variable(source.name);
    if (!value) throw new UsageError(`--secret ${name}: the variable ${source.name} is not set`);
    return new Secret(value, source);
  }
  const text = await sources.read(source.from === "file" ? source.path : "-");
  const value = withoutLineEnd(text);
  if (value === "") throw new UsageError(`--secret ${name}: there is nothing in it`);
  return source.from === "file" ? new Secret(value, source) : new Secret(value);
}

/** Editors and echo end a file with a line end that belongs to no secret. */
export function withoutLineEnd(text: string): string {
  return text.replace(/\r?\n$/u, "");
}
