import { InterruptedError } from "../../errors.ts";
import { type Answers, modelOf, standingRoutes } from "../answers.ts";
import type { Standing } from "../model.ts";
import { reviewPage } from "../review.ts";
import { stepsOf } from "../steps.ts";
import type { Desk } from "./desk.ts";
import { askDestination, type DestinationGiven } from "./destination.ts";
import { askEvents } from "./events.ts";
import { askTopic, type TopicGiven } from "./topic.ts";

/** What the command line says already. */
export interface Given {
  readonly destination: DestinationGiven;
  readonly topic: TopicGiven;
  readonly events: readonly string[];
  /** Whether the review is shown only, not asked about. */
  readonly yes: boolean;
}

/** What the person wants. */
export interface Decision {
  readonly action: "create" | "save";
  readonly answers: Answers;
  readonly standing: Standing;
}

const NOTHING: DestinationGiven = { metadata: {}, secrets: {} };

/**
 * Asks what is not given, shows what will come of it, and lets it be changed until it is right.
 * @throws {InterruptedError} on Ctrl-C and on "Cancel"; nothing was created then
 */
export async function interview(desk: Desk, given: Given): Promise<Decision> {
  const destination = await askDestination(desk, given.destination);
  const topic = await askTopic(desk, given.topic);
  const events = given.events.length > 0 ? given.events : await askEvents(desk, topic);
  let answers: Answers = { destination, topic, events };
  for (;;) {
    const standing = await standingFor(desk, answers);
    const model = modelOf(answers);
    desk.show(reviewPage(model, standing));
    const next = given.yes ? "create" : await askNext(desk, stepsOf(model, standing).length);
    if (next === "cancel") throw new InterruptedError("Cancelled");
    if (next !== "change") return { action: next, answers, standing };
    answers = await change(desk, answers);
  }
}

/** The routes among the answers that exist already. */
async function standingFor(
  { routesOf }: Pick<Desk, "routesOf">,
  answers: Answers,
): Promise<Standing> {
  if (answers.topic.kind === "new") return new Map();
  return standingRoutes(answers, await routesOf(answers.topic.id));
}

function askNext(
  { prompt }: Desk,
  steps: number,
): Promise<Decision["action"] | "change" | "cancel"> {
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

async function change(desk: Desk, answers: Answers): Promise<Answers> {
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

const CHANGE: Readonly<Record<keyof Answers, (desk: Desk, answers: Answers) => Promise<Answers>>> =
  {
    destination: async (desk, answers) => ({
      ...answers,
      destination: await askDestination(desk, NOTHING, answers.destination),
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
