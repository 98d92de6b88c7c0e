import type { EngineEvent, ResourceOutcome } from "./engine/types.ts";

/** Where events are told. */
export interface ObserverPorts {
  readonly report: {
    notice(text: string): void;
    warn(text: string): void;
    progress(step: SettledStep): void;
    ciEvent(fields: Readonly<Record<string, unknown>>): void;
  };
  /** In CI each intent and result is also a line for programs: the log outlives the runner. */
  readonly ci: boolean;
  /** Of one topic alone the name goes without saying. */
  readonly oneTopic?: boolean;
  now(): Date;
}

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
} as const satisfies Record<ResourceOutcome["outcome"], SettledStep["state"]>;

/** Tells what an engine does, as it does it. */
export function reportEvents(ports: ObserverPorts): (event: EngineEvent) => void {
  const { report, ci, now, oneTopic = false } = ports;
  const machine = (fields: Readonly<Record<string, unknown>>) => {
    if (ci) report.ciEvent({ ...fields, time: now().toISOString() });
  };
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
          ? `The result could not be saved. Keep this line:  amp notify import ${address} ${id}`
          : `The result could not be saved in its place; it is in ${where}`,
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

function progressOf({ address, outcome, id }: ResourceOutcome, oneTopic: boolean): SettledStep {
  const [kind = "", ...names] = address.split("/");
  const isRoute = kind.endsWith("-route");
  const note = outcome === "created" ? undefined : outcome;
  return {
    state: PROGRESS_STATES[outcome],
    kind: isRoute ? "route" : kind,
    name: (oneTopic && kind === "event-route" ? names.slice(-1) : names)
      .map(decodeURIComponent)
      .join(" → "),
    ...(id === undefined ? {} : { id }),
    ...(note === undefined ? {} : { note }),
  };
}

/** A step that has settled, as it is told. */
export interface SettledStep {
  readonly state: "done" | "unchanged" | "failed" | "unknown";
  readonly kind: string;
  readonly name: string;
  readonly id?: string;
  /** Why, where the state does not say it. */
  readonly note?: string;
}
