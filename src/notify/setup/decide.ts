import { AmpError, type ExitName } from "../../errors.ts";
import type { Engine } from "../engine/types.ts";
import type { DestinationContent } from "../model/destination-input.ts";
import type { RoutingModel } from "../model/routing.ts";
import { type LiveRouting, listRouting } from "../plan/live.ts";
import { makePlan } from "../plan/make-plan.ts";
import type { Plan } from "../plan/plan.ts";
import { existingById, modelOfAnswers, type SetupAnswers, type SetupDecision } from "./answers.ts";
import {
  fieldWarnings,
  missingOptions,
  notInteractive,
  type SetupContext,
  type SetupOptions,
} from "./options.ts";
import { runWizard } from "./wizard/wizard.ts";

/**
 * Whether the setup asks questions.
 * @throws {UsageError} where it must ask, and the terminal is not interactive
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
  { api, project, dryRun, report }: SetupContext,
  engine: Pick<Engine, "plan">,
): Discovery {
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
    live: () => unlessOffline(() => listRouting({ api, project })),
    planFor: async (model) => {
      const planned = await unlessOffline(() => engine.plan(model));
      return planned ? ofThisRouting(planned.plan) : blindPlan(model);
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
  return { ...plan, lists: true };
}

/** The plan without the resources that the routing does not name. */
export function ofThisRouting(plan: Plan): Plan {
  return { ...plan, items: plan.items.filter(({ action }) => action !== "prune"), kept: [] };
}

/** Decides by the wizard's questions. */
export async function decideByWizard(
  { prompt, report, files, yes }: SetupContext,
  options: SetupOptions,
  content: DestinationContent,
  discovery: Discovery,
): Promise<SetupDecision> {
  const { live, planFor } = discovery;
  const context = { prompt, report, files, yes, live: await live(), planFor };
  return runWizard(context, { ...options, ...content });
}

/** Decides by options, all of which are given. */
export async function decideByOptions(
  { report }: SetupContext,
  options: SetupOptions,
  content: DestinationContent,
  discovery: Discovery,
): Promise<SetupDecision> {
  const { destinationId, destinationName = "", topicId, topic = "" } = options;
  const { destinationType: type = "" } = options;
  for (const warning of fieldWarnings(type, content)) report.warn(warning);
  // The lists are needed here only for the name of an ID; the plan looks up resources given by
  // name.
  const isGivenById = destinationId !== undefined || topicId !== undefined;
  const live = isGivenById ? await discovery.live() : undefined;
  const answers: SetupAnswers = {
    destination:
      destinationId === undefined
        ? { kind: "new", name: destinationName, type, ...content }
        : existingById("destination", live?.destination, destinationId),
    topic:
      topicId === undefined
        ? { kind: "new", name: topic }
        : existingById("topic", live?.topic, topicId),
    events: [...new Set(options.event)],
  };
  return { action: "create", model: modelOfAnswers(answers) };
}
