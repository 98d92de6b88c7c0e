import { EVENT_TYPES, EVENTS } from "../../../api/catalogue/events.ts";
import type { Choice } from "../../../context/command-context.ts";
import { nameCheck } from "../../model/names.ts";
import { existingById, type TopicAnswer } from "../answers.ts";
import { canPick, pickExisting, type WizardContext, withDefaultFirst } from "./context.ts";

/** The options about the topic. */
export interface TopicGiven {
  readonly name?: string | undefined;
  readonly id?: string | undefined;
}

/** Asks for the topic, unless an option gives it. An earlier answer is the default. */
export async function askTopic(
  context: WizardContext,
  given: TopicGiven,
  before?: TopicAnswer,
): Promise<TopicAnswer> {
  const topics = context.live?.topic;
  if (given.id !== undefined) return existingById("topic", topics, given.id);
  const asksKind = given.name === undefined && canPick(topics);
  const kind = asksKind ? await askKind(context, before) : "new";
  if (kind === "existing") return pickExisting(context, "topic", topics, idOf(before));
  const check = nameCheck(
    "topic",
    (topics ?? []).map(({ name }) => name),
  );
  if (given.name !== undefined && check(given.name) === true) {
    return { kind: "new", name: given.name };
  }
  const preset = given.name ?? (before?.kind === "new" ? before.name : undefined);
  const name = await context.prompt.input({
    message: "Topic name",
    flag: "--topic",
    check,
    ...(preset === undefined ? {} : { default: preset }),
  });
  return { kind: "new", name };
}

async function askKind(
  { prompt, live }: WizardContext,
  before: TopicAnswer | undefined,
): Promise<TopicAnswer["kind"]> {
  const byId = live === undefined ? " (by ID)" : "";
  const choices = [
    { value: "new" as const, label: "New topic" },
    { value: "existing" as const, label: `Existing topic${byId}` },
  ];
  return prompt.select({
    message: "Topic",
    flag: "--topic",
    choices: withDefaultFirst(choices, ({ value }) => value === before?.kind),
  });
}

function idOf(before: TopicAnswer | undefined): string | undefined {
  return before?.kind === "existing" ? before.id : undefined;
}

/** Asks for the event types. Those that are routed to the topic already are selected. */
export async function askEvents(
  context: WizardContext,
  topic: TopicAnswer,
  before: readonly string[] = [],
): Promise<readonly string[]> {
  const routed = routedTo(context, topic);
  const chosen = [...new Set([...before, ...routed])];
  return context.prompt.checkbox({
    message: "Event types",
    flag: "--event",
    choices: choicesFor(chosen, new Set(routed)),
    chosen,
  });
}

/** The event types that the service routes to an existing topic. */
function routedTo({ live }: WizardContext, topic: TopicAnswer): string[] {
  if (topic.kind === "new") return [];
  const routes = live?.["event-route"].filter(({ topicId }) => topicId === topic.id) ?? [];
  return routes.flatMap(({ eventType }) => eventType || []);
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
      note: routed.has(event) ? `already routed; ${fires}` : fires,
      ...(begins ? { group: own } : {}),
    };
  });
  const further = chosen
    .filter((event) => !Object.hasOwn(EVENTS, event))
    .map(
      (event, at): Choice<string> => ({
        value: event,
        label: event,
        ...(at === 0 ? { group: "Other" } : {}),
      }),
    );
  return [...known, ...further];
}
