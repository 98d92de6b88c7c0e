import { AmpError } from "../../errors.ts";
import { readDestinationContent } from "../model/destination-input.ts";
import { eventWarnings } from "../model/names.ts";
import { existingIds } from "../model/routing.ts";
import { assertApplicable, NO_CHOICES } from "../plan/blockers.ts";
import type { SessionOptions } from "../session.ts";
import { modelOfAnswers, type SetupAnswers } from "./answers.ts";
import { decideByOptions, decideByWizard, needsQuestions } from "./decide.ts";
import { assertConsistent, type SetupContext, type SetupOptions } from "./options.ts";
import {
  outcomeOfExisting,
  outcomeOfPlan,
  resultOf,
  type SetupOutcome,
  type SetupResult,
} from "./result.ts";
import { askToResume, resumeJob } from "./resume.ts";
import { openSetup, runSetup, type SetupJob, type SetupSession } from "./run.ts";
import { askAndSaveRouting, saveRouting } from "./save.ts";

/**
 * Sets up routing from events to a destination: asks what is not given, or takes up what an earlier
 * run asked, then creates.
 */
export async function setUp(
  ports: SetupContext,
  options: SetupOptions & SessionOptions,
): Promise<SetupResult> {
  assertConsistent(options);
  const session = openSetup(ports, options);
  if (options.resume) return resumeSetup(ports, options, session);
  const content = await readDestinationContent(options.destinationType ?? "", options, ports.files);
  for (const warning of eventWarnings(options.event)) ports.report.warn(warning);
  const asks = needsQuestions(ports, options, content);
  const known = asks && !ports.dryRun ? await session.file.read() : undefined;
  if (known !== undefined && (await nothingCreated(() => askToResume(ports)))) {
    return resumeSetup(ports, options, session);
  }
  const decision = await nothingCreated(() =>
    (asks ? decideByWizard : decideByOptions)(ports, options, content),
  );
  const { answers } = decision;
  if (decision.action === "create") {
    return create(ports, options, { ...session, answers, known, state: options.state });
  }
  const model = modelOfAnswers(answers);
  const { save } = options;
  const savedTo = await (save === undefined
    ? askAndSaveRouting(ports, model)
    : saveRouting(ports, model, save));
  const standing = new Map([...existingIds(model), ...decision.standing]);
  return resultOf(answers, outcomeOfExisting(standing), savedTo);
}

async function resumeSetup(
  ports: SetupContext,
  options: SetupOptions & SessionOptions,
  session: SetupSession,
): Promise<SetupResult> {
  const resumed = await nothingCreated(() => resumeJob(ports, session.file));
  return create(ports, options, { ...session, ...resumed, state: options.state });
}

async function create(
  ports: SetupContext,
  { save }: SetupOptions,
  undertaking: SetupJob,
): Promise<SetupResult> {
  const { answers } = undertaking;
  // Before anything is created: a file that cannot be written is no reason to stop half way.
  const savedTo =
    save === undefined ? undefined : await saveRouting(ports, modelOfAnswers(answers), save);
  const found = ports.dryRun
    ? await look(ports, undertaking, answers)
    : await runSetup(ports, undertaking);
  return resultOf(answers, found, savedTo);
}

/** What is there. It also serves where the service cannot be reached: then nothing is. */
async function look(
  { report }: SetupContext,
  { engine }: SetupSession,
  answers: SetupAnswers,
): Promise<SetupOutcome> {
  const model = modelOfAnswers(answers);
  try {
    const { plan } = await engine.plan(model);
    assertApplicable(plan, NO_CHOICES);
    return outcomeOfPlan(plan);
  } catch (error) {
    if (!(error instanceof AmpError) || !isUnreached(error)) throw error;
    report.warn(`What exists already is not known: ${error.message}`);
    return outcomeOfExisting(existingIds(model));
  }
}

function isUnreached(error: AmpError): boolean {
  return error.exit === "service" || error.exit === "timeout" || error.exit === "auth";
}

/** Until the questions are answered nothing is created, whatever goes wrong. */
async function nothingCreated<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof AmpError ? error.with({ done: "Nothing was created." }) : error;
  }
}
