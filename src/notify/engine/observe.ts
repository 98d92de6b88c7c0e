import { AmpError } from "../../errors.ts";
import { defined } from "../../values/json.ts";
import { statedProject } from "../../values/odd-fields.ts";
import { routingErrors } from "../errors.ts";
import { recordKey } from "../model/address.ts";
import { type LiveRecord, RESOURCE_ORDER } from "../model/resource.ts";
import { indexLive, type LiveRouting, listRouting, type Observation } from "../plan/live.ts";
import type { ActTime, RoutingState, StateTarget } from "../state/state.ts";
import type { EnginePorts } from "./types.ts";

/**
 * Observes. In: the state, and when amp did what. Out: what the service lists, and whether that may
 * be older than what amp did.
 */
export interface Observer {
  readonly ports: EnginePorts;
  /** Absent: nothing was saved yet. */
  readonly state: RoutingState | undefined;
  readonly horizons: Horizons;
}

/**
 * Lists the routing.
 * @throws {ServiceError} where the service had lists before: a plan without them would be a guess;
 * and where it lists the resources of another project
 */
export async function observe({ ports, state, horizons }: Observer): Promise<Observation> {
  // A resource may be listed while the lists are being read, so the time before them counts.
  const began = ports.elapsed();
  const listed = await listService(ports, state);
  const isYoung: Observation["isYoung"] = (at, { time, serviceTime }) =>
    time !== undefined && began < horizons.of(at, defined({ time, serviceTime }));
  const live = listed && withoutDeleted(listed, state, isYoung);
  return { live, index: live && indexLive(live), isYoung };
}

async function listService(
  ports: EnginePorts,
  state: RoutingState | undefined,
): Promise<LiveRouting | undefined> {
  const live = await listRouting(ports);
  if (live !== undefined && state !== undefined) assertOwnLists(live, state.target, ports);
  if (live !== undefined || state?.lists !== true) return live;
  throw routingErrors.lists_gone();
}

/** Observes where that only tells more: undefined where it fails. */
export function observeIfPossible(observer: Observer): Promise<Observation | undefined> {
  return observe(observer).catch((error: unknown) => {
    if (!(error instanceof AmpError)) throw error;
    return undefined;
  });
}

/** The lists without what amp deleted less than a horizon ago, and they may still show. */
function withoutDeleted(
  live: LiveRouting,
  state: RoutingState | undefined,
  isYoung: Observation["isYoung"],
): LiveRouting {
  const gone = new Set(
    [...(state?.marks ?? [])].flatMap(([key, mark]) =>
      mark.was === "deleted" && isYoung(key, mark) ? key : [],
    ),
  );
  // guard: the tombstones
  if (gone.size === 0) return live;
  const kinds = RESOURCE_ORDER.map((kind) => [
    kind,
    live[kind].filter(({ id }) => !gone.has(recordKey(kind, id))),
  ]);
  return Object.fromEntries(kinds) as LiveRouting;
}

/** @throws {ServiceError} unless the listed records are of the state's project, or do not say */
function assertOwnLists(
  live: LiveRouting,
  target: StateTarget,
  { project }: Pick<EnginePorts, "project">,
): void {
  const other = otherProject(Object.values(live).flat(), target, project);
  if (other !== undefined)
    throw routingErrors.lists_of_another_project(project, target.project, other);
}

/** The first project that records say they are of, other than that of the state. */
export function otherProject(
  records: readonly LiveRecord[],
  { project: id, name }: StateTarget,
  project: string,
): string | undefined {
  // Without a name, the service did not say which ID the project has.
  if (name === undefined) return undefined;
  return records.map(statedProject).find((one) => ![undefined, id, name, project].includes(one));
}

/** The horizons of a run. */
export type Horizons = ReturnType<typeof createHorizons>;

/**
 * The horizons of a run, which begins now: until when a list may be older than what amp did, one
 * commit horizon after the act. It covers the longest commit and the longest lag of a list together.
 */
export function createHorizons(
  ports: Pick<EnginePorts, "elapsed" | "now" | "serviceTime"> & {
    readonly options: Pick<EnginePorts["options"], "commitHorizonMs">;
  },
) {
  const began = ports.elapsed();
  const known = new Map<string, number>();
  const { commitHorizonMs } = ports.options;
  return {
    /**
     * The horizon of an act, by `elapsed`.
     * @param at what it was on: the name of a place (with ` made` for its create alone), or the kind
     *   and ID of a mark
     */
    of: (at: string, { time, serviceTime }: ActTime): number => {
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
    /** Starts the horizon of an act that this run has just done, or found. */
    start: (at: string): void => {
      // guard: the horizon of an unknown outcome
      known.set(at, ports.elapsed() + commitHorizonMs);
    },
  };
}
