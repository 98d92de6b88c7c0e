import { destinationType } from "../../../api/catalogue/destination-types.ts";
import { EVENT_TYPES, eventType } from "../../../api/catalogue/events.ts";
import type { Choice } from "../../../context/command-context.ts";
import { stops } from "../../../errors.ts";
import { defined } from "../../../values/json.ts";
import { contentMistakes } from "../../model/mistakes.ts";
import type { NamedKind } from "../../model/resource.ts";
import type { RoutingModel } from "../../model/routing.ts";
import { drawnPlanPage } from "../../pages/diagram.ts";
import { consentQuestion, type Plan } from "../../plan/plan.ts";
import {
  type DestinationAnswer,
  namedRecord,
  type SetupAnswers,
  type TopicAnswer,
} from "../answers.ts";
import type { ChangedAnswers } from "../refusal.ts";
import {
  askName,
  askNewName,
  existingChoice,
  type GivenAnswers,
  pickExisting,
  selectedById,
  type WizardContext,
} from "./context.ts";
import { askDestination } from "./destination.ts";
import { askField } from "./fields.ts";

const NOTHING_GIVEN: GivenAnswers = { metadata: {}, secrets: {}, event: [] };

/** Asks for the answers that no option gives. */
export async function askAnswers(
  context: WizardContext,
  given: GivenAnswers,
): Promise<SetupAnswers> {
  const destination = await askDestination(context, given);
  context.note({ destination });
  const topic = await askTopic(context, given);
  context.note({ topic });
  const events = given.event.length > 0 ? given.event : await askEvents(context, topic);
  context.note({ events });
  return { destination, topic, events };
}

/** What was chosen at the review in place of applying the plan: it ends the run before a write. */
export class OtherChoice extends Error {
  readonly choice: "change" | "save";
  readonly plan: Plan;

  constructor(choice: "change" | "save", plan: Plan) {
    super(choice);
    this.choice = choice;
    this.plan = plan;
  }
}

/**
 * Shows the plan of answers, and asks whether to apply it.
 * @throws {InterruptedError} on "Cancel"
 * @throws {OtherChoice} where the plan is not to be applied, or not yet
 */
export async function reviewAnswers(
  { prompt, report, live, yes }: WizardContext,
  plan: Plan,
  model: RoutingModel,
  { destination }: SetupAnswers,
): Promise<void> {
  const mistakes = destination.kind === "new" ? contentMistakes(destination.type, destination) : [];
  const warnings = mistakes.map(({ message }) => message);
  report.page(drawnPlanPage(plan, model, { live, warnings }));
  if (yes) return;
  const isUpdate = plan.items.some(({ action }) => action === "update");
  const choice = await prompt.select({
    message: consentQuestion(plan),
    flag: "--yes",
    choices: [
      // Nothing is deleted by it.
      { value: "create" as const, label: isUpdate ? "Apply" : "Create" },
      { value: "change" as const, label: "Change something" },
      { value: "save" as const, label: "Save to a file only" },
      { value: "cancel" as const, label: "Cancel" },
    ],
  });
  if (choice === "cancel") throw stops.cancelled();
  if (choice !== "create") throw new OtherChoice(choice, plan);
}

/** Asks again for a part of the answers, with what was answered as the default. */
export async function askChange(
  context: WizardContext,
  { answers, part, input }: ChangedAnswers,
): Promise<SetupAnswers> {
  const { destination, topic, events } = answers;
  context.note(answers);
  const what = part ?? (await askPart(context, answers));
  if (what === "destination") {
    const corrected =
      (await correctDestination(context, destination, input)) ??
      (await askDestination(context, NOTHING_GIVEN, destination));
    return { ...answers, destination: corrected };
  }
  if (what === "topic") {
    const isNameRefused = topic.kind === "new" && input === "name";
    const other: TopicAnswer = isNameRefused
      ? { kind: "new", name: await correctName(context, "topic", topic.name) }
      : await askTopic(context, NOTHING_GIVEN, topic);
    const before = eventsRoutedTo(context, topic);
    // What the earlier topic had was ticked for it.
    const asksAgain =
      other.name !== topic.name && before.concat(eventsRoutedTo(context, other)).length > 0;
    const own = events.filter((event) => !before.includes(event));
    return {
      ...answers,
      topic: other,
      events: asksAgain ? await askEvents(context, other, own) : events,
    };
  }
  return { ...answers, events: await askEvents(context, topic, events) };
}

function askPart(
  { prompt }: WizardContext,
  { destination, topic, events }: SetupAnswers,
): Promise<keyof SetupAnswers> {
  return prompt.select({
    message: "What do you want to change?",
    flag: "--yes",
    choices: [
      { value: "destination" as const, label: "Destination", note: destination.name },
      { value: "topic" as const, label: "Topic", note: topic.name },
      { value: "events" as const, label: "Event types", note: events.join(", ") },
    ],
  });
}

/**
 * Asks again for the one value of a new destination that the service refused.
 * @param input as the service names it
 * @returns undefined where no single question has this value
 */
async function correctDestination(
  context: WizardContext,
  destination: DestinationAnswer,
  input: string | undefined,
): Promise<DestinationAnswer | undefined> {
  if (destination.kind !== "new") return undefined;
  if (input === "name") {
    return { ...destination, name: await correctName(context, "destination", destination.name) };
  }
  const field = destinationType(destination.type)?.metadata.find(
    ({ name, shape }) => shape !== "map" && input === `metadata.${name}`,
  );
  if (field === undefined) return undefined;
  const { [field.name]: before, ...rest } = destination.metadata;
  const value = await askField(context, field, undefined, before);
  const metadata = value === undefined ? rest : { ...rest, [field.name]: value };
  return { ...destination, metadata };
}

function correctName(context: WizardContext, kind: NamedKind, before: string): Promise<string> {
  const flag = kind === "topic" ? "--topic" : "--destination-name";
  return askName(context, kind, flag, { given: undefined, before, suggested: before });
}

/** Asks for the topic, unless an option gives it. An earlier answer is the default. */
async function askTopic(
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
async function askEvents(
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
function eventsRoutedTo(context: WizardContext, topic: TopicAnswer): string[] {
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
