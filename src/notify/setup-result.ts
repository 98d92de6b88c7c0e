import {
  type Address,
  destinationAddress,
  destinationRouteAddress,
  eventRouteAddress,
  topicAddress,
} from "./address.ts";
import type { Answers } from "./answers.ts";
import { modelOf } from "./answers.ts";
import type { Made } from "./apply.ts";
import { setupCommand } from "./command-line.ts";
import { type Standing, standingOf } from "./model.ts";

/** How a thing came to be; `planned`: it did not, only the file was written. */
export type Origin = "created" | "existing" | "planned";

/** A thing of the routing: the service's own record, where it gave one, and how it came to be. */
interface Part {
  readonly id?: string;
  readonly origin: Origin;
}

/** What `amp notify setup` has done. */
export interface SetupResult {
  readonly destination: Part & {
    readonly name: string;
    readonly type?: string;
    readonly metadata?: Readonly<Record<string, unknown>>;
  };
  readonly topic: Part & { readonly name: string };
  readonly eventRoutes: readonly (Part & { readonly eventType: string })[];
  readonly destinationRoutes: readonly (Part & {
    readonly topic: string;
    readonly destination: string;
  })[];
  /** The same without questions, for a POSIX shell. */
  readonly command: string;
  /** Variables of the command, which stand for secrets. */
  readonly variables: readonly string[];
  /** The routing file that was written. */
  readonly savedTo?: string;
}

/** What is to be told. */
export interface Settled {
  readonly answers: Answers;
  readonly standing: Standing;
  readonly made: readonly Made[];
  readonly savedTo: string | undefined;
}

/** Puts the result together. */
export function resultOf({ answers, standing, made, savedTo }: Settled): SetupResult {
  const model = modelOf(answers);
  const existing = new Map([...standingOf(model), ...standing]);
  const records = new Map(made.map(({ step, record }) => [step.address, record]));
  const part = (address: Address): Part => {
    const id = existing.get(address);
    if (id !== undefined) return { id, origin: "existing" };
    const record = records.get(address);
    return record ? { ...record, origin: "created" } : { origin: "planned" };
  };
  const { destination, topic, events } = answers;
  const command = setupCommand(model);
  return {
    destination: {
      ...described(answers),
      ...part(destinationAddress(destination.name)),
      name: destination.name,
    },
    topic: { ...part(topicAddress(topic.name)), name: topic.name },
    eventRoutes: events.map((event) => ({
      ...part(eventRouteAddress(topic.name, event)),
      eventType: event,
    })),
    destinationRoutes: [
      {
        ...part(destinationRouteAddress(topic.name, destination.name)),
        topic: topic.name,
        destination: destination.name,
      },
    ],
    command: command?.line ?? "",
    variables: command?.variables ?? [],
    ...(savedTo === undefined ? {} : { savedTo }),
  };
}

/** Not every service repeats what it was sent. */
function described({
  destination,
}: Answers): Pick<SetupResult["destination"], "type" | "metadata"> {
  if (destination.kind === "new") {
    return { type: destination.type, metadata: destination.metadata };
  }
  return destination.type === undefined ? {} : { type: destination.type };
}
