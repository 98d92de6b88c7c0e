import { InterruptedError } from "../../../errors.ts";
import { drawnPlanPage } from "../../pages/diagram.ts";
import { consentQuestion, isPending } from "../../pages/plan.ts";
import { blockersOf, NO_CHOICES } from "../../plan/blockers.ts";
import type { Plan } from "../../plan/plan.ts";
import { modelOfAnswers, type SetupAnswers, type SetupDecision } from "../answers.ts";
import type { GivenAnswers, WizardContext } from "./context.ts";
import { askDestination } from "./destination.ts";
import { askEvents, askTopic } from "./topic.ts";

const NOTHING_GIVEN: GivenAnswers = { metadata: {}, secrets: {}, event: [] };

/**
 * Asks for the answers that are missing, shows the plan, and lets answers be changed until the plan
 * is agreed to.
 * @throws {InterruptedError} on Ctrl-C and on "Cancel"
 */
export async function runWizard(
  context: WizardContext,
  given: GivenAnswers,
): Promise<SetupDecision> {
  const destination = await askDestination(context, given);
  const topic = await askTopic(context, given);
  const events = given.event.length > 0 ? given.event : await askEvents(context, topic);
  let answers: SetupAnswers = { destination, topic, events };
  for (;;) {
    const model = modelOfAnswers(answers);
    const reviewed = await context.planFor(model);
    context.report.page(drawnPlanPage(reviewed, model));
    const next = context.yes ? "create" : await askNext(context, reviewed);
    if (next === "cancel") throw new InterruptedError("Cancelled");
    if (next !== "change") return { action: next, model, reviewed };
    answers = await change(context, answers);
  }
}

function askNext(
  { prompt }: WizardContext,
  plan: Plan,
): Promise<SetupDecision["action"] | "change" | "cancel"> {
  const canCreate = isPending(plan, NO_CHOICES) && blockersOf(plan, NO_CHOICES).length === 0;
  return prompt.select({
    message: canCreate ? consentQuestion(plan, NO_CHOICES) : "What do you want to do?",
    flag: "--yes",
    choices: [
      ...(canCreate ? [{ value: "create" as const, label: "Create" }] : []),
      { value: "change" as const, label: "Change something" },
      { value: "save" as const, label: "Save to a file only" },
      { value: "cancel" as const, label: "Cancel" },
    ],
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
