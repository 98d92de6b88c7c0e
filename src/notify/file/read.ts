import {
  canonicalRouting,
  type DestinationPart,
  type RoutingModel,
  type TopicPart,
} from "../model/routing.ts";
import { FILE_KEYS, FILE_VERSION, knownKeys, mapOf, textOf, type Wanted } from "./fields.ts";
import { collectIssues, type FileIssues, quoted } from "./issues.ts";
import { readFileDestination } from "./read-destination.ts";
import { readTopic } from "./read-topic.ts";
import type { SecretSources } from "./secret-value.ts";
import { checkCharacters, decodedText, parseYaml } from "./yaml-text.ts";
import { treeOf, type YamlEntry, type YamlMapping, type YamlTree } from "./yaml-tree.ts";

/** What a routing file says. */
export interface ReadRouting {
  /** In canonical order. */
  readonly model: RoutingModel;
  /** Where it belongs, by name or ID, if it says so. */
  readonly project?: string;
  /** With path, line and column. */
  readonly warnings: readonly string[];
}

const DESTINATIONS = { what: "destinations", example: "ops: { id: 1f0c… }" };
const TOPICS = { what: "topics", example: "lifecycle: { events: [installation.created] }" };

/**
 * Reads a routing file, YAML or JSON. Its secrets are read from where it says, so that nothing is
 * missing once the first request is sent.
 * @param path for messages, and what `file:` is relative to
 * @throws {UsageError} with line and column of up to ten mistakes; never with a secret in it
 */
export async function readRoutingFile(
  text: string,
  path: string,
  options: Omit<SecretSources, "path">,
): Promise<ReadRouting> {
  const source = decodedText(text, path);
  const problems = collectIssues(source, path);
  checkCharacters(source, problems);
  problems.check();
  const yaml = await import("yaml");
  const document = parseYaml(yaml, source, problems);
  const tree = document === undefined ? undefined : treeOf(yaml, document, problems);
  const { read, variable, allowLiteralSecrets } = options;
  const place = { read, variable, allowLiteralSecrets, path };
  const file = tree === undefined ? undefined : await readFile(tree, place, problems);
  problems.check();
  // Unreachable: whatever leaves nothing to return has told a problem.
  if (file === undefined) throw new Error(`${path} is no routing file`);
  return { ...file, model: canonicalRouting(file.model), warnings: problems.warnings() };
}

async function readFile(
  tree: YamlTree,
  place: SecretSources,
  problems: FileIssues,
): Promise<Omit<ReadRouting, "warnings"> | undefined> {
  const map = mapOf(tree, { what: "a routing file", example: "version: 1" }, problems);
  if (map === undefined) return undefined;
  const found = knownKeys(map, FILE_KEYS, problems);
  checkVersion(found.version, map, problems);
  const project =
    found.project &&
    textOf(found.project.value, { what: "project", example: "project: acme" }, problems);
  const outs = namesBelow(found.destinations, DESTINATIONS, problems);
  const destinations = await readDestinations(outs, place, problems);
  const topics = readTopics(namesBelow(found.topics, TOPICS, problems), outs, problems);
  return { model: { destinations, topics }, ...(project === undefined ? {} : { project }) };
}

function checkVersion(
  entry: YamlEntry | undefined,
  { at }: YamlMapping,
  problems: FileIssues,
): void {
  const value = entry?.value;
  if (value === undefined)
    problems.error(at, `the version is missing: begin with version: ${FILE_VERSION}`);
  else if (value.kind !== "leaf" || value.value !== FILE_VERSION) {
    problems.error(value.at, `this version of amp reads version: ${FILE_VERSION} only`);
  }
}

/** Reads the destinations by name. */
export async function readDestinations(
  entries: readonly YamlEntry[],
  place: SecretSources,
  problems: FileIssues,
): Promise<Map<string, DestinationPart>> {
  const parts = new Map<string, DestinationPart>();
  for (const entry of entries) {
    const part = await readFileDestination(entry, place, problems);
    if (part !== undefined) parts.set(entry.key, part);
  }
  const idOf = (name: string) => {
    const part = parts.get(name);
    return part?.kind === "existing" ? part.id : undefined;
  };
  checkIds(entries, idOf, problems);
  return parts;
}

/** Reads the topics by name; they lead to destinations of the same file. */
export function readTopics(
  entries: readonly YamlEntry[],
  destinations: readonly YamlEntry[],
  problems: FileIssues,
): Map<string, TopicPart> {
  const names = new Set(destinations.map(({ key }) => key));
  const parts = new Map<string, TopicPart>();
  for (const entry of entries) {
    const part = readTopic(entry, names, problems);
    if (part !== undefined) parts.set(entry.key, part);
  }
  checkIds(entries, (name) => parts.get(name)?.id, problems);
  return parts;
}

/** What stands below `destinations` or `topics`. */
export function namesBelow(
  entry: YamlEntry | undefined,
  wanted: Wanted,
  problems: FileIssues,
): readonly YamlEntry[] {
  const map = entry && mapOf(entry.value, wanted, problems);
  const entries = map?.entries ?? [];
  for (const { key, at } of entries) {
    if (key.trim() === "") problems.error(at, "a name must not be empty");
  }
  return entries;
}

/** Two names for one thing would have its routes created twice. */
function checkIds(
  entries: readonly YamlEntry[],
  idOf: (name: string) => string | undefined,
  problems: FileIssues,
): void {
  const names = new Map<string, string>();
  for (const { key, at } of entries) {
    const id = idOf(key);
    const before = id === undefined ? undefined : names.get(id);
    if (before !== undefined) {
      problems.error(
        at,
        `${quoted(key)} has the same id as ${quoted(before)}: keep one of the two`,
      );
    }
    if (id !== undefined) names.set(id, key);
  }
}
