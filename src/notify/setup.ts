import { AmpError, InterruptedError } from "../errors.ts";
import { modelOf } from "./answers.ts";
import { applyRouting, type Report } from "./apply.ts";
import { type DestinationContent, readDestination } from "./destination-input.ts";
import { eventWarnings } from "./event-names.ts";
import { reviewPage } from "./review.ts";
import { saveAsked, saveRouting } from "./save.ts";
import { settledStep } from "./settled-step.ts";
import { answersFrom } from "./setup-answers.ts";
import { nameFlags } from "./setup-flags.ts";
import {
  cannotAsk,
  fieldWarnings,
  missingOptions,
  refuseContradictions,
  type SetupOptions,
} from "./setup-options.ts";
import type { SetupPorts } from "./setup-ports.ts";
import { resultOf, type SetupResult } from "./setup-result.ts";
import { routesOf, type Survey, takeSurvey } from "./survey.ts";
import { type Decision, interview, standingFor } from "./wizard/interview.ts";

/** Sets up routing from events to a destination: asks what is not given, then creates. */
export async function setUp(ports: SetupPorts, options: SetupOptions): Promise<SetupResult> {
  refuseContradictions(options);
  const content = await readDestination(options.destinationType ?? "", options, ports.files);
  for (const warning of eventWarnings(options.event)) ports.talk.warn(warning);
  const decision = await decide(ports, options, content);
  const model = modelOf(decision.answers);
  if (decision.action === "save") {
    const { save } = options;
    const savedTo = await (save === undefined
      ? saveAsked(ports, model)
      : saveRouting(ports, model, save));
    return resultOf({ ...decision, made: [], savedTo });
  }
  // Before anything is created: a file that cannot be written is no reason to stop half way.
  const savedTo =
    options.save === undefined ? undefined : await saveRouting(ports, model, options.save);
  const started = ports.now().getTime();
  try {
    const report = (one: Report) => {
      if (!ports.dryRun) ports.talk.step(settledStep(one));
    };
    const { standing, lists } = decision;
    const made = await applyRouting({ ...ports, model, standing, lists, report });
    if (!ports.dryRun) ports.talk.notice(`Done in ${seconds(ports.now().getTime() - started)} s.`);
    return resultOf({ ...decision, made, savedTo });
  } catch (error) {
    throw nameFlags(error);
  }
}

/** What to create: by questions, or from options that are complete. */
async function decide(
  ports: SetupPorts,
  options: SetupOptions,
  content: DestinationContent,
): Promise<Decision> {
  const missing = missingOptions(options, content);
  const asks = ports.interactive && (missing.length > 0 || !ports.yes);
  const agreed = ports.yes || ports.dryRun;
  if (!asks && (missing.length > 0 || !agreed)) throw cannotAsk(missing, agreed);
  return nothingCreated(async () => {
    const survey = await surveyFor(ports);
    if (asks) return ask(ports, options, content, survey);
    const type = options.destinationType;
    const warnings = type === undefined ? [] : fieldWarnings(type, content);
    for (const warning of warnings) ports.talk.warn(warning);
    const answers = answersFrom(options, content, survey);
    const standing = await standingFor(routesAt(ports), answers);
    if (ports.dryRun) ports.talk.show(reviewPage(modelOf(answers), standing));
    return { action: "create", answers, standing, lists: survey.destinations !== undefined };
  });
}

function ask(
  ports: SetupPorts,
  options: SetupOptions,
  content: DestinationContent,
  survey: Survey,
): Promise<Decision> {
  const { prompt, talk, files, yes } = ports;
  return interview(
    {
      prompt,
      show: (page) => talk.show(page),
      tell: (text) => talk.warn(text),
      sources: files,
      survey,
      ...routesAt(ports),
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

function routesAt({ api, project, dryRun }: SetupPorts) {
  return {
    routesOf: async (topicId: string) => {
      try {
        return await routesOf(api, project, topicId);
      } catch (error) {
        if (!dryRun) throw error;
        return { events: new Map<string, string>(), destinations: new Map<string, string>() };
      }
    },
  };
}

/** Until the questions are answered nothing is created, whatever goes wrong. */
async function nothingCreated<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof AmpError ? error.with({ done: "Nothing was created." }) : error;
  }
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(1);
}
