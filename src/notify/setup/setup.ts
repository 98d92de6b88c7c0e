import { AmpError } from "../../errors.ts";
import { durationText } from "../../values/duration.ts";
import { once } from "../../values/once.ts";
import { suggest } from "../../values/suggested-command.ts";
import { applyReviewed, reviewPlan } from "../apply.ts";
import { routingWarnings } from "../model/destination-warnings.ts";
import { expandEvents } from "../model/names.ts";
import { drawnPlanPage } from "../pages/diagram.ts";
import { assertApplicable } from "../plan/conflicts.ts";
import type { Plan } from "../plan/plan.ts";
import { planJson } from "../plan/plan-document.ts";
import { reportEvents } from "../progress.ts";
import { choicesOf, openEngine } from "../session.ts";
import { type OpenedState, openState } from "../state/open-backend.ts";
import { type SavedFile, unfinishedSetups, unfinishedText } from "./answers.ts";
import { type Decision, type Discovery, decide, openDiscovery, ownPlan } from "./decide.ts";
import { assertConsistent, type SetupContext, type SetupOptions } from "./options.ts";
import {
  NOTHING,
  nothingCreated,
  type RefusedAnswers,
  refusedAnswers,
  setupError,
  withRecreate,
} from "./refusal.ts";
import { type SetupResult, savedText, setupResult } from "./result.ts";
import { warnOfOthers } from "./resume.ts";
import { saveRouting } from "./save.ts";

/**
 * Sets up routing from event types to a destination: decides on a routing by options, answers or an
 * unfinished setup, and applies it by the path of `amp notify apply`. Answers of the wizard that
 * the service refuses are asked for again.
 */
export async function setUp(ports: SetupContext, given: SetupOptions): Promise<SetupResult> {
  const typed = { ...given, event: expandEvents(given.event) };
  assertConsistent(typed, ports);
  let refused: RefusedAnswers | undefined;
  for (;;) {
    const opened = once(() => openState(ports, typed));
    const discovery = openDiscovery(ports, typed, opened);
    const decision = await decide(ports, typed, { opened, discovery, refused }).catch((error) => {
      throw nothingCreated(error, refused);
    });
    const { recreate = typed.recreate ?? false } = decision;
    // A file of an earlier round is of this command.
    const overwrite = typed.overwrite || refused !== undefined;
    const job: Job = { decision, options: { ...typed, recreate, overwrite }, refused };
    if (decision.action === "save" || ports.dryRun) return showPlan(ports, job, discovery);
    try {
      return await create(ports, job, await opened());
    } catch (error) {
      refused = refusedAnswers(error, decision, refused);
      if (refused === undefined) throw withRecreate(error, decision.model);
      ports.report.warn(refused.says);
    }
  }
}

/** What is to be set up. */
interface Job {
  readonly decision: Decision;
  readonly options: SetupOptions;
  /** The answers that the service refused before, of which something may have been created. */
  readonly refused: RefusedAnswers | undefined;
}

/** Plans, and creates nothing: for a dry run, and for a routing file instead of the resources. */
async function showPlan(
  ports: SetupContext,
  { decision, options }: Job,
  discovery: Discovery,
): Promise<SetupResult> {
  const { action, model, reviewed } = decision;
  const saved = decision.saved ?? (await saveRouting(ports, model, options));
  const plan = reviewed ?? (await discovery.planFor(model));
  if (action === "create") assertApplicable(plan);
  return setupResult(decision, planJson(plan, routingWarnings(model)), saved);
}

/**
 * Applies the routing of a setup. While it runs, the answers are on disk.
 * @throws the engine's error, with the command that resumes the setup
 */
async function create(ports: SetupContext, job: Job, opened: OpenedState): Promise<SetupResult> {
  const { report, environment } = ports;
  const { decision, options, refused } = job;
  const { model, earlier = [], others = [] } = decision;
  const { backend } = opened;
  const choices = choicesOf(options);
  const observe = reportEvents(ports, { oneTopic: true });
  // Creates are sent one after the other: there are few, and at most one outcome is ever unknown.
  const engine = openEngine(opened, ports, { ...options, parallel: 1 }, observe);
  const save = once(() => saveRouting(ports, model, options));
  const warnings = [...routingWarnings(model), ...(await warnOfOthers(ports, others))];
  const files = unfinishedSetups(backend, environment);
  const own = files.of(model, await unfinishedText(model, environment));
  const started = ports.now().getTime();
  let isBegun = false;
  let saved: SavedFile | undefined;
  const consent = async (plan: Plan) => {
    await reviewUnlessAgreed(ports, decision, ownPlan(plan));
    // Before the answers are on disk: a refusal leaves no unfinished setup.
    await ports.guard.assertMayWrite();
    // Under the lock, and before the first create: a file that cannot be written must neither
    // stop a setup half way, nor be there where another run holds the lock.
    saved = await save();
    await files.save(own);
    isBegun = true;
  };
  try {
    const request = { model, warnings, consent };
    const receipt = await applyReviewed(ports, { engine, backend }, request);
    await files.remove([own, ...earlier]);
    const ms = ports.now().getTime() - started;
    if (isBegun) report.notice(`Done in ${ms < 100 ? "under 0.1 s" : durationText(ms)}.`);
    const file = await save();
    if (file) report.notice(`${savedText(file)} To apply it again:`, file.applyCommand);
    return setupResult(decision, receipt, file);
  } catch (error) {
    const { recreate, adoptChanges, changeShared } = choices;
    const again = { resume: true, recreate, adoptChanges, changeShared, yes: ports.yes };
    const failed = isBegun
      ? await setupError(error, suggest("notify setup", [], again), () => files.remove([own]))
      : nothingCreated(error, refused);
    if (saved === undefined || !(failed instanceof AmpError)) throw failed;
    const { done = NOTHING } = failed.facts;
    throw failed.setFacts({ done: `${done}\n${savedText(saved)}` });
  }
}

/** Shows the plan and asks, unless an equal one was agreed to in the wizard. */
async function reviewUnlessAgreed(
  ports: SetupContext,
  { model, reviewed }: Decision,
  plan: Plan,
): Promise<void> {
  // The JSON of a plan contains no secrets.
  const textOf = (one: Plan) => JSON.stringify(planJson(one));
  if (reviewed !== undefined && textOf(plan) === textOf(reviewed)) return;
  const page = drawnPlanPage(plan, model);
  await reviewPlan(ports, plan, { page, consent: { command: "amp notify setup" } });
}
