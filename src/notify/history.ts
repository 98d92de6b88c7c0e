import { type Cell, id, joined, time } from "../view/view.ts";
import { changeCounts, type RecordedRun, type RunChange } from "./state/history.ts";
import {
  openState,
  readState,
  type StateContext,
  type StateOptions,
} from "./state/open-backend.ts";

/** A run as `amp notify history` shows it. */
export interface HistoryRow {
  /** Its ID, for `amp notify undo`. */
  readonly run: string;
  readonly time: string;
  readonly who?: string;
  readonly command?: string;
  readonly routing?: string;
  readonly undoes?: string;
  readonly counts: ReturnType<typeof changeCounts>;
  readonly changes: readonly RunChange[];
  /** Whether all of its changes are kept; otherwise it cannot be undone. */
  readonly complete: boolean;
}

/** The runs of the saved state that changed something at the service, the latest first. */
export async function historyOf(
  context: StateContext,
  options: StateOptions,
): Promise<readonly HistoryRow[]> {
  const opened = await openState(context, options, "offline");
  const saved = await readState(opened);
  return [...(saved?.state.runs ?? [])].map(rowOf).toReversed();
}

function rowOf([run, { changes, isCut, ...head }]: readonly [string, RecordedRun]): HistoryRow {
  const counts = changeCounts({ changes });
  return { run, ...head, counts, changes, complete: isCut !== true };
}

/** The columns of the history. */
export const HISTORY_COLUMNS: Readonly<Record<string, (row: HistoryRow) => Cell>> = {
  Run: ({ run }) => id(run),
  Time: (row) => time(row.time),
  Changes: changesText,
  Routing: ({ routing }) => routing,
  Who: ({ who }) => who,
  Command: ({ command }) => command,
};

function changesText({ counts, complete, undoes }: HistoryRow): string | undefined {
  const parts = Object.entries(counts).map(([word, count]) => count > 0 && `${count} ${word}`);
  return joined(
    [...parts, !complete && "and more", undoes !== undefined && `undoes ${undoes}`],
    ", ",
  );
}
