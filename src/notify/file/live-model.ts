import { destinationType } from "../../api/catalogue/destination-types.ts";
import { REDACTED, Secret } from "../../secrets/secret.ts";
import { type Metadata, metadataValues } from "../model/metadata.ts";
import {
  canonicalRouting,
  compareText,
  type DestinationPart,
  type RoutingModel,
  type TopicPart,
} from "../model/routing.ts";
import type { Secrets } from "../model/secrets.ts";
import type { LiveRouting } from "../plan/live.ts";
import { quoted } from "./issues.ts";
import { routingFile } from "./write.ts";

interface RecordWithName {
  readonly id: string;
  readonly name?: string | null | undefined;
}

/** What a record is called in a file. */
export interface NamedRecord<Record> {
  readonly record: Record;
  readonly key: string;
  /** By its own name, which finds it again; else the file must give its id. */
  readonly isNamed: boolean;
}

/**
 * Finds a name for each record, by id. One without a name, or with one that several have, is called
 * by its id.
 */
export function namesInFile<Record extends RecordWithName>(
  what: string,
  records: readonly Record[],
  warn: (what: string) => void,
): ReadonlyMap<string, NamedRecord<Record>> {
  const counts = new Map<string, number>();
  for (const { name } of records) {
    if (isName(name)) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const taken = new Set(counts.keys());
  const keyed = new Map<string, NamedRecord<Record>>();
  for (const record of records.toSorted((a, b) => compareText(a.id, b.id))) {
    const { id, name } = record;
    if (keyed.has(id)) continue;
    if (isName(name) && counts.get(name) === 1) {
      keyed.set(id, { record, key: name, isNamed: true });
      continue;
    }
    const why = isName(name) ? `several are called ${quoted(name)}` : "it has no name";
    warn(`The ${what} ${quoted(id)} stands here by its id: ${why}.`);
    const key = freeKey(id, taken);
    taken.add(key);
    keyed.set(id, { record, key, isNamed: false });
  }
  return keyed;
}

function isName(name: string | null | undefined): name is string {
  return typeof name === "string" && name.trim() !== "" && name !== "__proto__";
}

function freeKey(id: string, taken: ReadonlySet<string>): string {
  const first = isName(id) ? id : "unnamed";
  let key = first;
  for (let count = 2; taken.has(key); count += 1) key = `${first}-${count}`;
  return key;
}

/** A live routing as a file. */
export interface ExportedRouting {
  readonly text: string;
  /** What the file cannot say, or the service does not tell; in the file as comments, too. */
  readonly warnings: readonly string[];
}

/**
 * Writes the routing that a service lists as a routing file. Applied where it came from, it changes
 * nothing: what has a name of its own is found by it, the rest stands there by its id.
 */
export async function exportRouting(live: LiveRouting, project?: string): Promise<ExportedRouting> {
  const { model, warnings } = liveModel(live);
  return { text: await routingFile(model, project, warnings), warnings };
}

/** The model of a live routing, with what it cannot hold. */
export function liveModel(live: LiveRouting): { model: RoutingModel; warnings: string[] } {
  const warnings: string[] = [];
  const warn = (what: string) => warnings.push(what);
  const outs = namesInFile("destination", live.destinations, warn);
  const ins = namesInFile("topic", live.topics, warn);
  const destinations = new Map<string, DestinationPart>();
  for (const { record, key, isNamed } of outs.values()) {
    destinations.set(
      key,
      isNamed ? destinationOf(key, record, warn) : { kind: "existing", id: record.id },
    );
  }
  const topics = new Map<string, TopicLists>();
  for (const { record, key, isNamed } of ins.values()) {
    topics.set(key, { ...(isNamed ? {} : { id: record.id }), events: [], destinations: [] });
  }
  for (const { id, topicId, eventType } of sorted(live.eventRoutes)) {
    const topic = topics.get(ins.get(topicId ?? "")?.key ?? "");
    add(topic?.events, eventType, `event route ${quoted(id)}`, warn);
  }
  for (const { id, topicId, destinationId } of sorted(live.destinationRoutes)) {
    const topic = topics.get(ins.get(topicId ?? "")?.key ?? "");
    const out = outs.get(destinationId ?? "")?.key;
    add(topic?.destinations, out, `destination route ${quoted(id)}`, warn);
  }
  return { model: canonicalRouting({ destinations, topics }), warnings };
}

interface TopicLists extends TopicPart {
  readonly events: string[];
  readonly destinations: string[];
}

function add(
  list: string[] | undefined,
  value: string | null | undefined,
  what: string,
  warn: (what: string) => void,
): void {
  if (list === undefined || !value) warn(`The ${what} leads to nothing that is listed; left out.`);
  else if (list.includes(value)) warn(`The ${what} says again what another one says; left out.`);
  else list.push(value);
}

function destinationOf(
  name: string,
  { id, type, metadata }: LiveRouting["destinations"][number],
  warn: (what: string) => void,
): DestinationPart {
  if (!type || !metadata) {
    warn(`Of the destination ${quoted(name)} the service tells no ${type ? "metadata" : "type"}.`);
    return { kind: "existing", id };
  }
  for (const { path, value } of metadataValues(metadata)) {
    if (value !== REDACTED) continue;
    warn(`The destination ${quoted(name)} has a secret in metadata.${path.join(".")}: fill it in.`);
  }
  return { kind: "new", type, metadata: metadata as Metadata, secrets: placeholders(type) };
}

/** No service tells secrets: those that the type needs become variables. */
function placeholders(type: string): Secrets {
  const needed = destinationType(type)?.secrets.filter(({ required }) => required) ?? [];
  return Object.fromEntries(needed.map(({ name }) => [name, new Secret("")]));
}

function sorted<Record extends { readonly id: string }>(records: readonly Record[]): Record[] {
  return records.toSorted((a, b) => compareText(a.id, b.id));
}
