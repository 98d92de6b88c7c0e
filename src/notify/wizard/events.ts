import { EVENT_TYPES, EVENTS } from "../../api/events.ts";
import type { Choice } from "../../context.ts";
import type { TopicAnswer } from "../answers.ts";
import type { Desk } from "./desk.ts";

/** Asks for the event types, those that the topic gets already chosen. */
export async function askEvents(
  desk: Desk,
  topic: TopicAnswer,
  before: readonly string[] = [],
): Promise<readonly string[]> {
  const routed =
    topic.kind === "existing" ? [...(await desk.routesOf(topic.id)).events.keys()] : [];
  const chosen = [...new Set([...before, ...routed])];
  return desk.prompt.checkbox({
    message: "Events",
    flag: "--event",
    choices: choicesFor(chosen, new Set(routed)),
    chosen,
  });
}

function choicesFor(chosen: readonly string[], routed: ReadonlySet<string>): Choice<string>[] {
  let area: string | undefined;
  const known = EVENT_TYPES.map((event): Choice<string> => {
    const { area: own, fires } = EVENTS[event];
    const begins = own !== area;
    area = own;
    return {
      value: event,
      label: event,
      note: routed.has(event) ? `goes to this topic already; ${fires}` : fires,
      ...(begins ? { group: own } : {}),
    };
  });
  const further = chosen
    .filter((event) => !Object.hasOwn(EVENTS, event))
    .map(
      (event, at): Choice<string> => ({
        value: event,
        label: event,
        ...(at === 0 ? { group: "Further" } : {}),
      }),
    );
  return [...known, ...further];
}
