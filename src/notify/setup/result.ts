import type { Receipt } from "../engine/types.ts";
import {
  type Address,
  destinationAddress,
  destinationRouteAddress,
  eventRouteAddress,
  topicAddress,
} from "../model/address.ts";
import type { ExistingIds } from "../model/routing.ts";
import type { Plan } from "../plan/plan.ts";
import { modelOfAnswers, type SetupAnswers } from "./answers.ts";
import { setupCommand } from "./command-line.ts";

/** How a thing came to be; `planned`: it did not, only the file was written, or nothing at all. */
export type SetupItemOrigin = "created" | "existing" | "planned";

/** A thing of the routing, and how it came to be. */
export interface SetupItem {
  readonly id?: string;
  readonly origin: SetupItemOrigin;
  /** The service's request identifier, of what this run created. */
  readonly requestId?: string;
  /** How long its creation took, in milliseconds. */
  readonly ms?: number;
}

/** What there is by now, by address. */
export type SetupOutcome = ReadonlyMap<Address, SetupItem>;

/** What `amp notify setup` has done. */
export interface SetupResult {
  readonly destination: SetupItem & {
    readonly name: string;
    readonly type?: string;
    readonly metadata?: Readonly<Record<string, unknown>>;
  };
  readonly topic: SetupItem & { readonly name: string };
  readonly eventRoutes: readonly (SetupItem & {
    readonly eventType: string;
    readonly topicId?: string;
  })[];
  readonly destinationRoutes: readonly (SetupItem & {
    readonly topic: string;
    readonly destination: string;
    readonly topicId?: string;
    readonly destinationId?: string;
  })[];
  /** The same without questions, for a POSIX shell. */
  readonly command: string;
  /** Variables of the command, which stand for secrets. */
  readonly variables: readonly string[];
  /** The routing file that was written. */
  readonly savedTo?: string;
}

/** What there is after a run. */
export function outcomeOfReceipt({ settled }: Receipt): SetupOutcome {
  const found = new Map<Address, SetupItem>();
  for (const { address, outcome, id, requestId, ms, sent } of settled) {
    const isNew = sent && (outcome === "created" || outcome === "reconciled");
    if (id === undefined || found.has(address)) continue;
    const how = { ...(requestId === undefined ? {} : { requestId }), ms };
    found.set(address, isNew ? { id, origin: "created", ...how } : { id, origin: "existing" });
  }
  return found;
}

/** What there is before anything is done. */
export function outcomeOfPlan({ items }: Plan): SetupOutcome {
  return outcomeOfExisting(
    new Map(
      items.flatMap((item): [Address, string][] =>
        item.action === "in-place" || item.action === "adopt" ? [[item.address, item.id]] : [],
      ),
    ),
  );
}

/** The same, where it is known by other means. */
export function outcomeOfExisting(standing: ExistingIds): SetupOutcome {
  return new Map([...standing].map(([address, id]) => [address, { id, origin: "existing" }]));
}

/** Puts the result together. */
export function resultOf(
  answers: SetupAnswers,
  found: SetupOutcome,
  savedTo?: string | undefined,
): SetupResult {
  const part = (address: Address): SetupItem => found.get(address) ?? { origin: "planned" };
  const { destination, topic, events } = answers;
  const command = setupCommand(modelOfAnswers(answers));
  const into = part(topicAddress(topic.name));
  const out = part(destinationAddress(destination.name));
  const topicId = into.id === undefined ? {} : { topicId: into.id };
  const destinationId = out.id === undefined ? {} : { destinationId: out.id };
  return {
    destination: { ...out, ...described(answers), name: destination.name },
    topic: { ...into, name: topic.name },
    eventRoutes: events.map((event) => ({
      ...part(eventRouteAddress(topic.name, event)),
      ...topicId,
      eventType: event,
    })),
    destinationRoutes: [
      {
        ...part(destinationRouteAddress(topic.name, destination.name)),
        ...topicId,
        ...destinationId,
        topic: topic.name,
        destination: destination.name,
      },
    ],
    command: command?.line ?? "",
    variables: command?.variables ?? [],
    ...(savedTo === undefined ? {} : { savedTo }),
  };
}

function described({
  destination,
}: SetupAnswers): Pick<SetupResult["destination"], "type" | "metadata"> {
  if (destination.kind === "new") {
    return { type: destination.type, metadata: destination.metadata };
  }
  return destination.type === undefined ? {} : { type: destination.type };
}
