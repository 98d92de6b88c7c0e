import { UsageError } from "../errors.ts";
import type { Secret } from "../secret.ts";
import { learnMetadata } from "./learn-metadata.ts";
import { isMetadata, isTooDeep, keyPath, type Metadata, place } from "./metadata.ts";
import { fieldShape } from "./metadata-words.ts";
import type { SecretArgument } from "./secret-argument.ts";
import { readSecret } from "./secret-source.ts";
import type { Secrets } from "./secrets.ts";

/** The options that say what a new destination is made of. */
export interface DestinationOptions {
  readonly url?: string | undefined;
  readonly metadata: readonly (readonly [key: string, value: string])[];
  /** JSON, or `@file`. */
  readonly metadataJson?: string | undefined;
  readonly secret: readonly SecretArgument[];
}

/** Where values come from that the command line only points to. */
export interface Sources {
  read(path: string): Promise<string>;
  variable(name: string): string | undefined;
}

/** What a destination is made of, besides name and type. */
export interface DestinationContent {
  readonly metadata: Metadata;
  readonly secrets: Secrets;
}

/**
 * Reads the options of a new destination, references resolved, so that nothing is missing once the
 * first request is sent.
 * @throws {UsageError} naming the option
 */
export async function readDestination(
  type: string,
  options: DestinationOptions,
  sources: Sources,
): Promise<DestinationContent> {
  const stdin = options.secret.filter(({ source }) => source.from === "stdin").length;
  if (stdin > 1) throw new UsageError("--secret: standard input can hold one secret only");
  const json = await readJson(options.metadataJson, sources);
  const metadata = addPairs(type, json, pairsOf(options));
  learnMetadata(type, metadata);
  return { metadata, secrets: await readSecrets(options.secret, sources) };
}

function pairsOf({ url, metadata }: DestinationOptions): readonly Pair[] {
  const pairs = metadata.map(([key, value]) => ({ option: `--metadata ${key}`, key, value }));
  return url === undefined ? pairs : [{ option: "--url", key: "url", value: url }, ...pairs];
}

interface Pair {
  readonly option: string;
  readonly key: string;
  readonly value: string;
}

/** Pairs over the JSON; among themselves they must agree. */
function addPairs(type: string, json: Metadata, pairs: readonly Pair[]): Metadata {
  const given = new Map<string, Pair>();
  let tree = json;
  for (const pair of pairs) {
    const before = [...given.values()].find(({ key }) => clash(key, pair.key));
    if (before && (before.key !== pair.key || before.value !== pair.value)) {
      throw new UsageError(`${before.option} and ${pair.option} contradict each other`);
    }
    given.set(pair.key, pair);
    const path = keyPath(pair.key);
    tree = place(tree, path, typed(type, path, pair));
  }
  return tree;
}

/** The same key, or one that lies within the other. */
function clash(one: string, other: string): boolean {
  return one === other || one.startsWith(`${other}.`) || other.startsWith(`${one}.`);
}

const FLAG: Readonly<Record<string, boolean>> = { true: true, false: false };

function typed(type: string, path: readonly string[], { option, value }: Pair): unknown {
  if (fieldShape(type, path) !== "flag") return value;
  if (!Object.hasOwn(FLAG, value)) throw new UsageError(`${option} must be true or false`);
  return FLAG[value];
}

async function readJson(typed: string | undefined, sources: Sources): Promise<Metadata> {
  if (typed === undefined) return {};
  const text = typed.startsWith("@") ? await sources.read(typed.slice(1)) : typed;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new UsageError("--metadata-json holds no JSON", {}, { cause: error });
  }
  if (!isMetadata(value)) throw new UsageError("--metadata-json must be a JSON object");
  if (isTooDeep(value)) throw new UsageError("--metadata-json is nested too deeply");
  return value;
}

async function readSecrets(args: readonly SecretArgument[], sources: Sources): Promise<Secrets> {
  const secrets: [string, Secret][] = [];
  for (const { name, source } of args) {
    if (secrets.some(([known]) => known === name)) {
      throw new UsageError(`--secret ${name} is given twice`);
    }
    secrets.push([name, await readSecret(name, source, sources)]);
  }
  return Object.fromEntries(secrets);
}
