import { dirname, isAbsolute, join } from "node:path";
import { AmpError } from "../../errors.ts";
import { Secret, type SecretReference } from "../../secret.ts";
import type { Sources } from "../destination-input.ts";
import { withoutLineEnd } from "../secret-source.ts";
import type { Secrets } from "../secrets.ts";
import { mapOf } from "./fields.ts";
import { type Problems, quoted } from "./problems.ts";
import type { Tree } from "./tree.ts";

/** Where secrets come from. */
export interface SecretPlace extends Sources {
  /** Of the routing file: what `file:` says is relative to its folder. */
  readonly path: string;
  /** A secret may stand in the file itself. */
  readonly allowLiteralSecrets?: boolean | undefined;
}

const EXAMPLE = "env:NAME or file:PATH";

/** Reads the secrets of a destination. Messages name a secret, and never repeat what stands there. */
export async function readSecrets(
  tree: Tree,
  place: SecretPlace,
  problems: Problems,
): Promise<Secrets> {
  const wanted = { what: "secrets", example: "{ password: env:NAME }" };
  const secrets: [string, Secret][] = [];
  for (const { key, value } of mapOf(tree, wanted, problems)?.entries ?? []) {
    const secret = await readSecret(value, place).catch((error: unknown) => {
      if (error instanceof NoSecret)
        return problems.add(value.at, `the secret ${quoted(key)}: ${error.message}`);
      throw error;
    });
    if (secret !== undefined) secrets.push([key, secret]);
  }
  return Object.fromEntries(secrets);
}

/** Why a secret could not be read. Never leaves this file. */
class NoSecret extends Error {}

async function readSecret(tree: Tree, place: SecretPlace): Promise<Secret> {
  if (tree.kind !== "leaf" || tree.value === null || tree.text === "") {
    throw new NoSecret(`it is written as ${EXAMPLE}`);
  }
  const { text } = tree;
  if (text.startsWith("env:")) return fromVariable(text.slice("env:".length), place);
  if (text.startsWith("file:")) return fromFile(text.slice("file:".length), place);
  if (place.allowLiteralSecrets) return new Secret(text);
  throw new NoSecret(`it is written as ${EXAMPLE}, never itself (or give --allow-literal-secrets)`);
}

function fromVariable(name: string, { variable }: SecretPlace): Secret {
  if (!/^[A-Za-z_]\w*$/u.test(name)) {
    throw new NoSecret("after env: comes the name of a variable: letters, digits and _");
  }
  const value = variable(name);
  if (!value) throw new NoSecret(`the variable ${name} is ${value === "" ? "empty" : "not set"}`);
  return new Secret(value, { from: "env", name });
}

async function fromFile(path: string, place: SecretPlace): Promise<Secret> {
  if (path === "") throw new NoSecret("after file: comes the path of a file");
  const value = withoutLineEnd(await readText(path, place));
  if (value === "") throw new NoSecret("there is nothing in that file");
  // As it is written: who saves the routing beside this file gets the same.
  const reference: SecretReference = { from: "file", path };
  return new Secret(value, reference);
}

async function readText(path: string, place: SecretPlace): Promise<string> {
  const whole = isAbsolute(path) ? path : join(dirname(place.path), path);
  try {
    // A lone dash would be read from standard input.
    return await place.read(whole === "-" ? "./-" : whole);
  } catch (error) {
    if (error instanceof AmpError) throw new NoSecret(error.message);
    throw error;
  }
}
