import { ConflictError } from "../../errors.ts";
import type { RoutingState, StateTarget } from "./state.ts";
import { checkTarget } from "./target.ts";

/** What a push is checked against. */
export interface PushOptions {
  readonly target: StateTarget;
  /** Also an older state, or one that began elsewhere; never one of another target. */
  readonly force: boolean;
}

/**
 * The state that a push saves in place of the one that is there.
 * @returns with a serial above that one, whatever its own was
 * @throws {ConflictError} where it would replace what is newer, or something else
 */
export function pushedState(
  saved: RoutingState | undefined,
  pushed: RoutingState,
  { target, force }: PushOptions,
): RoutingState {
  checkTarget(pushed, target);
  if (saved === undefined) return pushed;
  const reason = force ? undefined : objection(saved, pushed);
  if (reason === undefined) {
    return { ...pushed, serial: Math.max(pushed.serial, saved.serial + 1) };
  }
  throw new ConflictError(reason, {
    remedy: "Compare the two; --force replaces it all the same.",
    suggestion: "amp notify state pull",
    data: {
      saved: { lineage: saved.lineage, serial: saved.serial },
      pushed: { lineage: pushed.lineage, serial: pushed.serial },
    },
  });
}

function objection(saved: RoutingState, pushed: RoutingState): string | undefined {
  if (saved.lineage !== pushed.lineage) {
    return "The saved state began elsewhere than the one that is pushed";
  }
  if (pushed.serial > saved.serial) return undefined;
  return `The saved state is as new as the one that is pushed, or newer (${saved.serial}, ${pushed.serial})`;
}
