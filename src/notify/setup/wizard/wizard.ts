import { valueWarnings } from "../../../api/catalogue/destination-problems.ts";
import { EVENT_TYPES, eventType } from "../../../api/catalogue/events.ts";
import type { Choice } from "../../../context/command-context.ts";
import { InterruptedError } from "../../../errors.ts";
import type { RoutingModel } from "../../model/routing.ts";
import { revealedSecrets } from "../../model/secrets.ts";
import { drawnPlanPage } from "../../pages/diagram.ts";
import { blockersOf, consentQuestion, isPending } from "../../plan/blockers.ts";
import type { Plan } from "../../plan/plan.ts";
import {
  modelOfAnswers,
  type SetupAnswers,
  type SetupDecision,
  setupCommand,
  type TopicAnswer,
} from "../answers.ts";
import {
  askName,
  defaultOf,
  existingChoice,
  type GivenAnswers,
  namedRecord,
  pickExisting,
  selectedById,
  type WizardContext,
  type WizardPorts,
  withBack,
} from "./context.ts";
import { askDestination } from "./destination.ts";

const NOTHING_GIVEN: GivenAnswers = { metadata: {}, secrets: {}, event: [] };

/**
 * Asks for the answers that are missing, shows the plan, and lets answers be changed until the plan
 * is agreed to.
 * @throws {InterruptedError} on Ctrl-C and on "Cancel"
 */
export async function runWizard(context: WizardPorts, given: GivenAnswers): Promise<SetupDecision> {
  return withBack(context, async (asked) => {
    const destination = await askDestination(asked, given);
    const topic = await askTopic(asked, given);
    const events = given.event.length > 0 ? given.event : await askEvents(asked, topic);
    let answers: SetupAnswers = { destination, topic, events };
    for (;;) {
      const model = modelOfAnswers(answers);
      const reviewed = await asked.planFor(model);
      for (const warning of typeWarnings(answers)) asked.warnOnce(warning);
      asked.report.page(drawnPlanPage(reviewed, model, asked));
      const next = asked.yes ? "create" : await askNext(asked, reviewed);
      if (next === "cancel") throw cancelled(model);
      if (next !== "change") return { action: next, model, reviewed };
      answers = await change(asked, answers);
    }
  });
}

/** The error of a review that ends without a create: what was typed is kept as a command. */
function cancelled(model: RoutingModel): InterruptedError {
  const again = setupCommand(model)?.command;
  return new InterruptedError("Cancelled", again === undefined ? {} : { suggestion: again });
}

function askNext(
  { prompt, choices }: WizardContext,
  plan: Plan,
): Promise<SetupDecision["action"] | "change" | "cancel"> {
  const canCreate = isPending(plan) && blockersOf(plan, choices).length === 0;
  return prompt.select({
    message: canCreate ? consentQuestion(plan) : "What do you want to do?",
    flag: "--yes",
    choices: [
      ...(canCreate ? [{ value: "create" as const, label: "Create" }] : []),
      { value: "change" as const, label: "Change something" },
      { value: "save" as const, label: "Save to a file only" },
      { value: "cancel" as const, label: "Cancel" },
    ],
    // One Enter too many creates nothing.
    default: "cancel",
  });
}

async function change(context: WizardContext, answers: SetupAnswers): Promise<SetupAnswers> {
  const { destination, topic, events } = answers;
  const what = await context.prompt.select({
    message: "What do you want to change?",
    flag: "--yes",
    choices: [
      { value: "destination" as const, label: "Destination", note: destination.name },
      { value: "topic" as const, label: "Topic", note: topic.name },
      { value: "events" as const, label: "Event types", note: events.join(", ") },
    ],
  });
  if (what === "destination") {
    return { ...answers, destination: await askDestination(context, NOTHING_GIVEN, destination) };
  }
  if (what === "topic") {
    return { ...answers, topic: await askTopic(context, NOTHING_GIVEN, topic) };
  }
  return { ...answers, events: await askEvents(context, topic, events) };
}

/** Asks for the topic, unless an option gives it. An earlier answer is the default. */
export async function askTopic(
  context: WizardContext,
  { topic, topicId }: Pick<GivenAnswers, "topic" | "topicId">,
  before?: TopicAnswer,
): Promise<TopicAnswer> {
  const selected = selectedById(context, "topic", topicId);
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
  const id = topic.kind === "new" ? namedRecord(context, "topic", topic.name)?.id : topic.id;
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
