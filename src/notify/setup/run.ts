import {
  AmpError,
  AuthError,
  ConflictError,
  type InputIssue,
  RejectedError,
} from "../../errors.ts";
import { durationText } from "../../values/duration.ts";
import { once } from "../../values/once.ts";
import { type SuggestedCommand, suggest } from "../../values/suggested-command.ts";
import { applyReviewed } from "../apply.ts";
import { confirmPlan } from "../confirm.ts";
import type { Engine, Receipt } from "../engine/types.ts";
import type { ResourceKind } from "../model/resource.ts";
import type { RoutingModel } from "../model/routing.ts";
import { drawnPlanPage } from "../pages/diagram.ts";
import type { PlanChoices } from "../plan/blockers.ts";
import type { Plan } from "../plan/plan.ts";
import { planJson } from "../plan/plan-document.ts";
import { reportEvents } from "../progress.ts";
import { openEngine, type SessionOptions } from "../session.ts";
import type { StateBackend } from "../state/backend.ts";
import { openState } from "../state/open-backend.ts";
import {
  type RefusedAnswers,
  SETUP_FLAGS,
  type SetupAnswers,
  type SetupContext,
} from "./answers.ts";
import { withoutOtherResources } from "./decide.ts";
import { NOTHING, nothingCreated, type SavedFile, savedText } from "./save.ts";
import {
  type Unfinished,
  type UnfinishedSetups,
  unfinishedSetups,
  unfinishedText,
} from "./unfinished.ts";
import { labelOf } from "./wizard/fields.ts";

/** The engine and state of a setup, and the answers of setups that did not finish. */
export interface SetupSession {
  readonly engine: Engine;
  /** Where the state is; the service may be asked for the project. */
  readonly backend: () => Promise<StateBackend>;
  readonly unfinished: () => Promise<UnfinishedSetups>;
}

/** Opens engine and state; nothing is read or sent before they are used. */
export function openSetup(ports: SetupContext, options: SessionOptions): SetupSession {
  const observe = reportEvents(ports, { oneTopic: true });
  const opened = once(() => openState(ports, options));
  // Creates are sent one after the other: there are few, and at most one outcome is ever unknown.
  const parallel = { ...options, parallel: 1 };
  const engine = once(async () => openEngine(await opened(), ports, parallel, observe));
  return {
    engine: {
      plan: async (model) => (await engine()).plan(model),
      apply: async (model, approve) => (await engine()).apply(model, approve),
      resume: async () => (await engine()).resume(),
    },
    backend: async () => (await opened()).backend,
    unfinished: async () => unfinishedSetups((await opened()).backend, ports.environment),
  };
}

/** The routing to set up, with its session. */
export interface SetupJob extends SetupSession {
  readonly model: RoutingModel;
  readonly choices: PlanChoices;
  /** The plan that was agreed to; if the current one differs, the user is asked again. */
  readonly reviewed?: Plan | undefined;
  /** The unfinished setups that this one resumes or replaces. */
  readonly earlier?: readonly Unfinished[] | undefined;
  /** Saves the routing file that the user asked for; it is written once. */
  save(): Promise<SavedFile | undefined>;
  /** The answers that the service refused before, of which something may have been created. */
  readonly refused?: RefusedAnswers | undefined;
}

/**
 * Applies the routing of a setup. While it runs, the answers are on disk.
 * @throws the engine's error, with the command that resumes the setup
 */
export async function runSetup(ports: SetupContext, job: SetupJob): Promise<Receipt> {
  const { report } = ports;
  const { model, earlier = [] } = job;
  const files = await job.unfinished();
  const own = files.of(model, await unfinishedText(model, ports.environment));
  const started = ports.now().getTime();
  let isSaved = false;
  let saved: SavedFile | undefined;
  try {
    const { engine } = job;
    const receipt = await applyReviewed(
      ports,
      { engine, backend: await job.backend() },
      {
        model,
        choices: job.choices,
        review: async (plan) => {
          await review(ports, job, plan);
          // Before the answers are on disk: a refusal leaves no unfinished setup.
          await ports.guard.approve();
          // Under the lock, and before the first create: a file that cannot be written must neither
          // stop a setup half way, nor be there where another run holds the lock.
          saved = await job.save();
          await files.save(own);
          isSaved = true;
        },
      },
    );
    await files.remove([own, ...earlier]);
    const ms = ports.now().getTime() - started;
    if (isSaved) report.notice(`Done in ${ms < 100 ? "under 0.1 s" : durationText(ms)}.`);
    return receipt;
  } catch (error) {
    const failed = isSaved
      ? await setupError(error, job, () => files.remove([own]), ports.yes)
      : nothingCreated(error, job.refused);
    if (saved === undefined || !(failed instanceof AmpError)) throw failed;
    const { done = NOTHING } = failed.facts;
    throw failed.addFacts({ done: `${done}\n${savedText(saved)}` });
  }
}

/** Shows the plan and asks, unless an equal plan was agreed to in the wizard. */
async function review(ports: SetupContext, job: SetupJob, plan: Plan): Promise<void> {
  const { model, reviewed, choices } = job;
  const own = withoutOtherResources(plan);
  // The JSON of a plan contains no secrets.
  const textOf = (one: Plan) => JSON.stringify(planJson(one, choices));
  if (reviewed !== undefined && textOf(own) === textOf(reviewed)) return;
  if (ports.interactive && !ports.yes) ports.report.asks();
  ports.report.page(drawnPlanPage(own, model, { choices }));
  await confirmPlan(ports, own, "amp notify setup");
}

/**
 * The error of a setup that stopped, with the options that it concerns and the command to
 * continue.
 * @param forget removes the answers from the disk
 */
async function setupError(
  error: unknown,
  { choices: { recreate, adoptChanges, changeShared } }: SetupJob,
  forget: () => Promise<void>,
  yes: boolean,
): Promise<unknown> {
  if (!(error instanceof AmpError)) return error;
  const named = withFlags(error);
  if (!isRefusal(error)) {
    return withCommand(
      named,
      suggest("notify setup", [], { resume: true, recreate, adoptChanges, changeShared, yes }),
    );
  }
  // These answers would be refused again.
  await forget();
  return named;
}

/** The parts of the answers that the resources of each kind are made of. */
const PARTS: Readonly<Partial<Record<string, keyof SetupAnswers>>> = {
  destination: "destination",
  topic: "topic",
  "event-route": "events",
};

/**
 * The questions to ask again after the service refused the answers of a wizard.
 * @param answers absent without prompts
 * @param before the answers that were refused before these
 * @returns undefined where asking again would not help
 */
export function refusedAnswers(
  error: unknown,
  answers: SetupAnswers | undefined,
  before: RefusedAnswers | undefined,
): RefusedAnswers | undefined {
  if (!(error instanceof AmpError) || answers === undefined || !isRefusal(error)) return undefined;
  const { data, issues = [], detail, done } = error.facts;
  // An unknown outcome comes first: only the same answers resolve it.
  if ([data?.unknown ?? []].flat().length > 0) return undefined;
  const part = PARTS[String(refusedAddress(error)).split("/")[0] ?? ""];
  // The answers were not typed as options.
  const labelled = ({ name = "" }: InputIssue) => labelOf({ name: name.split(".").at(-1) ?? "" });
  const named = issues.map((issue) => `${labelled(issue)} ${issue.detail}`).join("; ");
  const why = (named || detail)?.replace(/\.$/u, "");
  return {
    answers,
    ...(part === undefined ? {} : { part }),
    ...(issues.length === 1 ? { input: issues[0]?.name } : {}),
    says: `${error.message}${why ? `: ${why}` : ""}. Correct the answer, or press Ctrl-C.`,
    done: [before?.done, done].filter((one) => one && one !== NOTHING).join("\n") || NOTHING,
  };
}

function isRefusal(error: AmpError): boolean {
  return [error, error.cause].some(
    (one) => one instanceof RejectedError || one instanceof ConflictError,
  );
}

function withCommand(error: AmpError, command: SuggestedCommand): AmpError {
  // Without a login the setup cannot continue.
  if (error instanceof AuthError || error.cause instanceof AuthError) return error;
  return error.addFacts({ suggestion: [error.facts.suggestion ?? [], command].flat() });
}

/**
 * Names each invalid input by its option. The command's own table cannot: `name` is the
 * destination's in one request and the topic's in the next.
 */
function withFlags(error: AmpError): AmpError {
  const { issues } = error.facts;
  const flags = SETUP_FLAGS[String(refusedAddress(error)).split("/")[0] as ResourceKind];
  if (flags === undefined || issues === undefined) return error;
  const named = issues.map((issue) => {
    const { name = "" } = issue;
    // The service may name a field within an input, for example `metadata.headers.x`.
    const known = Object.entries(flags).find(([key]) => name === key || name.startsWith(`${key}.`));
    return known === undefined ? issue : { ...issue, flag: known[1] };
  });
  return error.addFacts({ issues: named });
}

function refusedAddress({ facts: { data } }: AmpError): string | undefined {
  const failed = data?.failed as readonly { readonly address: string }[] | undefined;
  return failed?.[0]?.address;
}
