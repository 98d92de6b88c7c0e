import { AmpError, InterruptedError } from "../../errors.ts";
import type { DestinationContent } from "../model/destination-input.ts";
import {
  type DestinationAnswer,
  existingById,
  type SetupAnswers,
  type TopicAnswer,
} from "./answers.ts";
import {
  fieldWarnings,
  missingOptions,
  notInteractive,
  type SetupContext,
  type SetupOptions,
} from "./options.ts";
import { routesOf, type Survey, takeSurvey } from "./survey.ts";
import { runWizard, type SetupDecision } from "./wizard/wizard.ts";

/**
 * Whether questions are asked.
 * @throws {UsageError} where they would have to be, and nobody is there
 */
export function needsQuestions(
  { interactive, yes, dryRun }: SetupContext,
  options: SetupOptions,
  content: DestinationContent,
): boolean {
  const missing = missingOptions(options, content);
  const asks = interactive && (missing.length > 0 || !yes);
  const agreed = yes || dryRun;
  if (!asks && (missing.length > 0 || !agreed)) throw notInteractive(missing, agreed);
  return asks;
}

/** What to create, by questions. */
export async function decideByWizard(
  ports: SetupContext,
  options: SetupOptions,
  content: DestinationContent,
): Promise<SetupDecision> {
  const { prompt, report, files, yes } = ports;
  return runWizard(
    {
      prompt,
      show: (page) => report.page(page),
      tell: (text) => report.warn(text),
      sources: files,
      survey: await surveyFor(ports),
      routesOf: (topicId) => routesFor(ports, topicId),
    },
    {
      destination: {
        ...content,
        id: options.destinationId,
        name: options.destinationName,
        type: options.destinationType,
      },
      topic: { name: options.topic, id: options.topicId },
      events: options.event,
      yes,
    },
  );
}

/** What to create, from options that are complete. */
export async function decideByOptions(
  ports: SetupContext,
  options: SetupOptions,
  content: DestinationContent,
): Promise<SetupDecision> {
  const { destinationType: type, destinationId, topicId } = options;
  for (const warning of type === undefined ? [] : fieldWarnings(type, content)) {
    ports.report.warn(warning);
  }
  // The names of what is given by its id; what is given by its name the engine looks up.
  const isGivenById = destinationId !== undefined || topicId !== undefined;
  const survey = isGivenById ? await surveyFor(ports) : {};
  return { action: "create", answers: answersFrom(options, content, survey), standing: new Map() };
}

/** A dry run also serves where the service cannot be reached: it tells what would be sent. */
async function surveyFor({ api, project, dryRun, report }: SetupContext): Promise<Survey> {
  try {
    return await takeSurvey(api, project);
  } catch (error) {
    if (!dryRun || !(error instanceof AmpError) || error instanceof InterruptedError) throw error;
    report.warn(`What exists already is not known: ${error.message}`);
    return {};
  }
}

async function routesFor({ api, project, dryRun }: SetupContext, topicId: string) {
  try {
    return await routesOf(api, project, topicId);
  } catch (error) {
    if (!dryRun) throw error;
    return { events: new Map<string, string>(), destinations: new Map<string, string>() };
  }
}

/**
 * The answers that complete options give.
 * @throws {NotFoundError} for the id of something that does not
 */
export function answersFrom(
  options: SetupOptions,
  content: DestinationContent,
  survey: Survey,
): SetupAnswers {
  return {
    destination: destinationFrom(options, content, survey),
    topic: topicFrom(options, survey),
    events: [...new Set(options.event)],
  };
}

function destinationFrom(
  { destinationId, destinationName, destinationType }: SetupOptions,
  content: DestinationContent,
  { destinations }: Survey,
): DestinationAnswer {
  if (destinationId !== undefined) return existingById("destination", destinations, destinationId);
  return {
    kind: "new",
    name: requiredOption(destinationName),
    type: requiredOption(destinationType),
    ...content,
  };
}

function topicFrom({ topic, topicId }: SetupOptions, { topics }: Survey): TopicAnswer {
  if (topicId !== undefined) return existingById("topic", topics, topicId);
  return { kind: "new", name: requiredOption(topic) };
}

/** What is missing has been named before. */
function requiredOption(value: string | undefined): string {
  if (value === undefined) throw new Error("an option is missing");
  return value;
}
