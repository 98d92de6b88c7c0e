import { ConflictError, InterruptedError, NotFoundError, TerminatedError } from "../../errors.ts";
import { quote } from "../../values/shell.ts";

/** What a save is about: a place that is short of room keeps a reserve for results. */
export type SavePhase = "intent" | "result";

/** Who holds a lock, for those who wait. */
export interface LockRequest {
  /** For example `amp notify apply -f routing.yaml`. */
  readonly command: string;
  /** How long to wait for another holder, in milliseconds; 0 for not at all. */
  readonly wait: number;
  readonly signal: AbortSignal;
}

/** A state's place while its lock is held. */
export interface LockedState {
  /** The saved text; undefined where nothing was saved yet. */
  read(): Promise<string | undefined>;
  /**
   * Replaces the saved text, whole or not at all. The one before stays as a backup where the place
   * allows it.
   * @throws the place's own error; nothing was saved then
   */
  write(text: string, phase: SavePhase): Promise<void>;
  /** @throws {ConflictError} where the lock is no longer held; asked before each create */
  check(): Promise<void>;
}

/** A place that keeps a state: a file, a Terraform HTTP state server, an S3 bucket. */
export interface StateBackend {
  /** For messages: a path or URL, without secrets. */
  readonly place: string;
  /** True for a disk that may vanish with the machine. */
  readonly local: boolean;
  /** Without the lock, for those who only look. */
  read(): Promise<string | undefined>;
  /**
   * Works while holding the lock, which is given up afterwards whatever happens.
   * @throws {ConflictError} where somebody else holds it, with `data.holder` and the lock's id
   */
  withLock<Result>(
    request: LockRequest,
    work: (held: LockedState) => Promise<Result>,
  ): Promise<Result>;
  /**
   * Removes the lock of somebody who cannot any more.
   * @throws {ConflictError} where the lock has another id
   * @throws {NotFoundError} where there is no lock
   */
  unlock(id: string): Promise<void>;
}

/** Who has a lock, as far as its place tells; `data.holder` of the error that says so. */
export interface LockHolder {
  /** Of the lock, not of the run: what `amp notify unlock` takes. */
  readonly id?: string;
  readonly command?: string;
  /** A process, machine or user. */
  readonly who?: string;
  /** As the place writes times. */
  readonly since?: string;
}

/** The error for a state that another run has locked. */
export function lockedError(place: string, holder: LockHolder = {}): ConflictError {
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
export function differentLockError(place: string, id: string, holder: LockHolder): ConflictError {
  const { facts } = lockedError(place, holder);
  return new ConflictError(`${place} is locked, but its lock is not ${id}`, facts);
}

/** The error for an unlock where there is nothing to unlock. */
export function notLockedError(place: string): NotFoundError {
  return new NotFoundError(`${place} is not locked`);
}

/** The error for a wait that a signal ended, after the signal's name. */
export function interruptedWaitError(
  place: string,
  reason: unknown,
): InterruptedError | TerminatedError {
  const facts = { done: "Nothing was sent." };
  return reason === "SIGTERM" || reason === "SIGHUP"
    ? new TerminatedError(`Terminated while waiting for the lock of ${place}`, facts)
    : new InterruptedError(`Interrupted while waiting for the lock of ${place}`, facts);
}

/**
 * What is to be said loudly before anything is created: that a lost disk would lose what nobody
 * else knows. Undefined where all is well.
 * @param lists whether the service lists what exists, so that a lost state can be rebuilt
 */
export function stateWarning({
  backend,
  lists,
  ci,
}: {
  readonly backend: Pick<StateBackend, "local" | "place">;
  readonly lists: boolean;
  readonly ci: boolean;
}): string | undefined {
  if (!ci || !backend.local || lists) return undefined;
  return [
    "The state is on this machine alone, and the service lists nothing. If this disk",
    "goes with the CI job, nobody knows what was created, and the next run creates it",
    "again. Keep the state on a server: --state gitlab, https://… or s3://….",
    `It is in ${backend.place}`,
  ].join("\n");
}
