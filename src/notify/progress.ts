import type { CommandContext } from "../context/command-context.ts";
import type { Difference, OutcomeDocument } from "../documents/routing.ts";
import { defined } from "../values/json.ts";
import { suggest } from "../values/suggested-command.ts";
import type { ProgressEntry } from "../view/view.ts";
import { othersText, outcomeText } from "./engine/receipt.ts";
import type { EngineEvent } from "./engine/types.ts";
import { resourceName } from "./pages/plan.ts";
import { shownDifference } from "./plan/compare.ts";
import type { OutcomeWord } from "./plan/vocabulary.ts";

type ProgressContext = Pick<CommandContext, "now" | "report">;

const PROGRESS_STATES = {
  created: "done",
  updated: "done",
  deleted: "done",
  adopted: "unchanged",
  in_place: "unchanged",
  not_created: "unchanged",
  failed: "failed",
  unknown: "unknown",
} as const satisfies Record<OutcomeWord, ProgressEntry["state"]>;

/**
 * Shows the events of an engine as they happen.
 * @param options.oneTopic the run concerns one topic, whose name the lines then leave out
 */
export function reportEvents(
  { report, now }: ProgressContext,
  { oneTopic = false } = {},
): (event: EngineEvent) => void {
  const machine = (fields: Readonly<Record<string, unknown>>) =>
    report.event({ ...fields, time: now().toISOString() });
  const result = ({ ms: _, sent: __, ...done }: OutcomeDocument) =>
    machine({ amp: "result", ...done });
  let hasAdvice = false;
  const tell: {
    [Type in EngineEvent["type"]]: (event: Extract<EngineEvent, { type: Type }>) => void;
  } = {
    planned: () => {},
    intent: ({ address, key }) => machine({ amp: "intent", address, key }),
    waiting: ({ address, ms, why, horizon }) => {
      machine({ amp: "waiting", address, ms: Math.ceil(ms), why });
      const most = horizon ? "looking again for up to" : "trying again in";
      report.notice(`  ${address}: ${why}; ${most} ${Math.ceil(ms / 1000)} s`);
      if (horizon && !hasAdvice) report.notice(`  ${ADVICE}`);
      hasAdvice ||= horizon === true;
    },
    settled: ({ settled }) => {
      if (settled.outcome !== "in_place") report.progress(progressOf(settled, oneTopic));
      if (settled.sent) result(settled);
      if (settled.others) report.warn(...othersText(settled, settled.others));
      if (settled.differences) report.warn(differsText(settled, settled.differences));
    },
    rescued: ({ address, id, where }) => {
      report.warn(
        where === undefined
          ? "The result could not be saved. Keep this command:"
          : `The result could not be saved in the state; it is saved in ${where}`,
        ...(where === undefined ? [suggest("notify state import", [address, id])] : []),
      );
      machine({ amp: "rescued", address, id, where });
    },
  };
  return (event) => (tell[event.type] as (event: EngineEvent) => void)(event);
}

function differsText(
  { address, id, outcome }: Pick<OutcomeDocument, "address" | "id" | "outcome">,
  differences: readonly Difference[],
): string {
  const how = differences.map(
    // The change is that of the service here.
    ({ field, wanted: found, found: wanted }) =>
      `${field}: ${shownDifference({ field, wanted, found })}`,
  );
  const did = outcome === "in_place" ? "has" : outcome === "updated" ? "updated" : "created";
  const what = `The service ${did} ${address} (${id}) with other values than it was sent:`;
  return [what, ...how].join("\n  ");
}

const ADVICE =
  "It is safe to stop: the next run continues. AMP_COMMIT_HORIZON sets the maximum wait.";

function progressOf(done: OutcomeDocument, oneTopic: boolean): ProgressEntry {
  const { address, outcome, id } = done;
  const words = outcomeText(done);
  const note = words === "created" ? undefined : words;
  return {
    state: PROGRESS_STATES[outcome],
    ...resourceName(address, { oneTopic }),
    ...defined({ id, note }),
  };
}
