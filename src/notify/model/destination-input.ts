import { destinationType } from "../../api/catalogue/destination-types.ts";
import { Secret, type SecretReference } from "../../secrets/secret.ts";
import { inputErrors } from "../../values/errors.ts";
import { routingErrors } from "../errors.ts";
import {
  isFileReference,
  keyPath,
  type Metadata,
  type MetadataValue,
  mapTexts,
  metadataValues,
  placeholderProblem,
  registerMetadataSecrets,
  resolveMetadata,
  withValueAt,
} from "./metadata.ts";
import type { NewDestination } from "./routing.ts";
import {
  type DestinationContent,
  type Secrets,
  type Variable,
  writtenMetadata,
} from "./secrets.ts";

/** The options for the content of a new destination. */
export interface DestinationOptions {
  readonly url?: string | undefined;
  readonly metadata: readonly (readonly [key: string, value: string])[];
  readonly secret: readonly SecretArgument[];
}

/** The sources of values that the command line only refers to. */
export interface ValueSources {
  read(path: string): Promise<string>;
  variable(name: string): string | undefined;
}

/**
 * Reads the options of a new destination and the values that they refer to, so that nothing is
 * missing once the first request is sent.
 * @throws {UsageError} naming the option
 */
export async function readDestinationContent(
  type: string,
  options: DestinationOptions,
  sources: ValueSources,
): Promise<DestinationContent> {
  const stdin = options.secret.filter(({ source }) => source.from === "stdin").length;
  if (stdin > 1) throw routingErrors.secret_stdin_twice();
  const typed = nested(type, metadataPairs(options));
  mapTexts(typed, (text, path) => {
    const problem = placeholderProblem(text);
    if (problem) throw routingErrors.metadata_invalid(path.join("."), problem);
    if (!isFileReference(text)) return text;
    // The receiver would get the reference as a credential.
    throw routingErrors.metadata_file_reference(path.join("."));
  });
  const resolved = resolveMetadata(typed, (name, path) => {
    const value = sources.variable(name)?.trim();
    if (value) return new Secret(value, { from: "env", name });
    throw routingErrors.secret_variable_unset(`metadata ${path.join(".")}`, name);
  });
  registerMetadataSecrets(type, resolved.metadata);
  return { ...resolved, secrets: await readSecrets(options.secret, sources) };
}

function metadataPairs({ url, metadata }: DestinationOptions): readonly MetadataPair[] {
  const pairs = metadata.map(([key, value]) => ({ option: `--metadata ${key}`, key, value }));
  return url === undefined ? pairs : [{ option: "--url", key: "url", value: url }, ...pairs];
}

interface MetadataPair {
  readonly option: string;
  readonly key: string;
  readonly value: string;
}

/** The metadata that pairs say; two pairs must not overlap. */
function nested(type: string, pairs: readonly MetadataPair[]): Metadata {
  const given = new Map<string, MetadataPair>();
  let tree: Metadata = {};
  for (const pair of pairs) {
    if (/^headers\./u.test(pair.key) && pair.value.trim() === "") {
      throw routingErrors.metadata_header_empty(pair.option);
    }
    const before = [...given.values()].find(({ key }) => keysOverlap(key, pair.key));
    if (before && (before.key !== pair.key || before.value !== pair.value)) {
      throw inputErrors.options_conflict(before.option, pair.option);
    }
    given.set(pair.key, pair);
    const path = keyPath(pair.key);
    tree = withValueAt(tree, path, typedValue(type, path, pair));
  }
  return tree;
}

/** Whether one key equals the other or lies within it. */
function keysOverlap(one: string, other: string): boolean {
  return one === other || one.startsWith(`${other}.`) || other.startsWith(`${one}.`);
}

function typedValue(
  type: string,
  path: readonly string[],
  { option, value }: MetadataPair,
): unknown {
  if (fieldShape(type, path) !== "flag") return value;
  if (value === "true" || value === "false") return value === "true";
  throw routingErrors.metadata_not_flag(option);
}

async function readSecrets(
  args: readonly SecretArgument[],
  sources: ValueSources,
): Promise<Secrets> {
  const secrets = new Map<string, Secret>();
  for (const { name, source } of args) {
    if (secrets.has(name)) throw routingErrors.secret_twice(name);
    secrets.set(name, await readSecret(name, source, sources));
  }
  return Object.fromEntries(secrets);
}

/**
 * The options that express a destination's metadata; `undefined` where only a routing file can, as
 * for a number. A credential is a reference: of a variable that the shell expands, amp would not
 * know that it is not set.
 */
export function metadataOptions(destination: string, part: NewDestination, variable: Variable) {
  let url: string | undefined;
  const metadata: string[] = [];
  for (const leaf of metadataValues(writtenMetadata(destination, part, variable))) {
    const text = pairText(part.type, leaf);
    const key = leaf.path.join(".");
    if (text === undefined) return undefined;
    if (key === "url") url = text;
    else metadata.push(`${key}=${text}`);
  }
  return { url, metadata };
}

/** The text that `--metadata key=` would turn into this value; `undefined` if there is none. */
function pairText(type: string, { path, value }: MetadataValue): string | undefined {
  if (path.some((key) => key === "" || /[.=]/u.test(key) || key !== key.trim())) return undefined;
  const isFlag = fieldShape(type, path) === "flag";
  if (typeof value === "boolean" && isFlag) return String(value);
  // An empty --url would be an error, not a value.
  const fits = typeof value === "string" && !isFlag && (value.trim() !== "" || path[0] !== "url");
  return fits ? value : undefined;
}

/** The shape that a type gives a value of its metadata. */
function fieldShape(type: string, path: readonly string[]): "map" | "flag" | undefined {
  if (path.length !== 1) return undefined;
  return destinationType(type)?.metadata.find(({ name }) => name === path[0])?.shape;
}

/** A secret as the command line names it: never its value, which the process list would show. */
interface SecretArgument {
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
  // The error does not repeat even the name: a pasted secret may contain a `=`.
  throw routingErrors.secret_form();
}

/**
 * Reads a secret from its source.
 * @param name the service's name of the secret, for messages
 * @throws {UsageError} if the source is empty
 */
export async function readSecret(
  name: string,
  source: SecretArgument["source"],
  sources: ValueSources,
): Promise<Secret> {
  if (source.from === "env") {
    const value = sources.variable(source.name);
    if (!value) throw routingErrors.secret_variable_unset(`--secret ${name}`, source.name);
    return new Secret(value, source);
  }
  const text = await sources.read(source.from === "file" ? source.path : "-");
  const value = withoutLineEnd(text);
  if (value === "") throw inputErrors.value_empty(`--secret ${name}`);
  return source.from === "file" ? new Secret(value, source) : new Secret(value);
}

/** The text without its final line end, which editors and `echo` add to a file. */
export function withoutLineEnd(text: string): string {
  return text.replace(/\r?\n$/u, "");
}
