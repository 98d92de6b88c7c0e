import { ConflictError, InterruptedError, NotFoundError, TerminatedError } from "../../errors.ts";
import { quote } from "../../shell-words.ts";

/** Who has a lock, as far as its place tells; `data.holder` of the error that says so. */
export interface Holder {
  /** Of the lock, not of the run: what `amp notify unlock` takes. */
  readonly id?: string;
  readonly command?: string;
  /** A process, machine or user. */
  readonly who?: string;
  /** As the place writes times. */
  readonly since?: string;
}

/** The error for a state that another run has locked. */
export function lockedError(place: string, holder: Holder = {}): ConflictError {
  const { id, command, who, since } = holder;
  const detail = [command, who, since && `since ${since}`].filter(Boolean).join(", ");
  return new ConflictError(`${place} is locked by another run`, {
    ...(detail === "" ? {} : { detail }),
    ...(id === undefined
      ? { remedy: "Wait for it to end. Which lock it is, the place does not tell." }
      : {
          remedy: "Wait for it to end. If it runs no more, take its lock away.",
          suggestion: `amp notify unlock ${quote(id)}`,
        }),
    data: { holder },
  });
}

/** The error for a lock that is not there any more. */
export function lostLockError(place: string): ConflictError {
  return new ConflictError(`The lock of ${place} was taken away while it was held`, {
    remedy: "Another run may be at work: see what it did before you start again.",
  });
}

/** The error for an unlock that names another lock than the one that is there. */
export function otherLockError(place: string, id: string, holder: Holder): ConflictError {
  const { facts } = lockedError(place, holder);
  return new ConflictError(`${place} is locked, but its lock is not ${id}`, facts);
}

/** The error for an unlock where there is nothing to unlock. */
export function notLockedError(place: string): NotFoundError {
  return new NotFoundError(`${place} is not locked`);
}

/** The error for a wait that a signal ended, after the signal's name. */
export function brokenWait(place: string, reason: unknown): InterruptedError | TerminatedError {
  const facts = { done: "Nothing was sent." };
  return reason === "SIGTERM" || reason === "SIGHUP"
    ? new TerminatedError(`Terminated while waiting for the lock of ${place}`, facts)
    : new InterruptedError(`Interrupted while waiting for the lock of ${place}`, facts);
}
