import type { LockOptions } from "../../durable/lock.ts";
import { type AmpError, type ConflictError, signalError } from "../../errors.ts";
import { routingErrors } from "../errors.ts";

/** The kind of a save: a disk that is nearly full keeps room for results. */
export type SavePhase = "intent" | "result";

/** A request for the lock of a state. */
export interface LockRequest
  extends Required<Pick<LockOptions, "command" | "wait" | "signal">>,
    Pick<LockOptions, "job"> {
  /** Told once, when a wait begins, who has the lock. */
  readonly onWait?: ((holder: LockHolder) => void) | undefined;
}

/** How long a run waits for the lock of a state. */
type LockWait = Pick<LockRequest, "wait">;

/** The journal beside a saved text; see `format.ts`. */
export interface StateJournal {
  /** Begins it anew; the saved text must not need the one that was there. */
  begin(header: string): Promise<void>;
  /**
   * Adds a line, and resolves once it is on the disk.
   * @throws the backend's own error; a part of the line may be there, so no other may follow it
   */
  append(line: string, phase: SavePhase): Promise<void>;
}

/** A saved state while its lock is held. */
export interface LockedState {
  /** Absent where the location cannot hold one. */
  readonly journal?: StateJournal;
  /** The saved text, with its journal; undefined if nothing was saved yet. */
  read(): Promise<string | undefined>;
  /**
   * Replaces the saved text, whole or not at all. The previous text stays as a backup where the
   * backend supports it.
   * @throws the backend's own error; nothing was saved then
   */
  write(text: string, phase: SavePhase): Promise<void>;
  /** @throws {ConflictError} if the lock is no longer held; asked before each write */
  check(): Promise<void>;
}

/** A location that keeps a state: a file, a Terraform HTTP state server, an S3 bucket. */
export interface StateBackend {
  /** The location for messages: a path or URL, without secrets. */
  readonly location: string;
  /** Whether the state is on a disk that may vanish with the machine. */
  readonly local: boolean;
  /** Reads without the lock, for commands that change nothing. */
  read(): Promise<string | undefined>;
  /** Where a file is meant: asks the system whether it may be saved. @throws {AmpError} if it may not */
  assertWritable?(): Promise<void>;
  /**
   * Works while holding the lock, which is released afterwards whatever happens.
   * @throws {ConflictError} if another run holds it, with `data.holder` and the lock's ID
   */
  withLock<Result>(
    request: LockRequest,
    work: (locked: LockedState) => Promise<Result>,
  ): Promise<Result>;
  /**
   * Removes the lock of a run that cannot release it any more.
   * @param force removes the lock of a run that provably goes on, too
   * @throws {ConflictError} if the run goes on
   * @throws {ConflictError} if the lock has another ID
   * @throws {NotFoundError} if there is no lock
   */
  unlock(id: string, force: boolean): Promise<void>;
}

/** The holder of a lock, as far as the backend reports it; `data.holder` of the error. */
export interface LockHolder {
  /** The ID of the lock, not of the run: the argument of `amp notify state unlock`. */
  readonly id?: string;
  readonly command?: string;
  /** A process, machine or user. */
  readonly who?: string;
  /** The time as the backend writes it. */
  readonly since?: string;
}

/**
 * The error for a state that another run has locked.
 * @param facts the wait of this run for the lock; `isAlive`: the other run provably goes on
 */
export function lockedError(
  location: string,
  holder: LockHolder,
  { wait, isAlive }: LockWait & { readonly isAlive?: boolean },
): ConflictError {
  const { id } = holder;
  const patience =
    wait === 0
      ? "Set AMP_LOCK_WAIT=5m to wait for it to finish."
      : "Wait for it to finish, and run the command again.";
  const end =
    id === undefined
      ? " The state server does not report the ID of the lock."
      : " If it is no longer running, remove its lock.";
  return isAlive
    ? routingErrors.state_locked(location, describedHolder(holder), patience)
    : routingErrors.state_locked(location, describedHolder(holder), patience + end, id);
}

/** A holder in words, and as `data.holder` of an error. */
export function describedHolder(holder: LockHolder) {
  const { command, who, since } = holder;
  const detail = [command, who, since && `since ${since}`].filter(Boolean).join(", ");
  return { ...(detail === "" ? {} : { detail }), data: { holder } };
}

/** The error for a wait that a signal ended. */
export function interruptedWaitError(location: string, reason: unknown): AmpError {
  const during = ` while waiting for the lock of ${location}`;
  return signalError(reason, { done: "Nothing was sent." }, during);
}

/**
 * The warning before anything is sent with a state that may be lost; undefined if all is well.
 * @param facts `hasLists`: whether the service lists what exists, so that a lost state can be
 * rebuilt
 */
export function stateWarning(
  backend: Pick<StateBackend, "local">,
  { hasLists, ci }: { readonly hasLists: boolean; readonly ci: boolean },
): string | undefined {
  if (!ci || !backend.local || hasLists) return undefined;
  return [
    "The state is stored only on this machine, and the service cannot list resources.",
    "If the disk is discarded with the CI job, the next run creates everything again.",
    "Store the state on a server: --state gitlab, https://… or s3://….",
  ].join("\n");
}
