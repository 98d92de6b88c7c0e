import { createHash } from "node:crypto";
import type { CommandContext } from "../../context/command-context.ts";
import { publishNames } from "../../secrets/secret.ts";
import { findResource, searchFor } from "../find-resource.ts";
import { namePath } from "../model/address.ts";
import type { DestinationContent, DestinationOptions } from "../model/destination-input.ts";
import type { LiveRecord, NamedKind, ResourceKind } from "../model/resource.ts";
import type { RoutingModel } from "../model/routing.ts";
import type { LiveRouting } from "../plan/live.ts";
import type { Plan } from "../plan/plan.ts";
import type { SessionContext, SessionOptions } from "../session.ts";

/** The part of a command's context that a setup uses. */
export type SetupContext = SessionContext &
  Pick<CommandContext, "dryRun" | "files" | "interactive" | "prompt" | "yes">;

/** The options of `amp notify setup`. */
export interface SetupOptions
  extends DestinationOptions,
    Pick<SessionOptions, "recreate" | "adoptChanges" | "changeShared"> {
  readonly destinationName?: string | undefined;
  readonly destinationType?: string | undefined;
  readonly destinationId?: string | undefined;
  readonly topic?: string | undefined;
  readonly topicId?: string | undefined;
  readonly event: readonly string[];
  readonly save?: string | undefined;
  readonly overwrite: boolean;
  /** Resumes the setup that did not finish. */
  readonly resume?: boolean | undefined;
}

/** A resource that exists. `name` is its ID where the service has no name for it. */
export interface ExistingAnswer {
  readonly kind: "existing";
  readonly id: string;
  readonly name: string;
  readonly type?: string;
}

/** The destination of a setup. */
export type DestinationAnswer =
  | ({ readonly kind: "new"; readonly name: string; readonly type: string } & DestinationContent)
  | ExistingAnswer;

/** The topic of a setup. */
export type TopicAnswer = { readonly kind: "new"; readonly name: string } | ExistingAnswer;

/** The answers of a setup. */
export interface SetupAnswers {
  readonly destination: DestinationAnswer;
  readonly topic: TopicAnswer;
  readonly events: readonly string[];
}

/**
 * The answers that options give.
 * @param live the live routing, which only existing resources need; undefined where the service has
 *   no lists
 * @throws {NotFoundError} where the service lists no such ID or name
 */
export async function answersOfOptions(
  options: SetupOptions,
  content: DestinationContent,
  live: LiveRouting | undefined,
  asker: Pick<SetupContext, "interactive" | "prompt">,
): Promise<SetupAnswers> {
  const {
    destinationId,
    destinationName = "",
    destinationType = "",
    topicId,
    topic = "",
  } = options;
  return {
    destination:
      destinationId === undefined
        ? { kind: "new", name: destinationName, type: destinationType, ...content }
        : await findExisting("destination", live?.destination, destinationId, asker),
    topic:
      topicId === undefined
        ? { kind: "new", name: topic }
        : await findExisting("topic", live?.topic, topicId, asker),
    events: [...new Set(options.event)],
  };
}

/**
 * The routing that the answers ask for. Files and setups of the same name delete what others made, so
 * the event types belong to the name: further ones are another setup.
 */
export function modelOfAnswers({ destination, topic, events }: SetupAnswers): RoutingModel {
  const { name, ...part } = destination;
  publishNames([name, topic.name]);
  const id = topic.kind === "existing" ? { id: topic.id } : {};
  const names = namePath(topic.name, name);
  return {
    name: `setup-${names}-${hashOf(events.toSorted().join())}`,
    destinations: new Map([[name, part]]),
    topics: new Map([[topic.name, { ...id, events, destinations: [name] }]]),
  };
}

/** The answers that ask for this routing; undefined for more than one topic or destination. */
export function answersOfModel({ destinations, topics }: RoutingModel): SetupAnswers | undefined {
  const [destination, ...furtherDestinations] = destinations;
  const [topic, ...furtherTopics] = topics;
  if (!destination || !topic || furtherDestinations.length + furtherTopics.length > 0) {
    return undefined;
  }
  const [topicName, { id, events }] = topic;
  const [name, part] = destination;
  return {
    destination: { ...part, name },
    topic:
      id === undefined
        ? { kind: "new", name: topicName }
        : { kind: "existing", id, name: topicName },
    events,
  };
}

/** The decision of a setup: its routing and what to do with it. */
export interface SetupDecision {
  /** `save`: write the routing file, and create nothing. */
  readonly action: "create" | "save";
  readonly model: RoutingModel;
  /** The plan that the user has reviewed; absent if there was no prompt. */
  readonly reviewed?: Plan;
  /** True if options gave every answer: the typed command repeats it. */
  readonly isTyped?: true;
  /** The answers, if there were prompts. */
  readonly answers?: SetupAnswers;
  /** Whether to recreate resources that are no longer listed, where that could be chosen. */
  readonly recreate?: boolean;
}

/** Answers of which a part is to be changed. */
export interface ChangedAnswers {
  readonly answers: SetupAnswers;
  /** The part to prompt for; if absent, the user chooses it. */
  readonly part?: keyof SetupAnswers;
  /** Whether to begin with the review: the user may agree to the answers as they are. */
  readonly isReviewed?: boolean;
  /** The only input that was refused, as the service names it: `metadata.url`. */
  readonly input?: string | undefined;
}

/** Answers that the service refused. */
export interface RefusedAnswers extends ChangedAnswers {
  /** The refused answers, and why. */
  readonly says: string;
  /** The resources that were created before that. */
  readonly done: string;
}

/** A short text that differs for different texts. */
export function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 8);
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
  asker: Pick<SetupContext, "interactive" | "prompt">,
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

/** The option of `amp notify setup` for each input, by the kind of resource that was created. */
export const SETUP_FLAGS: Readonly<
  Partial<Record<ResourceKind, Readonly<Record<string, string>>>>
> = {
  destination: {
    name: "--destination-name",
    type: "--destination-type",
    "metadata.url": "--url",
    metadata: "--metadata",
    secrets: "--secret",
  },
  topic: { name: "--topic" },
  "event-route": { eventType: "--event", topicId: "--topic-id" },
  "destination-route": { topicId: "--topic-id", destinationId: "--destination-id" },
};
