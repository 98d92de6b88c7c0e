import { dirname, isAbsolute, join, sep } from "node:path";
import type { CommandContext } from "../../context/command-context.ts";
import { AmpError } from "../../errors.ts";
import { Secret } from "../../secrets/secret.ts";
import { isWithin } from "../../values/basics.ts";
import { matchesPattern } from "../../values/nearest.ts";
import { type ValueSources, withoutLineEnd } from "../model/destination-input.ts";
import { isFileReference, type Metadata, mapTexts, resolveMetadata } from "../model/metadata.ts";
import { protectedValue, protectedVariable, type Secrets } from "../model/secrets.ts";
import { entriesBelow, type YamlTree } from "./yaml-tree.ts";

/**
 * The variables and files that a routing file's secrets may be read from. A file of another author
 * names both the secret and the destination that receives it.
 */
export interface SecretPolicy {
  /**
   * The reason why a variable must not be read; undefined if it may be.
   * @param value its value, once its name is accepted
   * @param path the keys of the metadata that it is for
   */
  refusesVariable(name: string, value?: string, path?: readonly string[]): string | undefined;
  /** The resolved path of a file, or the reason why it must not be read. */
  locate(path: string, folder: string): Promise<{ readonly file: string } | string>;
}

/** The secrets that the command line and the environment allow. */
export interface AllowedSecrets {
  /**
   * The words of `--allow`: `env:NAME`, in which `*` matches any characters; `file:PATH` for a file
   * or a folder with all that is in it; `literal-secrets`.
   */
  readonly allow: readonly string[];
}

/** The word of `--allow` for secrets in the file itself. */
export const LITERAL_SECRETS = "literal-secrets";

function allowedBy(prefix: "env:" | "file:", { allow }: AllowedSecrets): readonly string[] {
  return allow.flatMap((word) => (word.startsWith(prefix) ? word.slice(prefix.length) : []));
}

type PolicyContext = Pick<CommandContext, "settings"> & {
  readonly files: Pick<CommandContext["files"], "realPath" | "variables">;
};

/**
 * The policy for a routing file. Variables with a login of this machine or of amp are refused
 * unless they are allowed by name; files must be in the routing file's folder or allowed.
 */
export function secretPolicy(
  { settings, files }: PolicyContext,
  allowed: AllowedSecrets,
): SecretPolicy {
  const listed = settings.get("allowEnv");
  const matches = matcher([
    ...allowedBy("env:", allowed),
    ...(listed?.value.split(/[\s,]+/u) ?? []),
  ]);
  return {
    refusesVariable(name, value = "", path = []) {
      if (matches(name)) return undefined;
      if (listed) return `${name} is not in ${listed.source}; add --allow env:${name} to allow it`;
      const isTarget = path.length === 1 && path[0] === "url";
      const owner = protectedVariable(name) ?? protectedValue(value, files.variables(), isTarget);
      return (
        owner &&
        `${name} ${owner}, so it is not read for a destination; add --allow env:${name} to allow it`
      );
    },
    async locate(path, folder) {
      const file = await files.realPath(path);
      // The kernel's files about this process, its environment above all, are never secrets.
      if ([path, file].some((one) => KERNEL.test(one)))
        return `files of ${kernelOf(file)} are not read`;
      const roots = await Promise.all(
        allowedBy("file:", allowed).map((one) => files.realPath(one)),
      );
      if (roots.some((root) => isWithin(root, file))) return { file };
      const isOwn = isWithin(await files.realPath(folder), file);
      // The checkout of a CI job may save the job's token there.
      const isInGit = file.split(sep).includes(".git");
      if (isOwn && !isInGit) return { file };
      const why = isOwn ? "is in .git" : "is not in the folder of the routing file";
      return `${path} ${why}; add --allow file:${path} to allow it`;
    },
  };
}

const KERNEL = /^\/(?:proc|sys)(?:\/|$)/u;

function kernelOf(file: string): string {
  return file.startsWith("/sys") ? "/sys" : "/proc";
}

/** Compares names as Windows does, where `aws_secret_access_key` reads the same variable. */
function matcher(patterns: readonly string[]): (name: string) => boolean {
  const all = patterns.map((pattern) => pattern.toLowerCase());
  return (name) => all.some((pattern) => matchesPattern(pattern, name.toLowerCase()));
}

/** The sources of a file's secrets. */
export interface SecretSources extends ValueSources {
  /** The path of the routing file: `file:` is relative to its folder. */
  readonly path: string;
  readonly policy: SecretPolicy;
  /** The words of `--allow`. */
  readonly allow: readonly string[];
  /**
   * The variables that are not set, and have a placeholder value; absent where each must be set.
   */
  readonly unset?: ReadonlySet<string>;
  /** Takes the names of variables that must be set and are not. */
  readonly missing?: Set<string>;
}

/**
 * Reads the secrets of one destination.
 * @param refuse takes the reason why one cannot be read, which never repeats its text
 */
export async function readFileSecrets(
  destination: YamlTree,
  sources: SecretSources,
  refuse: (name: string, reason: string) => void,
): Promise<Secrets> {
  const secrets: [string, Secret][] = [];
  for (const { key: name, value: part } of entriesBelow(destination, "secrets")) {
    // A part of any other form is an error that the check of the form reports.
    if (part.kind !== "scalar" || part.value === null) continue;
    const secret = await readFileSecret(part.text, sources);
    if (secret instanceof Secret) secrets.push([name, secret]);
    else refuse(name, secret);
  }
  return Object.fromEntries(secrets);
}

/**
 * Reads the variables that the metadata of a destination refers to, without the spaces around their
 * values that a pasted one may have; the rules for secrets hold for them as well. A reference to a
 * file is refused: the receiver would get its text as a credential.
 */
export function readMetadata(
  metadata: Metadata,
  sources: SecretSources,
  refuse: (path: readonly string[], reason: string) => void,
) {
  mapTexts(metadata, (text, path) => {
    if (isFileReference(text)) refuse(path, "file: is not read in metadata; use env:NAME");
    return text;
  });
  const variable = (name: string) => sources.variable(name)?.trim();
  return resolveMetadata(metadata, (name, path) => {
    const secret = fromVariable(name, { ...sources, variable }, path);
    if (secret instanceof Secret) return secret;
    refuse(path, secret);
    return undefined;
  });
}

/** Reads one secret, or returns the reason why it cannot be read. */
async function readFileSecret(text: string, sources: SecretSources): Promise<Secret | string> {
  const [, scheme, rest = ""] = /^(env|file):(.*)$/su.exec(text) ?? [];
  if (scheme === "env") return fromVariable(rest, sources);
  if (scheme === "file") return fromFile(rest, sources);
  if (text !== "" && sources.allow.includes(LITERAL_SECRETS)) return new Secret(text);
  return "must be env:NAME or file:PATH (or pass --allow literal-secrets)";
}

function fromVariable(
  name: string,
  { variable, policy, missing }: SecretSources,
  path: readonly string[] = [],
): Secret | string {
  if (!/^[A-Za-z_]\w*$/u.test(name)) {
    return "env: must be followed by the name of a variable (letters, digits and _)";
  }
  const refusal = policy.refusesVariable(name);
  if (refusal !== undefined) return refusal;
  const value = variable(name);
  const doubt = value && policy.refusesVariable(name, value, path);
  if (doubt) return doubt;
  if (!value) {
    missing?.add(name);
    return `variable ${name} is ${value === "" ? "empty" : "not set"}`;
  }
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
    // The path is kept as it is written: a routing saved beside this file reads the same.
    return new Secret(value, { from: "file", path });
  } catch (error) {
    if (error instanceof AmpError) return error.message;
    throw error;
  }
}
