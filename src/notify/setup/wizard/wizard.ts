import { valueWarnings } from "../../../api/catalogue/destination-problems.ts";
import { destinationType } from "../../../api/catalogue/destination-types.ts";
import { InterruptedError } from "../../../errors.ts";
import type { NamedKind } from "../../model/resource.ts";
import type { RoutingModel } from "../../model/routing.ts";
import { revealedSecrets } from "../../model/secrets.ts";
import { drawnPlanPage } from "../../pages/diagram.ts";
import { blockedError, blockersOf } from "../../plan/conflicts.ts";
import { consentQuestion, needsApply, type Plan } from "../../plan/plan.ts";
import {
  type ChangedAnswers,
  type DestinationAnswer,
  modelOfAnswers,
  type SetupAnswers,
  type SetupDecision,
  type TopicAnswer,
} from "../answers.ts";
import { setFirst, setupCommand } from "../result.ts";
import {
  askName,
  askWithBack,
  type GivenAnswers,
  type WizardContext,
  type WizardPorts,
} from "./context.ts";
import { askDestination } from "./destination.ts";
import { askField } from "./fields.ts";
import { askEvents, askTopic, eventsRoutedTo } from "./topic.ts";

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
    if (start?.isReviewed) return askUntilAgreed(asked, start.answers);
    if (start !== undefined) return askUntilAgreed(asked, await change(asked, start));
    const destination = await askDestination(asked, given);
    const topic = await askTopic(asked, given);
    const events = given.event.length > 0 ? given.event : await askEvents(asked, topic);
    return askUntilAgreed(asked, { destination, topic, events });
  });
}

/** Shows the plan, and lets answers be changed until it is agreed to. */
async function askUntilAgreed(context: WizardContext, first: SetupAnswers): Promise<SetupDecision> {
  let answers = first;
  let choices = context.choices;
  for (;;) {
    const model = modelOfAnswers(answers);
    const plan = await context.planFor(model, choices);
    const warnings = typeWarnings(answers);
    context.report.page(drawnPlanPage(plan, model, { live: context.live, warnings }));
    const conflicts = blockersOf(plan).filter(({ reason }) => reason !== "not_listed");
    const remedy = blockedError(conflicts)?.facts.remedy;
    // The page says what was no longer listed, and a choice recreates it.
    if (remedy !== undefined && !context.yes) context.report.warn(remedy);
    const next = context.yes ? "create" : await askNext(context, plan);
    if (next === "cancel") throw cancelled(model);
    if (next === "recreate") choices = { ...choices, recreate: true };
    else if (next === "change") answers = await change(context, { answers });
    else {
      const saved = next === "save" ? await context.askAndSave?.(context, model) : undefined;
      const decision = { model, reviewed: plan, answers, recreate: choices.recreate };
      return { action: next, ...decision, ...(saved && { saved }) };
    }
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
): Promise<SetupDecision["action"] | "change" | "recreate" | "cancel"> {
  const blockers = blockersOf(plan);
  const isCreating = needsApply(plan) && blockers.length === 0;
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

/** Asks again for the name of a new topic, if the service refused only that. */
async function correctTopic(
  context: WizardContext,
  topic: TopicAnswer,
  input: string | undefined,
): Promise<TopicAnswer | undefined> {
  if (topic.kind !== "new" || input !== "name") return undefined;
  return { kind: "new", name: await correctName(context, "topic", topic.name) };
}

function correctName(context: WizardContext, kind: NamedKind, before: string): Promise<string> {
  const flag = kind === "topic" ? "--topic" : "--destination-name";
  return askName(context, kind, flag, { given: undefined, before, suggested: before });
}

/** Warnings of a new destination, in the words of options and files. */
function typeWarnings({ destination }: SetupAnswers): string[] {
  if (destination.kind === "existing") return [];
  const { type, metadata, secrets } = destination;
  const content = { metadata, secrets: revealedSecrets(secrets) };
  return valueWarnings(type, content).map(({ message }) => message);
}
