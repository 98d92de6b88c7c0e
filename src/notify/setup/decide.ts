import { AmpError, type ExitName } from "../../errors.ts";
import { once } from "../../values/once.ts";
import { addressParts } from "../model/address.ts";
import { type DestinationContent, readDestinationContent } from "../model/destination-input.ts";
import { optionWarnings } from "../model/destination-warnings.ts";
import { eventWarnings } from "../model/names.ts";
import type { RoutingModel } from "../model/routing.ts";
import { isRouteOf } from "../pages/shared-topics.ts";
import { type LiveRouting, listRouting } from "../plan/live.ts";
import { makePlan } from "../plan/make-plan.ts";
import type { Plan } from "../plan/plan.ts";
import { choicesOf, openEngine } from "../session.ts";
import type { OpenedState } from "../state/open-backend.ts";
import {
  answersOfModel,
  type ChangedAnswers,
  modelOfAnswers,
  type SetupDecision,
} from "./answers.ts";
import { assertValid, invalidNames, mistypedOptions } from "./option-problems.ts";
import {
  answersOfOptions,
  missingOptions,
  needsQuestions,
  type SetupContext,
  type SetupOptions,
  withExistingDestination,
} from "./options.ts";
import type { RefusedAnswers } from "./refusal.ts";
import { askToResume, readUnfinished, setupToResume } from "./resume.ts";
import { askAndSaveRouting, checkSave } from "./save.ts";
import { type Unfinished, unfinishedSetups } from "./unfinished.ts";
import type { WizardPorts } from "./wizard/context.ts";
import { runWizard } from "./wizard/wizard.ts";

/** The decision of a setup, with the unfinished setups that were found before it. */
export interface Decision extends SetupDecision {
  /** Those that this one resumes or replaces. */
  readonly earlier?: readonly Unfinished[] | undefined;
  /** Those that remain. */
  readonly others?: readonly Unfinished[];
}

/**
 * Decides on the routing of a setup: by an unfinished one, by the wizard, or by options alone.
 * @param found the state, what exists, and the answers of the wizard that the service refused
 */
export async function decide(
  ports: SetupContext,
  given: SetupOptions,
  found: {
    readonly opened: () => Promise<OpenedState>;
    readonly discovery: Discovery;
    readonly refused: RefusedAnswers | undefined;
  },
): Promise<Decision> {
  const { opened, discovery, refused } = found;
  const setups = async () => unfinishedSetups((await opened()).backend, ports.environment);
  const list = async () => (await setups()).list();
  if (given.resume) {
    const setup = await setupToResume(ports, given, await list());
    return decideByUnfinished(ports, given, discovery, setup);
  }
  const content = await readDestinationContent(given.destinationType ?? "", given, ports.files);
  if (refused !== undefined) {
    const decided = await decideByWizard(ports, given, content, discovery, refused);
    return { ...decided, earlier: refused.earlier };
  }
  // The wizard finds it by itself; without consent nothing is asked of the service.
  const isAgreed = ports.yes || ports.dryRun;
  const finds = !ports.interactive && isAgreed;
  const options = finds ? await withExistingDestination(given, content, discovery.live) : given;
  const isWhole = isAgreed && missingOptions(options, content).length === 0;
  const names = isWhole ? await invalidNames(options, discovery.live) : [];
  assertValid([...mistypedOptions(given), ...names]);
  for (const warning of eventWarnings(options.event)) ports.report.warn(warning);
  if (!needsQuestions(ports, options, content)) {
    const decided = await decideByOptions(ports, options, content, discovery);
    if (ports.dryRun) return decided;
    const own = (await setups()).of(decided.model, "");
    return { ...decided, others: (await list()).filter(({ path }) => path !== own.path) };
  }
  if (missingOptions(options, content).length > 0) await checkSave(ports, options);
  const earlier = ports.dryRun ? [] : await list();
  const resumed = earlier.length === 0 ? undefined : await askToResume(ports, earlier);
  if (resumed !== undefined) return decideByUnfinished(ports, given, discovery, resumed);
  return { ...(await decideByWizard(ports, options, content, discovery)), earlier };
}

/** Decides by an unfinished setup; on a terminal its answers can be changed. */
async function decideByUnfinished(
  ports: SetupContext,
  given: SetupOptions,
  discovery: Discovery,
  setup: Unfinished,
): Promise<Decision> {
  const earlier = [setup];
  const model = await readUnfinished(ports, setup);
  const answers = answersOfModel(model);
  const asks = ports.interactive && !ports.yes && !ports.dryRun && answers !== undefined;
  if (!asks) return { action: "create", model, earlier };
  const start = { answers, isReviewed: true };
  return { ...(await decideByWizard(ports, given, NO_CONTENT, discovery, start)), earlier };
}

const NO_CONTENT: DestinationContent = { metadata: {}, secrets: {} };

/** The existing resources and the plan of a routing, from one listing. */
export interface Discovery {
  /** The live routing; undefined where the service has no lists. */
  live(): Promise<LiveRouting | undefined>;
  /** The plan for this routing alone, without resources of other setups with the same state. */
  planFor(model: RoutingModel): Promise<Plan>;
}

/**
 * Opens the discovery. A dry run continues where the service cannot be reached: it still shows
 * what would be created.
 */
export function openDiscovery(
  ports: SetupContext,
  options: SetupOptions,
  opened: () => Promise<OpenedState>,
): Discovery {
  const { api, project, dryRun, report } = ports;
  let isOffline = false;
  const unlessOffline = async <Result>(
    look: () => Promise<Result>,
  ): Promise<Result | undefined> => {
    if (isOffline) return undefined;
    try {
      return await look();
    } catch (error) {
      if (!dryRun || !(error instanceof AmpError) || !OFFLINE_EXITS.has(error.exit)) throw error;
      report.warn(`Cannot check what already exists: ${error.message}`);
      isOffline = true;
      return undefined;
    }
  };
  return {
    live: once(() => unlessOffline(() => listRouting({ api, project }))),
    planFor: async (model) => {
      const planned = await unlessOffline(async () =>
        openEngine(await opened(), ports, options).plan(model),
      );
      return planned ? ownPlan(planned.plan) : blindPlan(model);
    },
  };
}

const OFFLINE_EXITS: ReadonlySet<ExitName> = new Set(["service", "timeout", "auth"]);

/**
 * The plan as if nothing existed, for a service that was not reached: whether it has lists is
 * unknown.
 */
function blindPlan(model: RoutingModel): Plan {
  const plan = makePlan({ model, state: undefined, live: undefined });
  return { ...plan, hasLists: true };
}

/**
 * The plan of a setup, which prunes nothing: of what it does not name, only the routes at its topics,
 * which deliver along with its own.
 */
export function ownPlan(plan: Plan): Plan {
  const topics = plan.items.flatMap(({ address, kind }) =>
    kind === "topic" ? addressParts(address).names : [],
  );
  const isNear = (one: Plan["others"][number]) => topics.some((topic) => isRouteOf(one, topic));
  return { ...plan, others: plan.others.filter(isNear) };
}

/** Decides by the wizard's questions. */
async function decideByWizard(
  ports: SetupContext,
  options: SetupOptions,
  content: DestinationContent,
  { live, planFor }: Discovery,
  start?: ChangedAnswers,
): Promise<SetupDecision> {
  const { prompt, report, files, yes } = ports;
  if (start === undefined) report.notice("Esc returns to the previous question.");
  const choices = choicesOf(options);
  const askAndSave: WizardPorts["askAndSave"] = (asked, model) =>
    askAndSaveRouting(ports, asked, model, options);
  const asks = options.save === undefined ? { askAndSave } : {};
  const context = { prompt, report, files, yes, live: await live(), planFor, choices, ...asks };
  return runWizard(context, { ...options, ...content }, start);
}

/** Decides by options, all of which are given. */
async function decideByOptions(
  { report, interactive, prompt }: SetupContext,
  options: SetupOptions,
  content: DestinationContent,
  discovery: Discovery,
): Promise<SetupDecision> {
  const { destinationId, destinationType = "", topicId } = options;
  const warnings = destinationId === undefined ? optionWarnings(destinationType, content) : [];
  for (const warning of warnings) report.warn(warning);
  // The lists are needed here only for the name of an ID; the plan looks up resources given by
  // name.
  const isGivenById = destinationId !== undefined || topicId !== undefined;
  const live = isGivenById ? await discovery.live() : undefined;
  const answers = await answersOfOptions(options, content, live, { interactive, prompt });
  return { action: "create", model: modelOfAnswers(answers), isTyped: true };
}
