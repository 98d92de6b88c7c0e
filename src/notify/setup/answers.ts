import { NotFoundError } from "../../errors.ts";
import { suggest } from "../../values/suggested-command.ts";
import type { DestinationContent } from "../model/destination-input.ts";
import type { NamedKind } from "../model/names.ts";
import type { RoutingModel } from "../model/routing.ts";
import type { Plan } from "../plan/plan.ts";

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

/** The routing that the answers ask for. */
export function modelOfAnswers({ destination, topic, events }: SetupAnswers): RoutingModel {
  const { name, ...part } = destination;
  const id = topic.kind === "existing" ? { id: topic.id } : {};
  return {
    destinations: new Map([[name, part]]),
    topics: new Map([[topic.name, { ...id, events, destinations: [name] }]]),
  };
}

/** The decision of a setup: its routing and what to do with it. */
export interface SetupDecision {
  /** `save`: write the routing file, and create nothing. */
  readonly action: "create" | "save";
  readonly model: RoutingModel;
  /** The plan that the user has reviewed; absent where no question was asked. */
  readonly reviewed?: Plan;
}

/** The fields of a destination or topic that its selection needs. */
export interface ListedRecord {
  readonly id: string;
  readonly name?: string | null | undefined;
  readonly type?: string | null | undefined;
}

/**
 * The existing resource with a given ID.
 * @param listed undefined where the service has no lists: then any ID is accepted
 * @throws {NotFoundError} where the service lists no such ID
 */
export function existingById(
  kind: NamedKind,
  listed: readonly ListedRecord[] | undefined,
  id: string,
): ExistingAnswer {
  const found = listed?.find((record) => record.id === id);
  if (listed !== undefined && found === undefined) {
    throw new NotFoundError(`No ${kind} has the ID ${JSON.stringify(id)}`, {
      done: "Nothing was created.",
      suggestion: suggest(`notify ${kind}s list`),
    });
  }
  return existingAnswer(found ?? { id });
}

/** A record of the service as an answer. */
export function existingAnswer({ id, name, type }: ListedRecord): ExistingAnswer {
  return { kind: "existing", id, name: name || id, ...(type ? { type } : {}) };
}
