import { foldCommand, quote } from "../shell-words.ts";
import { destinationAddress, eventRouteAddress, topicAddress } from "./address.ts";
import { setupCommand } from "./command-line.ts";
import { meantEvent } from "./event-names.ts";
import { type DestinationPart, type RoutingModel, standingOf, type TopicPart } from "./model.ts";
import type { Step, StepKind } from "./steps.ts";
import type { Progress } from "./stopped.ts";

/** An error puts `Try: ` and a margin before a command. */
const WIDTH = 73;

/**
 * The command that makes what is still missing, with the ids of what exists; `undefined` where no
 * single one does.
 * @param refused what the service did not take: a mistyped event is not suggested again
 */
export function restCommand(progress: Progress, refused?: Step): string | undefined {
  const ids = idsOf(progress);
  const rest: RoutingModel = {
    destinations: new Map(
      [...progress.model.destinations].map(([name, part]): [string, DestinationPart] => {
        const id = ids.get(destinationAddress(name));
        return [name, id === undefined ? part : { kind: "existing", id }];
      }),
    ),
    topics: new Map(
      [...progress.model.topics].map(([name, part]): [string, TopicPart] => {
        const id = ids.get(topicAddress(name));
        const left = part.events.filter((event) => !ids.has(eventRouteAddress(name, event)));
        const events = left.map((event) => corrected(event, refused));
        return [name, { ...part, events, ...(id === undefined ? {} : { id }) }];
      }),
    ),
  };
  const line = setupCommand(rest)?.line;
  return routeAlone(rest) ?? (line && foldCommand(line, WIDTH).join("\n"));
}

function corrected(event: string, refused: Step | undefined): string {
  const isRefused = refused?.kind === "event-route" && refused.event === event;
  return (isRefused && meantEvent(event)) || event;
}

/** All events are routed: what is missing is the way out of the topic. */
function routeAlone({ destinations, topics }: RoutingModel): string | undefined {
  const [topic, ...moreTopics] = topics.values();
  const [destination, ...more] = destinations.values();
  if (moreTopics.length + more.length > 0 || topic?.id === undefined) return undefined;
  if (destination?.kind !== "existing" || topic.events.length > 0) return undefined;
  return [
    "amp notify destination-routes create",
    `--topic-id ${quote(topic.id)} --destination-id ${quote(destination.id)}`,
  ].join(" ");
}

/** The command that shows whether the thing in question exists. */
export function lookCommand(progress: Progress): string | undefined {
  const [step] = progress.steps;
  if (step === undefined) return undefined;
  const ids = idsOf(progress);
  const topicId = "topic" in step ? ids.get(topicAddress(step.topic)) : undefined;
  return `${LOOK[step.kind]}${topicId === undefined ? "" : ` --topic-id ${quote(topicId)}`}`;
}

const LOOK = {
  destination: "amp notify destinations list",
  topic: "amp notify topics list",
  "event-route": "amp notify event-routes list",
  "destination-route": "amp notify destination-routes list",
} as const satisfies Record<StepKind, string>;

function idsOf({ model, standing, made }: Progress) {
  return new Map([
    ...standingOf(model),
    ...standing,
    ...made.map(({ step, id }) => [step.address, id] as const),
  ]);
}
