import { dirname, isAbsolute, join } from "node:path";
import { AmpError } from "../../errors.ts";
import { Secret, type SecretReference } from "../../secrets/secret.ts";
import { type ValueSources, withoutLineEnd } from "../model/destination-input.ts";
import type { Secrets } from "../model/secrets.ts";
import { mapOf } from "./fields.ts";
import { type FileIssues, quoted } from "./issues.ts";
import type { YamlTree } from "./yaml-tree.ts";

/** Where secrets come from. */
export interface SecretSources extends ValueSources {
  /** Of the routing file: what `file:` says is relative to its folder. */
  readonly path: string;
  /** A secret may stand in the file itself. */
  readonly allowLiteralSecrets?: boolean | undefined;
}

const EXAMPLE = "env:NAME or file:PATH";

/** Reads the secrets of a destination. Messages name a secret, and never repeat what stands there. */
export async function readFileSecrets(
  tree: YamlTree,
  place: SecretSources,
  problems: FileIssues,
): Promise<Secrets> {
  const wanted = { what: "secrets", example: "{ password: env:NAME }" };
  const secrets: [string, Secret][] = [];
  for (const { key, value } of mapOf(tree, wanted, problems)?.entries ?? []) {
    const secret = await readFileSecret(value, place).catch((error: unknown) => {
      if (error instanceof SecretError)
        return problems.error(value.at, `the secret ${quoted(key)}: ${error.message}`);
      throw error;
    });
    if (secret !== undefined) secrets.push([key, secret]);
  }
  return Object.fromEntries(secrets);
}

/** Why a secret could not be read. Never leaves this file. */
class SecretError extends Error {}

async function readFileSecret(tree: YamlTree, place: SecretSources): Promise<Secret> {
  if (tree.kind !== "leaf" || tree.value === null || tree.text === "") {
    throw new SecretError(`it is written as ${EXAMPLE}`);
  }
  const { text } = tree;
  if (text.startsWith("env:")) return fromVariable(text.slice("env:".length), place);
  if (text.startsWith("file:")) return fromFile(text.slice("file:".length), place);
  if (place.allowLiteralSecrets) return new Secret(text);
  throw new SecretError(
    `it is written as ${EXAMPLE}, never itself (or give --allow-literal-secrets)`,
  );
}

function fromVariable(name: string, { variable }: SecretSources): Secret {
  if (!/^[A-Za-z_]\w*$/u.test(name)) {
    throw new SecretError("after env: comes the name of a variable: letters, digits and _");
  }
  const value = variable(name);
  if (!value)
    throw new SecretError(`the variable ${name} is ${value === "" ? "empty" : "not set"}`);
  return new Secret(value, { from: "env", name });
}

async function fromFile(path: string, place: SecretSources): Promise<Secret> {
  if (path === "") throw new SecretError("after file: comes the path of a file");
  const value = withoutLineEnd(await readText(path, place));
  if (value === "") throw new SecretError("there is nothing in that file");
  // As it is written: who saves the routing beside this file gets the same.
  const reference: SecretReference = { from: "file", path };
  return new Secret(value, reference);
}

async function readText(path: string, place: SecretSources): Promise<string> {
  const whole = isAbsolute(path) ? path : join(dirname(place.path), path);
  try {
    // A lone dash would be read from standard input.
    return await place.read(whole === "-" ? "./-" : whole);
  } catch (error) {
    if (error instanceof AmpError) throw new SecretError(error.message);
    throw error;
  }
}
