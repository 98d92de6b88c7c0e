import type { CommandContext } from "../context/command-context.ts";
import { suggest } from "../values/suggested-command.ts";
import type { ApplyResult } from "./apply-result.ts";
import { confirmPlan } from "./confirm.ts";
import { receiptJson } from "./engine/receipt.ts";
import type { Engine, Receipt } from "./engine/types.ts";
import type { FileContext, FileOptions } from "./file/read.ts";
import { assertReadsKept } from "./in-use.ts";
import type { Address } from "./model/address.ts";
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
import { type PlanDocument, planJson } from "./plan/plan-document.ts";
import { keptResourceWarning } from "./plan/prune.ts";
import { needlessReplaces } from "./plan/replace.ts";
import {
  checkPlanned,
  checkSavedPlan,
  type ReadPlan,
  readSavedPlan,
  savedPlanText,
} from "./plan/saved-plan.ts";
import { reportEvents } from "./progress.ts";
import {
  choicesOf,
  openEngine,
  readPrunableRouting,
  type SessionContext,
  type SessionOptions,
} from "./session.ts";
import { type StateBackend, stateWarning } from "./state/backend.ts";
import { openState, readState } from "./state/open-backend.ts";

/** The part of a command's context that an apply uses. */
export type ApplyContext = SessionContext &
  FileContext &
  Pick<CommandContext, "dryRun" | "interactive" | "prompt" | "yes">;

/** The part of a command's context that a plan uses. */
export type PlanContext = SessionContext & FileContext & Pick<CommandContext, "files">;

/** The options of an apply. */
export interface ApplyOptions extends SessionOptions, FileOptions {
  readonly prune: boolean;
  readonly pruneUnowned: boolean;
  readonly recreate: boolean;
  readonly adoptChanges: boolean;
  readonly replace: readonly Address[];
  /** Whether to delete and rename destinations that reads of customers name. */
  readonly breakReferences?: boolean;
  /** Whether to apply what does not depend on a conflict. */
  readonly keepGoing?: boolean;
  /** Whether the plan lists the resources of the state that are not the routing's, too. */
  readonly all: boolean;
  /** The path of a saved plan that must still hold. */
  readonly plan?: string | undefined;
}

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

/** Reads a routing file, shows its plan, asks for consent, and applies it. */
export async function applyFile(ports: ApplyContext, options: ApplyOptions): Promise<ApplyResult> {
  const { model, warnings } = await readPrunableRouting(ports, options);
  const { report } = ports;
  const choices = choicesOf(options);
  const { all, keepGoing } = options;
  const shown = { ...choices, all, ...(keepGoing ? { keepGoing } : {}) };
  const observe = reportEvents(ports);
  const saved =
    options.plan === undefined ? undefined : await readPlan(ports, options, options.plan);
  const opened = await openState(ports, options);
  const { backend, target } = opened;
  const engine = openEngine(opened, ports, options, observe);
  if (saved) {
    const state = await readState(opened);
    checkSavedPlan(saved, { model, state: state?.state, target, choices });
  }
  if (ports.dryRun) {
    const { plan } = await engine.plan(model);
    await assertReadsKept(ports, plan, options);
    noteNeedlessReplaces(report, plan, choices);
    warnOfDuplicates(report, plan);
    return planJson(plan, shown, warnings);
  }
  const receipt = await applyReviewed(
    ports,
    { engine, backend },
    {
      model,
      choices,
      keepGoing: options.keepGoing,
      ...(saved ? { check: (plan: Plan) => checkPlanned(saved, plan) } : {}),
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
  return receiptJson(receipt, warnings);
}

async function readPlan(
  { files }: ApplyContext,
  options: ApplyOptions,
  path: string,
): Promise<ReadPlan> {
  const again = suggest("notify plan", [], {
    ...planOptions(options),
    out: path,
    // It replaces the plan that does not hold.
    overwrite: true,
  });
  const remedy = "Check the path, or make a new plan.";
  return readSavedPlan(await files.read(path, { remedy, suggestion: again }), path, again);
}

/** The options by which a suggested command makes or applies the same plan. */
function planOptions(options: Omit<ApplyOptions, "plan">) {
  const { file, prune, pruneUnowned, recreate, adoptChanges, replace, breakReferences } = options;
  const { allowLiteralSecrets, allowEnv, allowFile } = options;
  return {
    f: file,
    prune,
    pruneUnowned,
    recreate,
    adoptChanges,
    replace,
    breakReferences,
    allowLiteralSecrets,
    allowEnv,
    allowFile,
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
    const isStuck = !plan.lists && plan.items.some(isOpenCreate);
    if (!isStuck && isPending(plan)) return review(plan).then(guard.approve);
    for (const { address, id, differences } of plan.kept) {
      if (differences) report.warn(...keptResourceWarning(address, id, differences));
    }
  });
  warnOfDuplicates(report, receipt);
  return receipt;
}

/** Whether only a person can find out what became of an item, where there are no lists. */
function isOpenCreate(item: PlanItem): boolean {
  return item.action === "reconcile" && !("isUpdate" in item);
}

function noteNeedlessReplaces(
  { notice }: Pick<ApplyContext["report"], "notice">,
  plan: Plan,
  { replace }: Pick<PlanChoices, "replace">,
): void {
  for (const address of needlessReplaces(plan, replace))
    notice(`--replace ${address} is not needed: it matches the file.`);
}

function warnOfDuplicates(
  report: Pick<ApplyContext["report"], "warn">,
  { duplicates }: Pick<Receipt, "duplicates">,
): void {
  const warning = duplicatesWarning(duplicates);
  if (warning !== undefined) report.warn(warning);
}

/** Plans a routing file, and saves the plan if a path for it is given. */
export async function planFile(
  ports: PlanContext,
  options: Omit<ApplyOptions, "plan"> & {
    readonly out?: string | undefined;
    readonly overwrite: boolean;
  },
): Promise<PlanDocument> {
  const { model, warnings } = await readPrunableRouting(ports, options);
  const { out } = options;
  const choices = choicesOf(options);
  const opened = await openState(ports, options);
  const before = await readState(opened);
  const { plan } = await openEngine(opened, ports, options).plan(model);
  await assertReadsKept(ports, plan, options);
  if (out !== undefined) {
    const text = savedPlanText(plan, {
      model,
      state: before?.state,
      target: opened.target,
      choices,
    });
    await ports.files.write(out, text, { overwrite: options.overwrite });
    const apply = suggest("notify apply", [], { ...planOptions(options), plan: out });
    if (blockersOf(plan, choices).length > 0) ports.report.notice(`Saved as ${out}.`);
    else ports.report.notice(`Saved as ${out}. To apply it:`, apply);
  }
  noteNeedlessReplaces(ports.report, plan, choices);
  warnOfDuplicates(ports.report, plan);
  return planJson(plan, { ...choices, all: options.all }, warnings);
}
