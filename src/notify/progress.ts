import type { CommandContext } from "../context/command-context.ts";
import { suggest } from "../values/suggested-command.ts";
import type { ProgressEntry } from "../view/view.ts";
import type { EngineEvent, ResourceOutcome } from "./engine/types.ts";
import { addressParts } from "./model/address.ts";
import { RESOURCES } from "./model/resource.ts";

/** The part of a command's context that shows the progress of a run. */
type ProgressContext = Pick<CommandContext, "now" | "report">;

const PROGRESS_STATES = {
  created: "done",
  adopted: "unchanged",
  reconciled: "done",
  imported: "unchanged",
  "in-place": "unchanged",
  refused: "failed",
  absent: "unchanged",
  ambiguous: "failed",
  unknown: "unknown",
  "id-unknown": "unknown",
} as const satisfies Record<ResourceOutcome["outcome"], ProgressEntry["state"]>;

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
  const tell: {
    [Type in EngineEvent["type"]]: (event: Extract<EngineEvent, { type: Type }>) => void;
  } = {
    planned: () => {},
    intent: ({ address, key }) => machine({ amp: "intent", address, key }),
    waiting: ({ address, ms, why }) =>
      report.notice(`  ${address}: ${why}; looking again in ${Math.ceil(ms / 1000)} s`),
    settled: ({ settled }) => {
      const { address, kind, outcome, id, requestId } = settled;
      if (outcome !== "in-place") report.progress(progressOf(settled, oneTopic));
      if (settled.sent) machine({ amp: "result", address, kind, outcome, id, requestId });
    },
    rescued: ({ address, id, where }) => {
      report.warn(
        where === undefined
          ? "The result could not be saved. Keep this command:"
          : `The result could not be saved in its place; it is in ${where}`,
        ...(where === undefined ? [suggest("notify import", [address, id])] : []),
      );
      machine({ amp: "rescued", address, id, where });
    },
    deleted: ({ address, id }) => {
      report.notice(`  - ${address}  ${id}  deleted`);
      machine({ amp: "deleted", address, id });
    },
  };
  return (event) => (tell[event.type] as (event: EngineEvent) => void)(event);
}

function progressOf({ address, outcome, id }: ResourceOutcome, oneTopic: boolean): ProgressEntry {
  const { kind, names } = addressParts(address);
  const { key, words: kindWords } = RESOURCES[kind];
  const own = names.filter((_, at) => key[at]?.references === undefined);
  // A notification travels from an event to a topic, and from a topic to a destination.
  const inFlow = [...own, ...names.filter((_, at) => key[at]?.references !== undefined)];
  const words = outcome === "id-unknown" ? "created, ID unknown" : outcome;
  const note = outcome === "created" ? undefined : words;
  return {
    state: PROGRESS_STATES[outcome],
    // The column is narrow, and the name distinguishes event routes from destination routes.
    kind: kindWords[0].split(" ").at(-1) ?? kindWords[0],
    name: (oneTopic && own.length > 0 ? own : inFlow).join(" → "),
    ...(id === undefined ? {} : { id }),
    ...(note === undefined ? {} : { note }),
  };
}
