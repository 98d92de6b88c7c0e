import { defineCommand, id, joined, table, time } from "../../../cli/define.ts";
import type { HistoryRow } from "../../../documents/notify.ts";
import { resourceText } from "../../../notify/pages/plan.ts";
import { changeCounts, type RecordedRun } from "../../../notify/state/history.ts";
import { openState, readState } from "../../../notify/state/open-backend.ts";
import { firstNames } from "../../../values/counted.ts";
import { RESULT_FIELDS } from "../../../values/result-fields.ts";
import { suggest } from "../../../values/suggested-command.ts";
import { stateOptions } from "../options.ts";

export default defineCommand({
  description:
    "Lists the last 20 runs of the saved state: time, user, command, and each resource that was created, updated or deleted. Values are not kept. Runs that changed nothing are not listed.",
  options: stateOptions,
  needs: ["project"],
  examples: ["amp notify state history", "amp notify state history --json"],
  fields: RESULT_FIELDS.recordedRun,
  run: async (context): Promise<readonly HistoryRow[]> => {
    const saved = await readState(await openState(context, context.options, "offline"));
    return [...(saved?.state.runs ?? [])].map(rowOf).toReversed();
  },
  view: table<HistoryRow>(
    ["run", "runs"],
    {
      Run: ({ run }) => id(run),
      Time: (row) => time(row.time),
      Changes: (row) => {
        const raw = changesText(row);
        const which = firstNames(row.changes.map(({ address }) => resourceText(address)));
        return { text: [raw, which].filter(Boolean).join(": "), raw: raw ?? "", wraps: true };
      },
      Routing: "routing",
      Who: "who",
      Command: "command",
    },
    {
      id: ({ run }) => run,
      next: suggest("notify undo", [{ placeholder: "run" }]),
      whenEmpty: "The state has no run that changed anything.",
    },
  ),
});

function rowOf([run, { changes, isCut, ...head }]: readonly [string, RecordedRun]): HistoryRow {
  const counts = changeCounts({ changes });
  const shown = changes.map(({ was: _, ...change }) => change);
  return { run, ...head, counts, changes: shown, complete: isCut !== true };
}

function changesText({ counts, complete, undoes }: HistoryRow): string | undefined {
  const parts = Object.entries(counts).map(([word, count]) => count > 0 && `${count} ${word}`);
  return joined(
    [...parts, !complete && "and more", undoes !== undefined && `undoes ${undoes}`],
    ", ",
  );
}
