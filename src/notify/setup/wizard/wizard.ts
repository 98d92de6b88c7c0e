import { valueWarnings } from "../../../api/catalogue/destination-problems.ts";
import { EVENT_TYPES, eventType } from "../../../api/catalogue/events.ts";
import type { Choice } from "../../../context/command-context.ts";
import { InterruptedError } from "../../../errors.ts";
import type { RoutingModel } from "../../model/routing.ts";
import { revealedSecrets } from "../../model/secrets.ts";
import { drawnPlanPage } from "../../pages/diagram.ts";
import {
  blockedError,
  blockersOf,
  consentQuestion,
  isPending,
  type PlanChoices,
} from "../../plan/blockers.ts";
import type { Plan } from "../../plan/plan.ts";
import {
  type ChangedAnswers,
  modelOfAnswers,
  namedRecord,
  type SetupAnswers,
  type SetupDecision,
  type TopicAnswer,
} from "../answers.ts";
import { setFirst, setupCommand } from "../setup-command.ts";
import {
  askName,
  askWithBack,
  defaultOf,
  existingChoice,
  type GivenAnswers,
  pickExisting,
  selectedById,
  type WizardContext,
  type WizardPorts,
} from "./context.ts";
import { correctDestination, correctTopic } from "./correct.ts";
import { askDestination } from "./destination.ts";

const NOTHING_GIVEN: GivenAnswers = { metadata: {}, secrets: {}, event: [] };

/**
 * Asks for the answers that are missing, or for those that the service refused, and has the plan
 * reviewed.
 * @param start the answers to begin with
 * @throws {InterruptedError} on Ctrl-C and on "Cancel"
 */
export async function runWizard(
  context: WizardPorts,
  given: GivenAnswers,
  start?: ChangedAnswers,
): Promise<SetupDecision> {
  return askWithBack(context, async (asked) => {
    if (start?.isReviewed) return review(asked, start.answers);
    if (start !== undefined) return review(asked, await change(asked, start));
    const destination = await askDestination(asked, given);
    const topic = await askTopic(asked, given);
    const events = given.event.length > 0 ? given.event : await askEvents(asked, topic);
    return review(asked, { destination, topic, events });
  });
}

/** Shows the plan, and lets answers be changed until it is agreed to. */
async function review(context: WizardContext, reviewed: SetupAnswers): Promise<SetupDecision> {
  let answers = reviewed;
  let choices = context.choices;
  for (;;) {
    const model = modelOfAnswers(answers);
    const plan = await context.planFor(model);
    for (const warning of typeWarnings(answers)) context.warnOnce(warning);
    context.report.page(drawnPlanPage(plan, model, { ...context, choices }));
    const conflicts = blockersOf(plan, choices).filter(({ reason }) => reason !== "not_listed");
    const remedy = blockedError(conflicts)?.facts.remedy;
    // The page says what was no longer listed, and a choice recreates it.
    if (remedy !== undefined && !context.yes) context.report.warn(remedy);
    const next = context.yes ? "create" : await askNext(context, plan, choices);
    if (next === "cancel") throw cancelled(model);
    if (next === "recreate") choices = { ...choices, recreate: true };
    else if (next === "change") answers = await change(context, { answers });
    else return { action: next, model, reviewed: plan, answers, recreate: choices.recreate };
  }
}

/** The error of a review that ends without a create: what was typed is kept as a command. */
function cancelled(model: RoutingModel): InterruptedError {
  const again = setupCommand(model);
  if (again === undefined) return new InterruptedError("Cancelled");
  const { command: suggestion, variables } = again;
  const remedy = variables.length === 0 ? {} : { remedy: setFirst(variables) };
  return new InterruptedError("Cancelled", { suggestion, ...remedy });
}

function askNext(
  { prompt }: WizardContext,
  plan: Plan,
  choices: PlanChoices,
): Promise<SetupDecision["action"] | "change" | "recreate" | "cancel"> {
  const blockers = blockersOf(plan, choices);
  const isCreating = isPending(plan) && blockers.length === 0;
  // What is only adopted changes nothing at the service, but amp's state.
  const adopts = plan.items.some(({ action }) => action === "adopt") && blockers.length === 0;
  const create = isCreating ? "Create" : adopts ? "Add to the state" : undefined;
  const isMissing = blockers.some(({ reason }) => reason === "not_listed");
  return prompt.select({
    message: isCreating ? consentQuestion(plan) : "What do you want to do?",
    flag: "--yes",
    choices: [
      ...(create === undefined ? [] : [{ value: "create" as const, label: create }]),
      ...(isMissing
        ? [
            {
              value: "recreate" as const,
              label: "Recreate what is no longer listed",
              note: "if it was deleted elsewhere",
            },
          ]
        : []),
      { value: "change" as const, label: "Change something" },
      { value: "save" as const, label: "Save to a file only" },
      { value: "cancel" as const, label: "Cancel" },
    ],
    // One Enter too many creates nothing.
    default: "cancel",
  });
}

/** Asks again for a part of the answers, with what was answered as the default. */
async function change(
  context: WizardContext,
  { answers, part, input }: ChangedAnswers,
): Promise<SetupAnswers> {
  const { destination, topic, events } = answers;
  const what = part ?? (await askPart(context, answers));
  if (what === "destination") {
    const corrected =
      (await correctDestination(context, destination, input)) ??
      (await askDestination(context, NOTHING_GIVEN, destination));
    return { ...answers, destination: corrected };
  }
  if (what === "topic") {
    const other =
      (await correctTopic(context, topic, input)) ??
      (await askTopic(context, NOTHING_GIVEN, topic));
    const before = routedTo(context, topic);
    // What the earlier topic had was ticked for it.
    const asksAgain =
      other.name !== topic.name && before.concat(routedTo(context, other)).length > 0;
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
  return { kind, name: await askName(context, "topic", "--topic", names) };
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
    ...defaultOf(before?.kind),
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
function routedTo(context: WizardContext, topic: TopicAnswer): string[] {
  const id = topic.kind === "new" ? namedRecord(context.live, "topic", topic.name)?.id : topic.id;
  const routes = context.live?.["event-route"].filter(({ topicId }) => topicId === id) ?? [];
  return routes.flatMap(({ eventType }) => eventType || []);
}

/** Warnings of a new destination, in the words of options and files. */
function typeWarnings({ destination }: SetupAnswers): string[] {
  if (destination.kind === "existing") return [];
  const { type, metadata, secrets } = destination;
  const content = { metadata, secrets: revealedSecrets(secrets) };
  return valueWarnings(type, content).map(({ message }) => message);
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
