import { AmpError, type ExitName } from "../../errors.ts";
import { once } from "../../values/once.ts";
import { addressParts } from "../model/address.ts";
import { readDestinationContent } from "../model/destination-input.ts";
import { optionWarnings } from "../model/destination-warnings.ts";
import { eventWarnings } from "../model/names.ts";
import type { RoutingModel } from "../model/routing.ts";
import type { DestinationContent } from "../model/secrets.ts";
import type { PlanChoices } from "../plan/choices.ts";
import { listRouting } from "../plan/live.ts";
import { makePlan } from "../plan/make-plan.ts";
import type { Plan } from "../plan/plan.ts";
import { choicesOf, openEngine } from "../session.ts";
import type { OpenedState } from "../state/open-backend.ts";
import {
  answersOfModel,
  type ChangedAnswers,
  modelOfAnswers,
  type SetupDecision,
  type Unfinished,
  unfinishedSetups,
} from "./answers.ts";
import {
  answersOfOptions,
  assertValid,
  invalidNames,
  missingOptions,
  mistypedOptions,
  needsQuestions,
  type SetupContext,
  type SetupOptions,
  withExistingDestination,
} from "./options.ts";
import type { RefusedAnswers } from "./refusal.ts";
import { askToResume, readUnfinished, setupToResume } from "./resume.ts";
import { askAndSaveRouting, checkSave } from "./save.ts";
import type { WizardPorts } from "./wizard/context.ts";
import { runWizard } from "./wizard/wizard.ts";

/** The decision of a setup, with the unfinished setups that were found before it. */
export interface Decision extends SetupDecision {
  /** Those that this one resumes or replaces. */
  readonly earlier?: readonly Unfinished[] | undefined;
  /** Those that remain. */
  readonly others?: readonly Unfinished[];
}

/** What a decision looks at beside the options. */
interface Found {
  readonly opened: () => Promise<OpenedState>;
  readonly discovery: Discovery;
  /** The answers of the wizard that the service refused. */
  readonly refused: RefusedAnswers | undefined;
}

/** Decides on the routing of a setup: by an unfinished one, by the wizard, or by options alone. */
export async function decide(
  ports: SetupContext,
  given: SetupOptions,
  found: Found,
): Promise<Decision> {
  const { discovery, refused } = found;
  if (given.resume) {
    const setups = await findUnfinished(ports, found);
    const setup = await setupToResume(ports, given, await setups.list());
    return decideByUnfinished(ports, given, discovery, setup);
  }
  const content = await readDestinationContent(given.destinationType ?? "", given, ports.files);
  if (refused !== undefined) {
    const decided = await decideByWizard(ports, given, content, discovery, refused);
    return { ...decided, earlier: refused.earlier };
  }
  // Without consent nothing is asked of the service, and the wizard finds what exists by itself.
  const isAgreed = ports.yes || ports.dryRun;
  const options =
    isAgreed && !ports.interactive
      ? await withExistingDestination(given, content, discovery.live)
      : given;
  const missing = missingOptions(options, content);
  const isChecked = isAgreed && missing.length === 0;
  const names = isChecked ? await invalidNames(options, discovery.live) : [];
  assertValid([...mistypedOptions(given), ...names]);
  for (const warning of eventWarnings(options.event)) ports.report.warn(warning);
  if (!needsQuestions(ports, missing)) return decideByOptions(ports, options, content, found);
  if (missing.length > 0) await checkSave(ports, options);
  const earlier = ports.dryRun ? [] : await (await findUnfinished(ports, found)).list();
  const resumed = earlier.length === 0 ? undefined : await askToResume(ports, earlier);
  if (resumed !== undefined) return decideByUnfinished(ports, options, discovery, resumed);
  return { ...(await decideByWizard(ports, options, content, discovery)), earlier };
}

async function findUnfinished({ environment }: SetupContext, { opened }: Found) {
  return unfinishedSetups((await opened()).backend, environment);
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
  const content = { metadata: {}, secrets: {} };
  return { ...(await decideByWizard(ports, given, content, discovery, start)), earlier };
}

/** The existing resources and the plan of a routing, from one listing. */
export type Discovery = ReturnType<typeof openDiscovery>;

/**
 * Opens the discovery. A dry run continues where the service cannot be reached: it still shows
 * what would be created.
 */
export function openDiscovery(
  ports: SetupContext,
  options: SetupOptions,
  opened: () => Promise<OpenedState>,
) {
  const { api, project, dryRun, report } = ports;
  let isOffline = false;
  const unlessOffline = async <Result>(look: () => Promise<Result>) => {
    if (isOffline) return undefined;
    return look().catch((error: unknown) => {
      if (!dryRun || !(error instanceof AmpError) || !OFFLINE_EXITS.has(error.exit)) throw error;
      report.warn(`Cannot check what already exists: ${error.message}`);
      isOffline = true;
      return undefined;
    });
  };
  return {
    /** The live routing; undefined where the service has no lists. */
    live: once(() => unlessOffline(() => listRouting({ api, project }))),
    /** The plan for this routing alone, without resources of other setups with the same state. */
    planFor: async (model: RoutingModel, choices?: Partial<PlanChoices>): Promise<Plan> => {
      const planned = await unlessOffline(async () =>
        openEngine(await opened(), ports, { ...options, ...choices }).plan(model),
      );
      if (planned) return ownPlan(planned.plan);
      // As if nothing existed: whether the service has lists is unknown.
      const blind = { model, state: undefined, live: undefined, choices: choicesOf(options) };
      return { ...makePlan(blind), hasLists: true };
    },
  };
}

const OFFLINE_EXITS: ReadonlySet<ExitName> = new Set(["service", "timeout", "auth"]);

/**
 * The plan of a setup, which prunes nothing: of what it does not name, only the routes at its
 * topics, which deliver along with its own.
 */
export function ownPlan(plan: Plan): Plan {
  const topics = new Set(
    plan.items.flatMap(({ address, kind }) =>
      kind === "topic" ? addressParts(address).names : [],
    ),
  );
  const isNear = ({ address }: Plan["others"][number]) => {
    const [topic = "", end] = addressParts(address).names;
    return end !== undefined && topics.has(topic);
  };
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
  ports: SetupContext,
  options: SetupOptions,
  content: DestinationContent,
  found: Found,
): Promise<Decision> {
  const { report, interactive, prompt } = ports;
  const { destinationId, destinationType = "", topicId } = options;
  const warnings = destinationId === undefined ? optionWarnings(destinationType, content) : [];
  for (const warning of warnings) report.warn(warning);
  // The lists are needed here only for the name of an ID; the plan looks up what is given by name.
  const isGivenById = destinationId !== undefined || topicId !== undefined;
  const live = isGivenById ? await found.discovery.live() : undefined;
  const answers = await answersOfOptions(options, content, live, { interactive, prompt });
  const model = modelOfAnswers(answers);
  const decision = { action: "create", model, isTyped: true } as const;
  if (ports.dryRun) return decision;
  const setups = await findUnfinished(ports, found);
  const { path } = setups.of(model, "");
  const others = (await setups.list()).filter((other) => other.path !== path);
  return { ...decision, others };
}
