import { dirname, isAbsolute, join } from "node:path";
import { AmpError } from "../../errors.ts";
import { Secret } from "../../secrets/secret.ts";
import type { ValueSources } from "../model/destination-input.ts";
import { withoutLineEnd } from "../model/destination-input.ts";
import type { Secrets } from "../model/secrets.ts";
import { type FileIssues, quoted } from "./issues.ts";
import type { SecretPolicy } from "./secret-policy.ts";
import { entriesBelow, type YamlTree } from "./yaml-tree.ts";

/** The sources of a file's secrets. */
export interface SecretSources extends ValueSources {
  /** The path of the routing file: `file:` is relative to its folder. */
  readonly path: string;
  /** The policy that says which sources are allowed. */
  readonly policy: SecretPolicy;
  /** Allows literal secrets in the file. */
  readonly allowLiteralSecrets?: boolean | undefined;
}

/**
 * Reads the secrets of all destinations, by the destination's name. Messages name a secret, and
 * never repeat its text.
 */
export async function readFileSecrets(
  tree: YamlTree,
  sources: SecretSources,
  issues: FileIssues,
): Promise<ReadonlyMap<string, Secrets>> {
  const all = new Map<string, Secrets>();
  for (const { key: destination, value } of entriesBelow(tree, "destinations")) {
    const secrets: [string, Secret][] = [];
    for (const { key: name, value: part } of entriesBelow(value, "secrets")) {
      // A part of any other form is an error that the check of the form reports.
      if (part.kind !== "scalar" || part.value === null) continue;
      const secret = await readFileSecret(part.text, sources);
      if (secret instanceof Secret) secrets.push([name, secret]);
      else
        issues.error(
          part.at,
          `destination ${quoted(destination)}: secret ${quoted(name)}: ${secret}`,
        );
    }
    all.set(destination, Object.fromEntries(secrets));
  }
  return all;
}

/** Reads one secret, or returns the reason why it cannot be read. */
async function readFileSecret(text: string, sources: SecretSources): Promise<Secret | string> {
  const [, scheme, rest = ""] = /^(env|file):(.*)$/su.exec(text) ?? [];
  if (scheme === "env") return fromVariable(rest, sources);
  if (scheme === "file") return fromFile(rest, sources);
  if (text !== "" && sources.allowLiteralSecrets) return new Secret(text);
  return "must be env:NAME or file:PATH (or pass --allow-literal-secrets)";
}

function fromVariable(name: string, { variable, policy }: SecretSources): Secret | string {
  if (!/^[A-Za-z_]\w*$/u.test(name)) {
    return "env: must be followed by the name of a variable (letters, digits and _)";
  }
  const refusal = policy.refusesVariable(name);
  if (refusal !== undefined) return refusal;
  const value = variable(name);
  if (!value) return `variable ${name} is ${value === "" ? "empty" : "not set"}`;
  return new Secret(value, { from: "env", name });
}

async function fromFile(path: string, sources: SecretSources): Promise<Secret | string> {
  if (path === "") return "file: must be followed by a path";
  const folder = dirname(sources.path);
  const whole = isAbsolute(path) ? path : join(folder, path);
  try {
    const found = await sources.policy.locate(whole, folder);
    if (typeof found === "string") return found;
    // A lone dash would mean standard input.
    const value = withoutLineEnd(await sources.read(found.file === "-" ? "./-" : found.file));
    if (value === "") return "the file is empty";
    // The path is kept as it is written: a routing saved beside this file then reads the same
    // secret.
    return new Secret(value, { from: "file", path });
  } catch (error) {
    if (error instanceof AmpError) return error.message;
    throw error;
  }
}
