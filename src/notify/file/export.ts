import { destinationType } from "../../api/destination-types.ts";
import { REDACTED, Secret } from "../../secret.ts";
import { leaves, type Metadata } from "../metadata.ts";
import type { DestinationPart, RoutingModel, TopicPart } from "../model.ts";
import { canonical, compare } from "../plan/canonical.ts";
import type { LiveRouting } from "../plan/live.ts";
import { routingFile } from "../routing-file.ts";
import type { Secrets } from "../secrets.ts";
import { keysFor } from "./export-keys.ts";
import { quoted } from "./problems.ts";

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
  const { model, warnings } = modelOf(live);
  return { text: await routingFile(model, project, warnings), warnings };
}

/** The model of a live routing, with what it cannot hold. */
export function modelOf(live: LiveRouting): { model: RoutingModel; warnings: string[] } {
  const warnings: string[] = [];
  const warn = (what: string) => warnings.push(what);
  const outs = keysFor("destination", live.destinations, warn);
  const ins = keysFor("topic", live.topics, warn);
  const destinations = new Map<string, DestinationPart>();
  for (const { record, key, isNamed } of outs.values()) {
    destinations.set(
      key,
      isNamed ? destinationOf(key, record, warn) : { kind: "existing", id: record.id },
    );
  }
  const topics = new Map<string, Lists>();
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
  return { model: canonical({ destinations, topics }), warnings };
}

interface Lists extends TopicPart {
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
  for (const { path, value } of leaves(metadata)) {
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
  return records.toSorted((a, b) => compare(a.id, b.id));
}
