import { AmpError, InterruptedError } from "../errors.ts";
import type { DestinationContent } from "./destination-input.ts";
import { answersFrom } from "./setup-answers.ts";
import { cannotAsk, fieldWarnings, missingOptions, type SetupOptions } from "./setup-options.ts";
import type { SetupPorts } from "./setup-ports.ts";
import { routesOf, type Survey, takeSurvey } from "./survey.ts";
import { type Decision, interview } from "./wizard/interview.ts";

/**
 * Whether questions are asked.
 * @throws {UsageError} where they would have to be, and nobody is there
 */
export function mustAsk(
  { interactive, yes, dryRun }: SetupPorts,
  options: SetupOptions,
  content: DestinationContent,
): boolean {
  const missing = missingOptions(options, content);
  const asks = interactive && (missing.length > 0 || !yes);
  const agreed = yes || dryRun;
  if (!asks && (missing.length > 0 || !agreed)) throw cannotAsk(missing, agreed);
  return asks;
}

/** What to create, by questions. */
export async function ask(
  ports: SetupPorts,
  options: SetupOptions,
  content: DestinationContent,
): Promise<Decision> {
  const { prompt, talk, files, yes } = ports;
  return interview(
    {
      prompt,
      show: (page) => talk.show(page),
      tell: (text) => talk.warn(text),
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
export async function decide(
  ports: SetupPorts,
  options: SetupOptions,
  content: DestinationContent,
): Promise<Decision> {
  const { destinationType: type, destinationId, topicId } = options;
  for (const warning of type === undefined ? [] : fieldWarnings(type, content)) {
    ports.talk.warn(warning);
  }
  // The names of what is given by its id; what is given by its name the engine looks up.
  const isGivenById = destinationId !== undefined || topicId !== undefined;
  const survey = isGivenById ? await surveyFor(ports) : {};
  return { action: "create", answers: answersFrom(options, content, survey), standing: new Map() };
}

/** A dry run also serves where the service cannot be reached: it tells what would be sent. */
async function surveyFor({ api, project, dryRun, talk }: SetupPorts): Promise<Survey> {
  try {
    return await takeSurvey(api, project);
  } catch (error) {
    if (!dryRun || !(error instanceof AmpError) || error instanceof InterruptedError) throw error;
    talk.warn(`What exists already is not known: ${error.message}`);
    return {};
  }
}

async function routesFor({ api, project, dryRun }: SetupPorts, topicId: string) {
  try {
    return await routesOf(api, project, topicId);
  } catch (error) {
    if (!dryRun) throw error;
    return { events: new Map<string, string>(), destinations: new Map<string, string>() };
  }
}
