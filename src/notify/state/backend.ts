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
export interface HeldPlace {
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
    work: (held: HeldPlace) => Promise<Result>,
  ): Promise<Result>;
  /**
   * Removes the lock of somebody who cannot any more.
   * @throws {ConflictError} where the lock has another id
   * @throws {NotFoundError} where there is no lock
   */
  unlock(id: string): Promise<void>;
}
