import type { ActTime } from "../state/state.ts";
import type { EnginePorts } from "./types.ts";

/**
 * Until when a list may be older than what amp did: one commit horizon after the act. It covers the
 * longest commit and the longest lag of a list together.
 */
export interface Horizons {
  /**
   * The horizon of an act, by `elapsed`.
   * @param at what it was on: the name of a place (with ` made` for its create alone), or the kind
   *   and ID of a mark
   */
  of(at: string, moment: ActTime): number;
  /** Starts the horizon of an act that this run has just done, or found. */
  start(at: string): void;
}

/** The horizons of a run, which begins now. */
export function createHorizons(
  ports: Pick<EnginePorts, "elapsed" | "now" | "serviceTime"> & {
    readonly options: Pick<EnginePorts["options"], "commitHorizonMs">;
  },
): Horizons {
  const began = ports.elapsed();
  const known = new Map<string, number>();
  const { commitHorizonMs } = ports.options;
  return {
    of: (at, { time, serviceTime }) => {
      const own = known.get(at);
      if (own !== undefined) return own;
      const now = ports.serviceTime();
      // What an earlier run did is as old as the clock of the service and that of this machine both
      // say, and otherwise as old as this run: either may have jumped, and that of another machine,
      // or of another server, may differ.
      const age =
        serviceTime && now
          ? Math.min(
              now.earliest - Date.parse(serviceTime),
              ports.now().getTime() - Date.parse(time),
            )
          : 0;
      const since = Math.min(began, ports.elapsed() - age);
      // guard: the horizon of a write
      const horizon = since + commitHorizonMs;
      if (now !== undefined) known.set(at, horizon);
      return horizon;
    },
    start: (at) => {
      // guard: the horizon of an unknown outcome
      known.set(at, ports.elapsed() + commitHorizonMs);
    },
  };
}
