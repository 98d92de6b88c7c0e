import { ConflictError } from "../../errors.ts";
import type { RoutingState, StateTarget } from "./state.ts";

/** The target that a base URL and a project make. */
export function stateTarget(baseUrl: string, project: string): StateTarget {
  const { origin, pathname } = new URL(baseUrl);
  return { origin, basePath: pathname.replace(/\/+$/u, ""), project };
}

/** In words: `project acme of https://api.example.com/v1`. */
export function targetInWords({ origin, basePath, project }: StateTarget): string {
  return `project ${project} of ${origin}${basePath}`;
}

/** What is known of a target before anything is: nothing. Its first save has serial 1. */
export function newState(target: StateTarget, lineage: string, salt: string): RoutingState {
  return { lineage, serial: 0, target, salt, records: new Map(), pending: new Map() };
}

/**
 * Refuses a state that belongs elsewhere: production's on staging would make everything anew.
 * @throws {ConflictError} naming both
 */
export function checkTarget({ target: own }: RoutingState, target: StateTarget): void {
  const same =
    own.origin === target.origin &&
    own.basePath === target.basePath &&
    own.project === target.project;
  if (same) return;
  throw new ConflictError(`The state belongs to ${targetInWords(own)}`, {
    detail: `This run acts on ${targetInWords(target)}.`,
    remedy: "Name another state with --state, or the profile and project that it belongs to.",
    done: "Nothing was sent.",
    data: { state: own, target },
  });
}
