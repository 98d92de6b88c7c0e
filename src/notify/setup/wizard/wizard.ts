import { InterruptedError } from "../../../errors.ts";
import { missingResources } from "../../model/resource.ts";
import type { ExistingIds } from "../../model/routing.ts";
import { existingRoutes, modelOfAnswers, type SetupAnswers } from "../answers.ts";
import { reviewPage } from "../review.ts";
import type { WizardContext } from "./context.ts";
import { askDestination, type DestinationGiven } from "./destination.ts";
import { askEvents, askTopic, type TopicGiven } from "./topic.ts";

/** What the command line says already. */
export interface WizardInput {
  readonly destination: DestinationGiven;
  readonly topic: TopicGiven;
  readonly events: readonly string[];
  /** Whether the review is shown only, not asked about. */
  readonly yes: boolean;
}

/** What the person wants. */
export interface SetupDecision {
  readonly action: "create" | "save";
  readonly answers: SetupAnswers;
  readonly standing: ExistingIds;
}

const NOTHING_GIVEN: DestinationGiven = { metadata: {}, secrets: {} };

/**
 * Asks what is not given, shows what will come of it, and lets it be changed until it is right.
 * @throws {InterruptedError} on Ctrl-C and on "Cancel"; nothing was created then
 */
export async function runWizard(desk: WizardContext, given: WizardInput): Promise<SetupDecision> {
  const destination = await askDestination(desk, given.destination);
  const topic = await askTopic(desk, given.topic);
  const events = given.events.length > 0 ? given.events : await askEvents(desk, topic);
  let answers: SetupAnswers = { destination, topic, events };
  for (;;) {
    const standing = await standingFor(desk, answers);
    const model = modelOfAnswers(answers);
    desk.show(reviewPage(model, standing));
    const next = given.yes
      ? "create"
      : await askNext(desk, missingResources(model, standing).length);
    if (next === "cancel") throw new InterruptedError("Cancelled");
    if (next !== "change") return { action: next, answers, standing };
    answers = await change(desk, answers);
  }
}

/** The routes among the answers that exist already. */
async function standingFor(
  { routesOf }: Pick<WizardContext, "routesOf">,
  answers: SetupAnswers,
): Promise<ExistingIds> {
  if (answers.topic.kind === "new") return new Map();
  return existingRoutes(answers, await routesOf(answers.topic.id));
}

function askNext(
  { prompt }: WizardContext,
  steps: number,
): Promise<SetupDecision["action"] | "change" | "cancel"> {
  return prompt.select({
    message: "Go on?",
    flag: "--yes",
    choices: [
      ...(steps > 0 ? [{ value: "create" as const, label: "Create it" }] : []),
      { value: "change" as const, label: "Change something" },
      { value: "save" as const, label: "Save as a file only" },
      { value: "cancel" as const, label: "Cancel" },
    ],
  });
}

async function change(desk: WizardContext, answers: SetupAnswers): Promise<SetupAnswers> {
  const { destination, topic, events } = answers;
  const what = await desk.prompt.select({
    message: "Change what?",
    flag: "--yes",
    choices: [
      { value: "destination" as const, label: "Destination", note: destination.name },
      { value: "topic" as const, label: "Topic", note: topic.name },
      { value: "events" as const, label: "Events", note: events.join(", ") },
    ],
  });
  return CHANGE[what](desk, answers);
}

const CHANGE: Readonly<
  Record<keyof SetupAnswers, (desk: WizardContext, answers: SetupAnswers) => Promise<SetupAnswers>>
> = {
  destination: async (desk, answers) => ({
    ...answers,
    destination: await askDestination(desk, NOTHING_GIVEN, answers.destination),
  }),
  topic: async (desk, answers) => ({
    ...answers,
    topic: await askTopic(desk, {}, answers.topic),
  }),
  events: async (desk, answers) => ({
    ...answers,
    events: await askEvents(desk, answers.topic, answers.events),
  }),
};
