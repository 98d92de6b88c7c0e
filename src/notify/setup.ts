import { AmpError } from "../errors.ts";
import { type Answers, modelOf } from "./answers.ts";
import { readDestination } from "./destination-input.ts";
import { refuseObstacles } from "./engine/refuse.ts";
import { eventWarnings } from "./event-names.ts";
import { standingOf } from "./model.ts";
import { NO_CHOICES } from "./plan/obstacle.ts";
import { saveAsked, saveRouting } from "./save.ts";
import type { SessionOptions } from "./session.ts";
import { ask, decide, mustAsk } from "./setup-decision.ts";
import { refuseContradictions, type SetupOptions } from "./setup-options.ts";
import type { SetupPorts } from "./setup-ports.ts";
import {
  type Found,
  foundByPlan,
  foundStanding,
  resultOf,
  type SetupResult,
} from "./setup-result.ts";
import { resumedSetup, wantsResume } from "./setup-resume.ts";
import { bringAbout, openSetup, type SetupSession, type Undertaking } from "./setup-run.ts";

/**
 * Sets up routing from events to a destination: asks what is not given, or takes up what an earlier
 * run asked, then creates.
 */
export async function setUp(
  ports: SetupPorts,
  options: SetupOptions & SessionOptions,
): Promise<SetupResult> {
  refuseContradictions(options);
  const session = openSetup(ports, options);
  if (options.resume) return resumeSetup(ports, options, session);
  const content = await readDestination(options.destinationType ?? "", options, ports.files);
  for (const warning of eventWarnings(options.event)) ports.talk.warn(warning);
  const asks = mustAsk(ports, options, content);
  const known = asks && !ports.dryRun ? await session.file.read() : undefined;
  if (known !== undefined && (await nothingCreated(() => wantsResume(ports)))) {
    return resumeSetup(ports, options, session);
  }
  const decision = await nothingCreated(() => (asks ? ask : decide)(ports, options, content));
  const { answers } = decision;
  if (decision.action === "create") {
    return create(ports, options, { ...session, answers, known, state: options.state });
  }
  const model = modelOf(answers);
  const { save } = options;
  const savedTo = await (save === undefined
    ? saveAsked(ports, model)
    : saveRouting(ports, model, save));
  const standing = new Map([...standingOf(model), ...decision.standing]);
  return resultOf(answers, foundStanding(standing), savedTo);
}

async function resumeSetup(
  ports: SetupPorts,
  options: SetupOptions & SessionOptions,
  session: SetupSession,
): Promise<SetupResult> {
  const resumed = await nothingCreated(() => resumedSetup(ports, session.file));
  return create(ports, options, { ...session, ...resumed, state: options.state });
}

async function create(
  ports: SetupPorts,
  { save }: SetupOptions,
  undertaking: Undertaking,
): Promise<SetupResult> {
  const { answers } = undertaking;
  // Before anything is created: a file that cannot be written is no reason to stop half way.
  const savedTo = save === undefined ? undefined : await saveRouting(ports, modelOf(answers), save);
  const found = ports.dryRun
    ? await look(ports, undertaking, answers)
    : await bringAbout(ports, undertaking);
  return resultOf(answers, found, savedTo);
}

/** What is there. It also serves where the service cannot be reached: then nothing is. */
async function look(
  { talk }: SetupPorts,
  { engine }: SetupSession,
  answers: Answers,
): Promise<Found> {
  const model = modelOf(answers);
  try {
    const { plan } = await engine.plan(model);
    refuseObstacles(plan, NO_CHOICES);
    return foundByPlan(plan);
  } catch (error) {
    if (!(error instanceof AmpError) || !isUnreached(error)) throw error;
    talk.warn(`What exists already is not known: ${error.message}`);
    return foundStanding(standingOf(model));
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
