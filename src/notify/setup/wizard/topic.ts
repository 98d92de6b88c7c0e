import { EVENT_TYPES, eventType } from "../../../api/catalogue/events.ts";
import type { Choice } from "../../../context/command-context.ts";
import { existingById, type TopicAnswer } from "../answers.ts";
import { askName, canPick, pickExisting, type WizardContext, withDefaultFirst } from "./context.ts";

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
  if (kind === "existing") {
    const earlier = before?.kind === "existing" ? before.id : undefined;
    return pickExisting(context, "topic", topics, earlier);
  }
  const names = { given: given.name, before: before?.kind === "new" ? before.name : undefined };
  return { kind, name: await askName(context, "topic", "--topic", names) };
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
  const events = [...new Set([...EVENT_TYPES, ...chosen])];
  const areaOf = (event = "") => eventType(event)?.area ?? "Other";
  return events.map((event, at) => {
    const fires = eventType(event)?.fires;
    const note = [routed.has(event) && "already routed", fires].filter(Boolean).join("; ");
    const beginsArea = at === 0 || areaOf(events[at - 1]) !== areaOf(event);
    return {
      value: event,
      label: event,
      ...(note === "" ? {} : { note }),
      ...(beginsArea ? { group: areaOf(event) } : {}),
    };
  });
}
