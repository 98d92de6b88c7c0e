import { AmpError, type ExitName, UsageError } from "../../errors.ts";
import { once } from "../../values/once.ts";
import { needsYes } from "../confirm.ts";
import type { Engine } from "../engine/types.ts";
import type { DestinationContent } from "../model/destination-input.ts";
import { optionWarnings } from "../model/destination-warnings.ts";
import type { RoutingModel } from "../model/routing.ts";
import { NO_CHOICES } from "../plan/blockers.ts";
import { type LiveRouting, listRouting } from "../plan/live.ts";
import { makePlan } from "../plan/make-plan.ts";
import type { Plan } from "../plan/plan.ts";
import {
  answersOfOptions,
  type ChangedAnswers,
  modelOfAnswers,
  type SetupContext,
  type SetupDecision,
  type SetupOptions,
} from "./answers.ts";
import { assertNames, missingOptions } from "./given-options.ts";
import { runWizard } from "./wizard/wizard.ts";

const NEW_DESTINATION_FLAGS = {
  destinationName: "--destination-name",
  destinationType: "--destination-type",
  url: "--url",
  metadata: "--metadata",
  metadataJson: "--metadata-json",
  secret: "--secret",
} as const;
const ANSWER_FLAGS = {
  ...NEW_DESTINATION_FLAGS,
  destinationId: "--destination-id",
  topic: "--topic",
  topicId: "--topic-id",
  event: "--event",
} as const;

/**
 * Refuses options of a new resource together with the ID of an existing one, and answers together
 * with `--resume`.
 * @throws {UsageError} naming the options
 */
export function assertConsistent(
  options: SetupOptions,
  context: Pick<SetupContext, "interactive">,
): void {
  const refuse = (what: string, flags: Readonly<Partial<typeof ANSWER_FLAGS>>) => {
    const given = Object.entries(flags).filter(
      ([name]) => (options[name as keyof typeof flags]?.length ?? 0) > 0,
    );
    if (given.length === 0) return;
    throw new UsageError(
      `${what} and cannot be combined with ${given.map(([, flag]) => flag).join(", ")}`,
      { remedy: "Use one or the other.", done: "Nothing was sent." },
    );
  };
  if (options.resume) refuse("--resume uses the earlier answers", ANSWER_FLAGS);
  if (options.destinationId !== undefined) {
    refuse("--destination-id selects an existing destination", NEW_DESTINATION_FLAGS);
  }
  if (options.topicId !== undefined) {
    refuse("--topic-id selects an existing topic", { topic: "--topic" });
  }
  // A wizard may save a file that no option names.
  if (options.overwrite && options.save === undefined && !context.interactive) {
    throw new UsageError("--overwrite has no effect without --save", {
      remedy: "Add --save, or leave it out.",
      done: "Nothing was sent.",
    });
  }
}

/**
 * The error for a setup that would ask questions where the terminal is not interactive.
 * @param missing options, beside `--yes`
 */
export function notInteractive(missing: readonly string[], yes: boolean, ci = false): UsageError {
  if (missing.length === 0) return needsYes("amp notify setup");
  const all = yes ? missing : [...missing, "--yes"];
  const noun = all.length === 1 ? "option" : "options";
  return new UsageError(`missing ${noun} ${all.join(", ")}`, {
    remedy: `Not interactive${ci ? ", because CI is set" : ""}: pass all of these options.`,
    done: "Nothing was sent.",
  });
}

/**
 * Whether the setup asks questions.
 * @throws {UsageError} where it must ask, and the terminal is not interactive
 */
export function needsQuestions(
  { interactive, yes, dryRun, environment }: SetupContext,
  options: SetupOptions,
  content: DestinationContent,
): boolean {
  const missing = missingOptions(options, content);
  const asks = interactive && (missing.length > 0 || !yes);
  const agreed = yes || dryRun;
  if (!asks && (missing.length > 0 || !agreed))
    throw notInteractive(missing, agreed, environment.ci);
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
    live: once(() => unlessOffline(() => listRouting({ api, project }))),
    planFor: async (model) => {
      const planned = await unlessOffline(() => engine.plan(model));
      return planned ? withoutOtherResources(planned.plan) : blindPlan(model);
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

/** The plan without the resources that the routing does not name: a setup prunes nothing. */
export function withoutOtherResources(plan: Plan): Plan {
  return { ...plan, others: [] };
}

/** Decides by the wizard's questions. */
export async function decideByWizard(
  { prompt, report, files, yes }: SetupContext,
  options: SetupOptions,
  content: DestinationContent,
  { live, planFor }: Discovery,
  start?: ChangedAnswers,
): Promise<SetupDecision> {
  if (start === undefined) report.notice("Esc returns to the previous question.");
  const { recreate = false, adoptChanges = false, changeShared = false } = options;
  const choices = { ...NO_CHOICES, recreate, adoptChanges, changeShared };
  const context = { prompt, report, files, yes, live: await live(), planFor, choices };
  return runWizard(context, { ...options, ...content }, start);
}

/** Decides by options, all of which are given. */
export async function decideByOptions(
  { report, interactive, prompt }: SetupContext,
  options: SetupOptions,
  content: DestinationContent,
  discovery: Discovery,
): Promise<SetupDecision> {
  const { destinationId, destinationType = "", topicId } = options;
  const warnings = destinationId === undefined ? optionWarnings(destinationType, content) : [];
  for (const warning of warnings) report.warn(warning);
  await assertNames(options, discovery.live);
  // The lists are needed here only for the name of an ID; the plan looks up resources given by
  // name.
  const isGivenById = destinationId !== undefined || topicId !== undefined;
  const live = isGivenById ? await discovery.live() : undefined;
  const answers = await answersOfOptions(options, content, live, { interactive, prompt });
  return { action: "create", model: modelOfAnswers(answers), isTyped: true };
}
