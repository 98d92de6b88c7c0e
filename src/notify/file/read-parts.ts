import type { DestinationPart, TopicPart } from "../model.ts";
import { mapOf, type Wanted } from "./fields.ts";
import { type Problems, quoted } from "./problems.ts";
import { readDestination } from "./read-destination.ts";
import { readTopic } from "./read-topic.ts";
import type { SecretPlace } from "./secret-value.ts";
import type { Entry } from "./tree.ts";

/** Reads the destinations by name. */
export async function readDestinations(
  entries: readonly Entry[],
  place: SecretPlace,
  problems: Problems,
): Promise<Map<string, DestinationPart>> {
  const parts = new Map<string, DestinationPart>();
  for (const entry of entries) {
    const part = await readDestination(entry, place, problems);
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
  entries: readonly Entry[],
  destinations: readonly Entry[],
  problems: Problems,
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
  entry: Entry | undefined,
  wanted: Wanted,
  problems: Problems,
): readonly Entry[] {
  const map = entry && mapOf(entry.value, wanted, problems);
  const entries = map?.entries ?? [];
  for (const { key, at } of entries) {
    if (key.trim() === "") problems.add(at, "a name must not be empty");
  }
  return entries;
}

/** Two names for one thing would have its routes created twice. */
function checkIds(
  entries: readonly Entry[],
  idOf: (name: string) => string | undefined,
  problems: Problems,
): void {
  const names = new Map<string, string>();
  for (const { key, at } of entries) {
    const id = idOf(key);
    const before = id === undefined ? undefined : names.get(id);
    if (before !== undefined) {
      problems.add(at, `${quoted(key)} has the same id as ${quoted(before)}: keep one of the two`);
    }
    if (id !== undefined) names.set(id, key);
  }
}
