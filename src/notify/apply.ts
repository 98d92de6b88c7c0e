import type { CommandContext } from "../context/command-context.ts";
import { AmpError } from "../errors.ts";
import { type ApplyResult, endedResult } from "./apply-result.ts";
import { type ApplyOptions, readSource } from "./apply-source.ts";
import { confirmPlan } from "./confirm.ts";
import { receiptJson } from "./engine/receipt.ts";
import type { Engine, Receipt } from "./engine/types.ts";
import type { FileContext } from "./file/read.ts";
import { assertReadsKept } from "./in-use.ts";
import type { RoutingModel } from "./model/routing.ts";
import { planPage } from "./pages/plan.ts";
import {
  assertApplicable,
  blockersOf,
  deletions,
  isPending,
  type PlanChoices,
} from "./plan/blockers.ts";
import { duplicatesWarning } from "./plan/duplicates.ts";
import type { Plan, PlanItem } from "./plan/plan.ts";
import { type PlanDocument, planJson, withoutFile } from "./plan/plan-document.ts";
import { keptResourceWarning } from "./plan/prune.ts";
import { needlessReplaces } from "./plan/replace.ts";
import { checkPlanned, checkSavedPlan, type ReadPlan } from "./plan/saved-plan.ts";
import { reportEvents } from "./progress.ts";
import { choicesOf, openEngine, type SessionContext, type SessionOptions } from "./session.ts";
import { checkPlan, withSource } from "./source-path.ts";
import { type StateBackend, stateWarning } from "./state/backend.ts";
import { type OpenedState, openState, readState } from "./state/open-backend.ts";

/** The part of a command's context that an apply uses. */
export type ApplyContext = SessionContext &
  FileContext &
  Pick<CommandContext, "dryRun" | "interactive" | "output" | "prompt" | "yes">;

/** A routing to apply, with the review and the checks of its plan. */
export interface ApplyRequest {
  readonly model: RoutingModel;
  readonly choices: PlanChoices;
  readonly keepGoing?: boolean | undefined;
  /** Throws where the plan is not the one that was agreed to earlier. */
  readonly check?: (plan: Plan) => void;
  /** Shows the plan and asks; called only where something would change at the service. */
  readonly review: (plan: Plan) => Promise<void>;
}

/** Reads a routing file or a saved plan, shows the plan, asks for consent, and applies it. */
export async function applyFile(ports: ApplyContext, given: ApplyOptions): Promise<ApplyResult> {
  const { report } = ports;
  const source = await readSource(ports, given);
  const { warnings, options, saved } = source;
  const choices = choicesOf(options);
  const { all, keepGoing, file } = options;
  const shown = { ...choices, all, ...(keepGoing ? { keepGoing } : {}) };
  const observe = reportEvents(ports);
  const opened = await openState(ports, options);
  const { backend, target } = opened;
  const model = await withSource(source, file, ports, backend);
  const engine = openEngine(opened, ports, options, observe);
  const check = (plan: Plan) => checkPlan(report, plan, { ...source, model, file }, shown);
  if (saved) {
    const state = await readState(opened);
    const { location } = backend;
    checkSavedPlan(saved, { model, state: state?.state, target, choices, location });
  }
  if (ports.dryRun) {
    const { plan } = await engine.plan(model);
    check(plan);
    await assertReadsKept(ports, plan, options);
    noteNeedlessReplaces(report, plan, choices);
    warnOfDuplicates(report, plan);
    return planJson(plan, shown, warnings);
  }
  let refused: PlanDocument | undefined;
  const applied = applyReviewed(
    ports,
    { engine, backend },
    {
      model,
      choices,
      keepGoing: options.keepGoing,
      check: (plan) => {
        if (saved) checkPlanned(saved, plan);
        check(plan);
        // A summary of a CI job is read without the error.
        if (keepGoing || ports.output.format() !== "markdown") return;
        if (blockersOf(plan, choices).length > 0) refused = planJson(plan, shown, warnings);
      },
      review: async (plan) => {
        await assertReadsKept(ports, plan, options);
        // The state may be of another author, so what it deletes is always shown.
        if (!saved && ports.interactive && !ports.yes) report.asks();
        report.page(planPage(planJson(plan, shown, warnings)), { isWarning: deletions(plan) > 0 });
        // A saved plan has been reviewed already.
        if (saved) return;
        await confirmPlan(ports, plan, "amp notify apply");
      },
    },
  );
  try {
    return receiptJson(await (saved ? applied.catch(adviseNewPlan(saved)) : applied), warnings);
  } catch (error) {
    return refused ?? endedResult(error, warnings, ports.output);
  }
}

/** A routing that no file has, and how its plan is shown. */
interface ModelRequest extends Pick<ApplyRequest, "model" | "check"> {
  readonly warnings: readonly string[];
  /** The command, for the error where nobody can be asked. */
  readonly command: string;
  /** The title of the plan, if not that of an apply. */
  readonly title?: string;
  /** Says that nothing is to be done, or was. */
  readonly noteNothing?: () => void;
}

/** Plans a routing that no file has, asks for consent, and applies it. A dry run only plans. */
export async function applyModel(
  ports: ApplyContext,
  opened: OpenedState,
  options: SessionOptions & { readonly breakReferences?: boolean | undefined },
  { model, warnings, command, title, check, noteNothing }: ModelRequest,
): Promise<ApplyResult> {
  const { report } = ports;
  const choices = choicesOf(options);
  const engine = openEngine(opened, ports, options, reportEvents(ports));
  const shown = (plan: Plan) => planJson(withoutFile(plan), choices, warnings);
  if (ports.dryRun) {
    const { plan } = await engine.plan(model);
    await assertReadsKept(ports, plan, options);
    if (!isPending(plan)) noteNothing?.();
    return shown(plan);
  }
  const review = async (plan: Plan) => {
    await assertReadsKept(ports, plan, options);
    if (ports.interactive && !ports.yes) report.asks();
    const page = { ...planPage(shown(plan)), ...(title === undefined ? {} : { title }) };
    report.page(page, { isWarning: deletions(plan) > 0 });
    await confirmPlan(ports, plan, command);
  };
  const where = { engine, backend: opened.backend };
  const request = { model, choices, review, ...(check === undefined ? {} : { check }) };
  try {
    const receipt = await applyReviewed(ports, where, request);
    const isSame = receipt.deleted.length === 0 && receipt.settled.every(({ sent }) => !sent);
    if (isSame) noteNothing?.();
    return receiptJson(receipt, warnings);
  } catch (error) {
    return endedResult(error, warnings, ports.output);
  }
}

/** A run that stopped has saved the state: its plan is out of date, and only a new one continues it. */
function adviseNewPlan({ again }: ReadPlan): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof AmpError) || error.facts.data?.notTried === undefined) throw error;
    throw error.addFacts({
      remedy: "This plan is now out of date. Make a new one to see what remains to be done.",
      suggestion: [error.facts.suggestion ?? [], again].flat(),
    });
  };
}

/** Applies a routing once its plan is agreed to: the one path of `apply` and `setup`. */
export async function applyReviewed(
  { report, guard, environment: { ci } }: Pick<ApplyContext, "report" | "guard" | "environment">,
  { engine, backend }: { readonly engine: Engine; readonly backend: StateBackend },
  { model, choices, keepGoing = false, check, review }: ApplyRequest,
): Promise<Receipt> {
  const receipt = await engine.apply(model, async (plan) => {
    check?.(plan);
    noteNeedlessReplaces(report, plan, choices);
    // A plan that cannot be applied needs no question: the error names everything the plan would
    // show.
    if (!keepGoing) assertApplicable(plan, choices);
    const warning = stateWarning(backend, { lists: plan.lists, ci });
    if (warning !== undefined) report.warn(warning);
    // Without lists a run can start only once the user has resolved what an earlier one left open.
    const isOpenCreate = (item: PlanItem) => item.action === "reconcile" && !("isUpdate" in item);
    const isStuck = !plan.lists && plan.items.some(isOpenCreate);
    if (!isStuck && isPending(plan)) return review(plan).then(guard.approve);
    for (const { address, id, differences } of plan.kept) {
      if (differences) report.warn(...keptResourceWarning(address, id, differences));
    }
  });
  warnOfDuplicates(report, receipt);
  return receipt;
}

/** Says of which resources a replacement was chosen that is not needed. */
export function noteNeedlessReplaces(
  { notice }: Pick<ApplyContext["report"], "notice">,
  plan: Plan,
  { replace }: Pick<PlanChoices, "replace">,
): void {
  for (const address of needlessReplaces(plan, replace))
    notice(`--replace ${address} is not needed: it matches the file.`);
}

/** Warns of the resources that the service has several times. */
export function warnOfDuplicates(
  report: Pick<ApplyContext["report"], "warn">,
  { duplicates }: Pick<Receipt, "duplicates">,
): void {
  const warning = duplicatesWarning(duplicates);
  if (warning !== undefined) report.warn(warning);
}
