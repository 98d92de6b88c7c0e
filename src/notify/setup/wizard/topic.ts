import { EVENT_TYPES, eventType } from "../../../api/catalogue/events.ts";
import type { Choice } from "../../../context/command-context.ts";
import { defined } from "../../../values/json.ts";
import { namedRecord, type TopicAnswer } from "../answers.ts";
import {
  askNewName,
  existingChoice,
  type GivenAnswers,
  pickExisting,
  selectedById,
  type WizardContext,
} from "./context.ts";

/** Asks for the topic, unless an option gives it. An earlier answer is the default. */
export async function askTopic(
  context: WizardContext,
  { topic, topicId }: Pick<GivenAnswers, "topic" | "topicId">,
  before?: TopicAnswer,
): Promise<TopicAnswer> {
  const selected = await selectedById(context, "topic", topicId);
  if (selected !== undefined) return selected;
  const kind = topic === undefined ? await askKind(context, before) : "new";
  if (kind === "existing") return pickExisting(context, "topic", before);
  const earlier = before?.kind === "new" ? before.name : undefined;
  const names = { given: topic, before: earlier, suggested: "ops-events" };
  const name = await askNewName(context, "topic", "--topic", names);
  return typeof name === "string" ? { kind, name } : name;
}

async function askKind(
  context: WizardContext,
  before: TopicAnswer | undefined,
): Promise<TopicAnswer["kind"]> {
  const existing = existingChoice(context, "topic");
  if (existing.length === 0) return "new";
  const choices = [{ value: "new" as const, label: "New topic" }, ...existing];
  return context.prompt.select({
    message: "Topic",
    flag: "--topic",
    choices,
    ...defined({ default: before?.kind }),
  });
}

/** Asks for the event types. Those that are routed to the topic already are selected. */
export async function askEvents(
  context: WizardContext,
  topic: TopicAnswer,
  before: readonly string[] = [],
): Promise<readonly string[]> {
  const routed = eventsRoutedTo(context, topic);
  const chosen = [...new Set([...before, ...routed])];
  return context.prompt.checkbox({
    message: "Event types",
    flag: "--event",
    choices: choicesFor(chosen, new Set(routed)),
    all: `all ${EVENT_TYPES.length} events`,
    chosen,
    changed: (events) => context.note({ events }),
  });
}

/** The event types that the service routes to an existing topic. */
export function eventsRoutedTo(context: WizardContext, topic: TopicAnswer): string[] {
  const id = topic.kind === "new" ? namedRecord(context.live, "topic", topic.name)?.id : topic.id;
  const routes = context.live?.["event-route"].filter(({ topicId }) => topicId === id) ?? [];
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
