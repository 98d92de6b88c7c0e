import type { CommandContext } from "../../context/command-context.ts";
import { publishNames } from "../../secrets/secret.ts";
import { findResource, searchFor } from "../find-resource.ts";
import { type Address, addressParts } from "../model/address.ts";
import type { LiveRecord, NamedKind } from "../model/resource.ts";
import type { ExistingDestination, NewDestination, RoutingModel } from "../model/routing.ts";
import type { LiveRouting } from "../plan/live.ts";
import { filesOf, type RoutingState } from "../state/state.ts";

/** A resource that exists. `name` is its ID where the service has no name for it. */
export interface ExistingAnswer extends ExistingDestination {
  readonly name: string;
}

/** The destination of a setup. */
export type DestinationAnswer = (NewDestination & { readonly name: string }) | ExistingAnswer;

/** The topic of a setup. */
export type TopicAnswer = { readonly kind: "new"; readonly name: string } | ExistingAnswer;

/** The answers of a setup. */
export interface SetupAnswers {
  readonly destination: DestinationAnswer;
  readonly topic: TopicAnswer;
  readonly events: readonly string[];
}

/** The answers of a setup that was left before its last question; a destination may lack parts. */
export interface AnswersSoFar {
  readonly destination?:
    | ExistingAnswer
    | (Partial<NewDestination> & { readonly kind: "new"; readonly name?: string });
  readonly topic?: TopicAnswer;
  readonly events?: readonly string[];
}

/**
 * The routing that the answers ask for, by the name of its topic; by that of its destination, too,
 * where the topic has no name, or the state has another routing of its name: a prune could not tell
 * them apart.
 */
export function modelOfAnswers(
  { destination, topic, events }: SetupAnswers,
  state: Pick<RoutingState, "entries"> | undefined,
): RoutingModel {
  const { name, ...part } = destination;
  publishNames([name, topic.name]);
  const id = topic.kind === "existing" ? { id: topic.id } : {};
  const own = topic.kind === "existing" && topic.id === topic.name ? name : topic.name;
  const isOther = [...(state?.entries ?? [])].some(
    ([address, entry]) => filesOf(entry).includes(own) && !isPartOf(address, topic.name, name),
  );
  return {
    name: isOther ? `${topic.name}-${name}` : own,
    destinations: new Map([[name, part]]),
    topics: new Map([[topic.name, { ...id, events, destinations: [name] }]]),
  };
}

function isPartOf(address: Address, topic: string, destination: string): boolean {
  const { kind, names } = addressParts(address);
  if (kind === "destination") return names[0] === destination;
  return names[0] === topic && (kind !== "destination-route" || names[1] === destination);
}

/** The fields of a destination or topic that its selection needs. */
export type ListedRecord = Pick<LiveRecord, "id" | "name" | "type">;

/**
 * The existing resource with a given ID or name.
 * @param listed undefined where the service has no lists: then any ID is accepted
 * @throws {NotFoundError} where the service lists no such resource
 * @throws {ConflictError} if several have the name, without an interactive terminal
 */
export async function findExisting(
  kind: NamedKind,
  listed: readonly LiveRecord[] | undefined,
  wanted: string,
  asker: Pick<CommandContext, "interactive" | "prompt">,
): Promise<ExistingAnswer> {
  if (listed === undefined) return existingAnswer({ id: wanted });
  const search = { ...searchFor(kind, `--${kind}-id`), exact: true };
  return existingAnswer(await findResource(kind, wanted, { [kind]: listed }, search, asker));
}

/** The only listed resource with a name; undefined where there is none or several. */
export function namedRecord(
  live: LiveRouting | undefined,
  kind: NamedKind,
  name: string | undefined,
): LiveRecord | undefined {
  const [found, another] = live?.[kind].filter((record) => record.name === name) ?? [];
  return another === undefined ? found : undefined;
}

/** A record of the service as an answer. */
export function existingAnswer({ id, name, type }: ListedRecord): ExistingAnswer {
  return { kind: "existing", id, name: name || id, ...(type ? { type } : {}) };
}
