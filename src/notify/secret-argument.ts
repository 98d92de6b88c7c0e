import { UsageError } from "../errors.ts";
import type { SecretReference } from "../secret.ts";

/** A secret as the command line names it: never its value, which the process list would show. */
export interface SecretArgument {
  readonly name: string;
  readonly source: SecretReference | { readonly from: "stdin" };
}

/**
 * Reads `name=@file`, `name=env:VAR` or `name=-`.
 * @throws {UsageError} that does not repeat what was typed
 */
export function readSecretArgument(typed: string): SecretArgument {
  const [, name, source = ""] = /^([^=]+)=(.*)$/su.exec(typed) ?? [];
  if (name !== undefined) {
    if (source === "-") return { name, source: { from: "stdin" } };
    if (/^@./su.test(source)) return { name, source: { from: "file", path: source.slice(1) } };
    const variable = /^env:([A-Za-z_]\w*)$/u.exec(source)?.[1];
    if (variable !== undefined) return { name, source: { from: "env", name: variable } };
  }
  // Not even the name is repeated: who pastes a secret alone may paste one with a = in it.
  throw new UsageError("a secret is given as name=@file, name=env:VARIABLE or name=-", {
    remedy: "Its value is no argument's value: other users of this machine see those.",
  });
}
