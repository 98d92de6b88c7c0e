import { AmpError, ConflictError, type ExitName, NotFoundError, PartialError } from "../errors.ts";
import { suggest } from "../values/suggested-command.ts";
import { type ApplyContext, planAndApply } from "./apply.ts";
import { addressParts } from "./model/address.ts";
import { type ApplyResult, applyExit } from "./pages/apply.ts";
import { keptText } from "./pages/plan-details.ts";
import { listRouting } from "./plan/live.ts";
import { planJson, withoutFile } from "./plan/plan-document.ts";
import { assertNotBuiltOn, planUndo } from "./plan/plan-undo.ts";
import type { SessionOptions } from "./session.ts";
import type { RunHistory } from "./state/history.ts";
import { openState, readState } from "./state/open-backend.ts";

/**
 * Takes a run back: makes a plan that deletes what it created, restores what it updated and creates
 * what it deleted, shows it, and applies it as any other plan. Run again after any failure, it goes
 * on: what is back already is in place.
 * @throws {NotFoundError} if the state has no such run
 * @throws {ConflictError} if a later run changed the same, or builds on it
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
  const { model, remove, lost, ...found } = planUndo(saved.state, run, recorded);
  const left = [...found.left];
  const live = lost.length === 0 ? undefined : await listRouting(ports);
  for (const { address, id } of lost) {
    const isGone = live?.[addressParts(address).kind].every((record) => record.id !== id);
    if (!isGone) left.push(`${address} (${id}) is kept: it is no longer in the state.`);
  }
  const session = { ...options, undo: { run, remove } };
  return planAndApply(ports, opened, session, {
    model,
    warnings: left,
    document: (plan) => planJson(withoutFile(plan), left),
    consent: { command: "amp notify undo" },
    check: ({ kept }) => {
      assertNotBuiltOn(runs, run, new Set(kept.flatMap(({ routes }) => routes)));
      left.push(...kept.map(keptText));
      for (const sentence of left) report.warn(sentence);
    },
    title: `Undoing run ${run} will:`,
    noteNothing: () => report.notice(nothingLeft(run, runs, left)),
  });
}

/**
 * Why nothing is to be done: it was done before, or what the state kept says nothing more.
 * @throws {ConflictError} where the run changed something, and nothing of it can be undone
 * @throws {PartialError} where the rest of it cannot be undone
 */
function nothingLeft(run: string, runs: RunHistory, left: readonly string[]): string {
  const isUndone = [...runs.values()].some(({ undoes }) => undoes === run);
  if (left.length === 0) {
    return isUndone ? `Run ${run} is already undone.` : `Run ${run} has nothing to undo.`;
  }
  if (isUndone) throw undoneInPart();
  throw new ConflictError(`No change of run ${run} can be undone`, {
    remedy: BY_HAND,
    done: "Nothing was changed.",
  });
}

const BY_HAND = "Create what is missing and delete what is kept, with a routing file or yourself.";

function undoneInPart(): PartialError {
  return new PartialError("The run was undone only in part", {
    remedy: BY_HAND,
    done: "Everything that can be undone is undone.",
  });
}

/** The end of an undo; one that had to leave something as it is ends with an error. */
export function undoExit(result: ApplyResult): ExitName | AmpError {
  const end = applyExit(result);
  if (result.warnings.length === 0 || end instanceof AmpError) return end;
  if (!("items" in result)) return undoneInPart();
  return new PartialError("The run can be undone only in part", {
    remedy: BY_HAND,
    done: "Nothing was sent.",
  });
}

function noSuchRun(run: string, runs: RunHistory): NotFoundError {
  const [oldest] = runs.keys();
  const number = (id = "") => Number(/^r([1-9]\d*)$/u.exec(id)?.[1]);
  // A number is no misspelling of another run, which an undo would take back.
  const message =
    number(run) < number(oldest)
      ? `Run ${run} is no longer kept: the oldest is ${oldest}`
      : `The state has no run ${JSON.stringify(run)}`;
  return new NotFoundError(message, {
    done: "Nothing was sent.",
    suggestion: suggest("notify state history"),
  });
}
