import type { EngineEvent, Settled } from "./engine/engine.ts";
import type { SettledStep } from "./settled-step.ts";

/** Where events are told. */
export interface ObserverPorts {
  readonly talk: {
    notice(text: string): void;
    warn(text: string): void;
    step(step: SettledStep): void;
    event(fields: Readonly<Record<string, unknown>>): void;
  };
  /** In CI each intent and result is also a line for programs: the log outlives the runner. */
  readonly ci: boolean;
  /** Of one topic alone the name goes without saying. */
  readonly oneTopic?: boolean;
  now(): Date;
}

const STATES = {
  created: "done",
  adopted: "unchanged",
  reconciled: "done",
  imported: "unchanged",
  "in-place": "unchanged",
  refused: "failed",
  absent: "unchanged",
  ambiguous: "failed",
  unknown: "unknown",
} as const satisfies Record<Settled["outcome"], SettledStep["state"]>;

/** Tells what an engine does, as it does it. */
export function tellEvents(ports: ObserverPorts): (event: EngineEvent) => void {
  const { talk, ci, now, oneTopic = false } = ports;
  const machine = (fields: Readonly<Record<string, unknown>>) => {
    if (ci) talk.event({ ...fields, time: now().toISOString() });
  };
  const tell: {
    [Type in EngineEvent["type"]]: (event: Extract<EngineEvent, { type: Type }>) => void;
  } = {
    planned: () => {},
    intent: ({ address, key }) => machine({ amp: "intent", address, key }),
    waiting: ({ address, ms, why }) =>
      talk.notice(`  ${address}: ${why}; looking again in ${Math.ceil(ms / 1000)} s`),
    settled: ({ settled }) => {
      const { address, kind, outcome, id, requestId } = settled;
      if (outcome !== "in-place") talk.step(stepOf(settled, oneTopic));
      if (settled.sent) machine({ amp: "result", address, kind, outcome, id, requestId });
    },
    rescued: ({ address, id, where }) => {
      talk.warn(
        where === undefined
          ? `The result could not be saved. Keep this line:  amp notify import ${address} ${id}`
          : `The result could not be saved in its place; it is in ${where}`,
      );
      machine({ amp: "rescued", address, id, where });
    },
    deleted: ({ address, id }) => {
      talk.notice(`  - ${address}  ${id}  deleted`);
      machine({ amp: "deleted", address, id });
    },
  };
  return (event) => (tell[event.type] as (event: EngineEvent) => void)(event);
}

function stepOf({ address, outcome, id }: Settled, oneTopic: boolean): SettledStep {
  const [kind = "", ...names] = address.split("/");
  const isRoute = kind.endsWith("-route");
  const note = outcome === "created" ? undefined : outcome;
  return {
    state: STATES[outcome],
    kind: isRoute ? "route" : kind,
    name: (oneTopic && kind === "event-route" ? names.slice(-1) : names)
      .map(decodeURIComponent)
      .join(" → "),
    ...(id === undefined ? {} : { id }),
    ...(note === undefined ? {} : { note }),
  };
}
