import { NotFoundError } from "../errors.ts";
import { nearest } from "../values/nearest.ts";
import { suggest } from "../values/suggested-command.ts";
import { type ApplyContext, applyReviewed } from "./apply.ts";
import type { ApplyResult } from "./apply-result.ts";
import { confirmPlan } from "./confirm.ts";
import { receiptJson } from "./engine/receipt.ts";
import { assertReadsKept } from "./in-use.ts";
import { planPage } from "./pages/plan.ts";
import { deletions, isPending } from "./plan/blockers.ts";
import type { Plan } from "./plan/plan.ts";
import { planJson, withoutFile } from "./plan/plan-document.ts";
import { takeBack } from "./plan/take-back.ts";
import { reportEvents } from "./progress.ts";
import { choicesOf, openEngine, type SessionOptions } from "./session.ts";
import type { RunHistory } from "./state/history.ts";
import { openState, readState } from "./state/open-backend.ts";

/**
 * Takes a run back: makes a plan that deletes what it created, restores what it updated and creates
 * what it deleted, shows it, and applies it as any other plan. Run again after any failure, it goes
 * on: what is back already is in place.
 * @throws {NotFoundError} if the state has no such run
 * @throws {ConflictError} if a later run changed the same
 */
export async function undoRun(
  ports: ApplyContext,
  run: string,
  options: SessionOptions & { readonly breakReferences?: boolean },
): Promise<ApplyResult> {
  const { report } = ports;
  const opened = await openState(ports, options);
  const saved = await readState(opened);
  const runs = saved?.state.runs ?? new Map();
  const recorded = saved?.state.runs?.get(run);
  if (saved === undefined || recorded === undefined) throw noSuchRun(run, runs);
  const { model, remove, left } = takeBack(saved.state, run, recorded);
  for (const sentence of left) report.warn(sentence);
  const session = { ...options, undo: { run, remove } };
  const choices = choicesOf(session);
  const engine = openEngine(opened, ports, session, reportEvents(ports));
  const shown = (plan: Plan) => planJson(withoutFile(plan), choices, left);
  if (ports.dryRun) {
    const { plan } = await engine.plan(model);
    await assertReadsKept(ports, plan, options);
    if (!isPending(plan)) report.notice(nothingLeft(run, runs, left));
    return shown(plan);
  }
  const receipt = await applyReviewed(
    ports,
    { engine, backend: opened.backend },
    {
      model,
      choices,
      review: async (plan) => {
        await assertReadsKept(ports, plan, options);
        if (ports.interactive && !ports.yes) report.asks();
        const page = { ...planPage(shown(plan)), title: `Undoing run ${run} will:` };
        report.page(page, { isWarning: deletions(plan) > 0 });
        await confirmPlan(ports, plan, "amp notify undo");
      },
    },
  );
  const isSame = receipt.deleted.length === 0 && receipt.settled.every(({ sent }) => !sent);
  if (isSame) report.notice(nothingLeft(run, runs, left));
  return receiptJson(receipt, left);
}

/** Why nothing is to be done: it was done before, or what the state kept says nothing more. */
function nothingLeft(run: string, runs: RunHistory, left: readonly string[]): string {
  const isUndone = [...runs.values()].some(({ undoes }) => undoes === run);
  if (isUndone) return `Run ${run} is already taken back.`;
  return left.length > 0
    ? `Nothing of run ${run} can be taken back.`
    : `Run ${run} has nothing to take back.`;
}

function noSuchRun(run: string, runs: RunHistory): NotFoundError {
  const near = nearest(run, [...runs.keys()]);
  return new NotFoundError(`The state has no run ${JSON.stringify(run)}`, {
    ...(near === undefined ? {} : { remedy: `Did you mean ${near}?` }),
    done: "Nothing was sent.",
    suggestion: suggest("notify history"),
  });
}
