import type { CommandContext } from "../context/command-context.ts";
import { InterruptedError, UsageError } from "../errors.ts";
import { shellLine } from "../values/shell.ts";
import type { Page } from "../view/view.ts";
import type { Receipt } from "./engine/types.ts";
import { isPending, planJson, planPage } from "./pages/plan.ts";
import { assertApplicable } from "./plan/blockers.ts";
import {
  checkPlanned,
  checkSavedPlan,
  readSavedPlan,
  type SavedPlan,
  savedPlanText,
} from "./plan/saved-plan.ts";
import { reportEvents } from "./progress.ts";
import {
  type FileContext,
  openEngine,
  readRouting,
  type SessionContext,
  type SessionOptions,
} from "./session.ts";
import { stateWarning } from "./state/backend.ts";
import { openState, readState } from "./state/open-backend.ts";

/** The part of a command's context that an apply uses. */
export type ApplyContext = SessionContext &
  FileContext &
  Pick<CommandContext, "dryRun" | "interactive" | "prompt" | "yes">;

/** The part of a command's context that a plan uses. */
export type PlanContext = SessionContext & FileContext & Pick<CommandContext, "files" | "yes">;

/** What was typed. */
export interface ApplyOptions extends SessionOptions {
  readonly file: string;
  readonly allowLiteralSecrets: boolean;
  readonly prune: boolean;
  readonly recreate: boolean;
  /** A saved plan that must still hold. */
  readonly plan?: string | undefined;
}

/** What an apply ended with: a receipt, or after `--dry-run` what it would do. */
export type ApplyResult = Receipt | ReturnType<typeof planJson>;

/** The plan after `--dry-run`. */
export function dryRunPage(plan: ReturnType<typeof planJson>): Page {
  const { blocks, ...page } = planPage(plan, plan);
  return { ...page, blocks: [...blocks, { kind: "text", text: "Nothing was sent.", tone: "dim" }] };
}

/** Reads the routing file, shows the plan, asks, and brings it about. */
export async function applyFile(ports: ApplyContext, options: ApplyOptions): Promise<ApplyResult> {
  const { model } = await readRouting(ports, options);
  const { report, environment } = ports;
  const { prune, recreate } = options;
  const choices = { prune, recreate };
  const observe = reportEvents(ports);
  const opened = openState(ports, options);
  const { backend, target } = opened;
  const engine = openEngine(opened, ports, options, observe);
  const saved = await readPlanOption(ports, options);
  if (saved) {
    const state = await readState(opened);
    checkSavedPlan(saved, { model, state: state?.state, target, choices });
  }
  if (ports.dryRun) return planJson((await engine.plan(model)).plan, choices);
  return engine.apply(model, async (plan) => {
    if (saved) checkPlanned(saved, plan);
    // Nobody is asked about what cannot be done; the error tells all that the plan would.
    assertApplicable(plan, choices);
    const warning = stateWarning({ backend, lists: plan.lists, ci: environment.ci });
    if (warning !== undefined) report.warn(warning);
    // Without lists nothing goes on before somebody says what became of what was begun.
    const isStuck = !plan.lists && plan.items.some(({ action }) => action === "reconcile");
    if (isStuck || !isPending(plan, choices)) return;
    report.page(planPage(plan, choices));
    // A plan that was saved has been looked at already.
    if (!saved) await confirmApply(ports);
  });
}

async function readPlanOption(
  { files }: ApplyContext,
  { plan }: ApplyOptions,
): Promise<SavedPlan | undefined> {
  return plan === undefined ? undefined : readSavedPlan(await files.read(plan), plan);
}

async function confirmApply({ yes, interactive, prompt }: ApplyContext): Promise<void> {
  if (yes) return;
  if (!interactive) {
    throw new UsageError("amp notify apply asks before it creates, and nobody can be asked here", {
      remedy: "Add --yes to agree; amp notify plan shows what it would do.",
      done: "Nothing was created.",
    });
  }
  const answer = await prompt.confirm({ message: "Apply this?", flag: "--yes", default: true });
  if (!answer) throw new InterruptedError("Cancelled", { done: "Nothing was created." });
}

/** The plan for a routing file, kept in a file where one is named. */
export async function planFile(
  ports: PlanContext,
  options: Omit<ApplyOptions, "plan"> & { readonly out?: string | undefined },
): Promise<ReturnType<typeof planJson>> {
  const { model } = await readRouting(ports, options);
  const { prune, recreate, out } = options;
  const choices = { prune, recreate };
  const opened = openState(ports, options);
  const before = await readState(opened);
  const { plan } = await openEngine(opened, ports, options).plan(model);
  if (out !== undefined) {
    const text = savedPlanText(plan, {
      model,
      state: before?.state,
      target: opened.target,
      choices,
    });
    await ports.files.write(out, text, { overwrite: ports.yes });
    const words = ["amp", "notify", "apply", "-f", options.file, "--plan", out];
    const asked = [...(prune ? ["--prune"] : []), ...(recreate ? ["--recreate"] : [])];
    const apply = shellLine([...words, ...asked]);
    ports.report.notice(`Saved as ${out}. To apply it:\n  ${apply}`);
  }
  return planJson(plan, choices);
}
