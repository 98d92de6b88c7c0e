import { AmpError, type ExitName, type NotFoundError } from "../errors.ts";
import { once } from "../values/basics.ts";
import { quotedNames } from "../values/counted.ts";
import { defined } from "../values/json.ts";
import { type SuggestedCommand, suggest } from "../values/suggested-command.ts";
import { type ApplyContext, planAndApply } from "./apply.ts";
import { routingErrors } from "./errors.ts";
import { type ApplyResult, applyExit } from "./pages/apply.ts";
import { keptText } from "./pages/plan-details.ts";
import { listRouting } from "./plan/live.ts";
import { needsApply, type Plan } from "./plan/plan.ts";
import { planJson, withoutFile } from "./plan/plan-document.ts";
import { planUndo } from "./plan/plan-undo.ts";
import type { SessionOptions } from "./session.ts";
import type { RunHistory } from "./state/history.ts";
import { openState, readState } from "./state/open-backend.ts";

/**
 * Takes a run back: makes a plan that deletes what it created and nobody else uses, shows it, and
 * applies it as any other plan. Run again after any failure, it continues: what is gone is not
 * planned any more.
 * @param given the ID of the run; absent: the last one that is not an undo
 * @throws {NotFoundError} if the state has no such run
 * @throws {ConflictError} if the run created nothing, or nothing of it can be deleted
 */
export async function undoRun(
  ports: ApplyContext,
  given: string | undefined,
  options: SessionOptions,
): Promise<ApplyResult> {
  const { report } = ports;
  const opened = await openState(ports, options);
  const saved = await readState(opened);
  const runs = saved?.state.runs ?? new Map();
  const run = given ?? lastRun(runs);
  const recorded = run === undefined ? undefined : runs.get(run);
  if (saved === undefined || run === undefined || recorded === undefined) {
    throw runNotFound(given, runs);
  }
  const live = once(() => listRouting(ports));
  const { remove, ...planned } = await planUndo(saved.state, run, recorded, live);
  const left = [...planned.left];
  const name = recorded.routing;
  return planAndApply(
    ports,
    opened,
    { ...options, undo: { run, remove } },
    {
      model: { ...defined({ name }), destinations: new Map(), topics: new Map() },
      warnings: left,
      document: (plan) => planJson(withoutFile(plan), left),
      consent: { command: "amp notify undo" },
      check: (plan) => {
        left.push(...ofOthers(plan));
        for (const sentence of left) report.warn(sentence);
        // Any other page or run says itself what is kept.
        if (ports.dryRun && !needsApply(plan))
          for (const one of plan.kept) report.warn(keptText(one));
        left.push(...plan.kept.map(keptText));
      },
      subject: `Undo of run ${run}`,
      noteNothing: () => report.notice(...nothingLeft(run, runs, left)),
    },
  );
}

/** What an undo leaves to others, each a sentence. */
function ofOthers({ items, others }: Plan): string[] {
  const released = items.flatMap((item) =>
    item.action === "release" ? { address: item.address, owners: item.owners ?? [] } : [],
  );
  return [...released, ...others].map(({ address, owners }) =>
    owners.length > 0
      ? `${address} is kept: ${quotedNames(owners)} declares it.`
      : `${address} is kept: it was imported or adopted since.`,
  );
}

function lastRun(runs: RunHistory): string | undefined {
  return [...runs].findLast(([, { undoes }]) => undoes === undefined)?.[0];
}

/**
 * Why nothing is to be done, and the command that undoes the run before.
 * @throws {ConflictError} where nothing of the run can be deleted
 * @throws {PartialError} where the rest of it stays
 */
function nothingLeft(
  run: string,
  runs: RunHistory,
  left: readonly string[],
): [string, ...SuggestedCommand[]] {
  const undone = new Set([...runs.values()].map(({ undoes }) => undoes));
  if (!undone.has(run)) {
    if (left.length > 0) throw routingErrors.undo_without_deletes(run);
    return [`Run ${run} has nothing to undo.`];
  }
  const ids = [...runs.keys()];
  const before = ids.slice(0, ids.indexOf(run)).findLast((id) => {
    const { undoes, changes = [] } = runs.get(id) ?? {};
    return !undoes && !undone.has(id) && changes.some(({ action }) => action === "created");
  });
  const next = before === undefined ? undefined : suggest("notify undo", [before]);
  if (left.length > 0) throw routingErrors.undo_incomplete(true, next);
  const already = `Run ${run} is already undone.`;
  return next ? [`${already} To undo the run before it:`, next] : [already];
}

/** The end of an undo; one that had to leave something as it is ends with an error. */
export function undoExit(result: ApplyResult): ExitName | AmpError {
  const end = applyExit(result);
  if (result.warnings.length === 0 || end instanceof AmpError) return end;
  return routingErrors.undo_incomplete(!("items" in result));
}

function runNotFound(run: string | undefined, runs: RunHistory): NotFoundError {
  const [oldest] = runs.keys();
  const number = (id = "") => Number(/^r([1-9]\d*)$/u.exec(id)?.[1]);
  // A number is not a misspelling of another run, which an undo would take back.
  if (run === undefined) return routingErrors.undo_without_run(runs.size > 0);
  return oldest !== undefined && number(run) < number(oldest)
    ? routingErrors.undo_of_old_run(run, oldest)
    : routingErrors.undo_of_unknown_run(run, runs.size > 0);
}
