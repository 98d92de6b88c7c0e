import { destinationType } from "../api/catalogue/destination-types.ts";
import { AmpError } from "../errors.ts";
import { Secret } from "../secrets/secret.ts";
import { routingErrors } from "./errors.ts";
import { quoted } from "./file/issues.ts";
import { namesInFile, sortedById, type Warn } from "./file/live-names.ts";
import { isPrivate, routingFileTexts } from "./file/write.ts";
import { recordKey } from "./model/address.ts";
import type { Metadata } from "./model/metadata.ts";
import { routingMistakes } from "./model/mistakes.ts";
import { eventProblem } from "./model/names.ts";
import { type LiveRecord, RESOURCES, type ResourceKind, type RouteKind } from "./model/resource.ts";
import {
  canonicalRouting,
  type DestinationPart,
  type RoutingModel,
  type TopicPart,
} from "./model/routing.ts";
import type { Secrets } from "./model/secrets.ts";
import { type LiveRouting, listRouting } from "./plan/live.ts";
import type { SessionContext } from "./session.ts";
import { openState, readState } from "./state/open-backend.ts";
import { addressesById, filesOf, type RoutingState } from "./state/state.ts";

interface ExportedRouting {
  readonly text: string;
  /** The routing file as JSON, without comments. */
  json(indent?: number): string;
  /** Facts that the file cannot hold, or the service does not return; also comments in the file. */
  readonly warnings: readonly string[];
  /** Whether the file has values that work like a password. */
  readonly isPrivate: boolean;
}

/**
 * Exports the routing that the service lists as a routing file, and says what applying it does.
 * @throws {NotFoundError} where the service cannot list it
 */
export async function exportProjectRouting(
  context: SessionContext,
): Promise<ExportedRouting & { readonly facts: readonly string[] }> {
  const { api, project } = context;
  const live = await listRouting({ api, project });
  if (live) {
    const facts = [
      `Applying it to ${project} adopts what it lists: nothing is created, changed or deleted.`,
      ...(await declaringFiles(context, live)),
    ];
    return { ...(await exportRouting(live, project, facts)), facts };
  }
  const remedy = "The state has the resources that amp created.";
  throw routingErrors.routing_not_listed(", so there is nothing to export", remedy);
}

/** Says which files declare already what is exported: two files of one resource can disagree. */
async function declaringFiles(context: SessionContext, live: LiveRouting): Promise<string[]> {
  const read = async () => readState(await openState(context, {}, "offline"));
  const saved = await read().catch((error: unknown) => {
    if (!(error instanceof AmpError) || context.signal.aborted) throw error;
    context.report.warn(`Which file declares it already is not known: ${error.message}`);
    return undefined;
  });
  const state: Pick<RoutingState, "entries"> = saved?.state ?? { entries: new Map() };
  const addresses = addressesById(state);
  const keys = (Object.keys(RESOURCES) as ResourceKind[]).flatMap((kind) =>
    live[kind].map(({ id }) => recordKey(kind, id)),
  );
  const files = keys.flatMap((key) => {
    const address = addresses.get(key);
    const entry = address && state.entries.get(address);
    return entry === undefined ? [] : filesOf(entry);
  });
  const all = keys.length;
  return [...Map.groupBy(files, (name) => name)].map(([name, { length }]) => {
    const part = length === all ? `all ${all}` : `${length} of its ${all}`;
    return `The file named ${name} declares ${part} resources already.`;
  });
}

/**
 * Writes a live routing as a routing file. Applied to its own project, the file changes nothing: a
 * record with a unique name is found by the name, any other is in the file by its ID.
 */
export async function exportRouting(
  live: LiveRouting,
  project?: string,
  facts: readonly string[] = [],
): Promise<ExportedRouting> {
  const warnings: string[] = [];
  const model = liveModel(live, (warning) => warnings.push(warning));
  // What is hidden is in the file as a reference, and no mistake.
  const seen = routingMistakes(model).filter(({ path: [part] }) => part !== "secrets");
  const words = new Set(seen.flatMap(({ allow }) => allow ?? []));
  if (words.size > 0) {
    const allow = [...words].map((word) => `--allow ${word}`).join(" ");
    warnings.push(`The service has what amp otherwise refuses: read the file with ${allow}.`);
  }
  const texts = await routingFileTexts(model, { project, remarks: [...facts, ...warnings] });
  // The file says it in its first lines.
  const names = texts.variables.join(", ");
  if (names !== "") warnings.push(`Set these variables first: ${names}.`);
  return { ...texts, warnings, isPrivate: isPrivate(model) };
}

/** The model of a live routing; warns of facts that a model cannot hold. */
function liveModel(live: LiveRouting, warn: Warn): RoutingModel {
  const namedDestinations = namesInFile("destination", live.destination, warn);
  const namedTopics = namesInFile("topic", live.topic, warn);
  const destinations = new Map<string, DestinationPart>();
  for (const { record, key, isNamed } of namedDestinations.values()) {
    const part = isNamed ? destinationPart(key, record, warn) : undefined;
    destinations.set(key, part ?? { kind: "existing", id: record.id });
  }
  const topics = new Map<string, TopicLists>();
  for (const { record, key, isNamed } of namedTopics.values()) {
    topics.set(key, { ...(isNamed ? {} : { id: record.id }), events: [], destinations: [] });
  }
  const topicOf = (id: string | null | undefined, kind: RouteKind, route: string) => {
    const named = namedTopics.get(id ?? "");
    if (id && named === undefined) throw routingErrors.lists_incomplete("topic", id, kind, route);
    return topics.get(named?.key ?? "");
  };
  for (const { id, topicId, eventType } of sortedById(live["event-route"])) {
    const problem = eventType ? eventProblem(eventType) : undefined;
    if (problem !== undefined) {
      warn(`Event route ${quoted(id)}: ${quoted(eventType ?? "")} ${problem}; left out.`);
      continue;
    }
    addOnce(
      topicOf(topicId, "event-route", id)?.events,
      eventType,
      `Event route ${quoted(id)}`,
      warn,
    );
  }
  for (const { id, topicId, destinationId } of sortedById(live["destination-route"])) {
    const name = namedDestinations.get(destinationId ?? "")?.key;
    if (destinationId && name === undefined) {
      throw routingErrors.lists_incomplete("destination", destinationId, "destination-route", id);
    }
    addOnce(
      topicOf(topicId, "destination-route", id)?.destinations,
      name,
      `Destination route ${quoted(id)}`,
      warn,
    );
  }
  return canonicalRouting({ destinations, topics });
}

interface TopicLists extends TopicPart {
  readonly events: string[];
  readonly destinations: string[];
}

function addOnce(
  list: string[] | undefined,
  value: string | null | undefined,
  route: string,
  warn: Warn,
): void {
  if (list === undefined || !value) warn(`${route} does not say what it connects; left out.`);
  else if (list.includes(value)) warn(`${route} is a duplicate; left out.`);
  else list.push(value);
}

function destinationPart(
  name: string,
  { type, metadata }: LiveRecord,
  warn: Warn,
): DestinationPart | undefined {
  if (!type || !metadata) {
    const missing = type ? "metadata" : "type";
    warn(
      `Destination ${quoted(name)} is referenced by its ID: the service returned no ${missing}.`,
    );
    return undefined;
  }
  return { kind: "new", type, metadata: metadata as Metadata, secrets: placeholders(type) };
}

/** The variables for the secrets that a type requires: no service returns secrets. */
function placeholders(type: string): Secrets {
  const needed = destinationType(type)?.secrets.filter(({ required }) => required) ?? [];
  return Object.fromEntries(needed.map(({ name }) => [name, new Secret("")]));
}
