/** Calls of the file system that a trip can be laid at. */
export const CALLS = [
  "open",
  "write",
  "sync",
  "truncate",
  "chmod",
  "close",
  "rename",
  "link",
  "unlink",
  "mkdir",
  "writeFile",
  "copyFile",
] as const;
/** One of {@link CALLS}. */
export type FileCall = (typeof CALLS)[number];

/**
 * Something that happens to a process at one of its calls of the file system. It travels in the
 * environment, so it is plain data.
 */
export interface Trip {
  readonly call: FileCall;
  /** A regular expression for the path; that of the new name for `rename`, `link`, `copyFile`. */
  readonly path: string;
  /** The first such call that trips, from 1. */
  readonly nth: number;
  /** `half`: of a write, after half of its bytes. */
  readonly when: "before" | "half" | "after";
  /**
   * A signal that the process sends to itself, or what befalls this call and all such calls after
   * it: the code of an error, or a time by which they are late.
   */
  readonly act:
    | { readonly signal: "SIGKILL" | "SIGINT" | "SIGTERM" }
    | { readonly code: string }
    | { readonly lateMs: number };
}

/** The variable that a trip travels in. */
export const TRIP_VARIABLE = "FAULT_TRIP";
/** The variable that names the file with the jump of the clock; see `shift-clock.ts`. */
export const CLOCK_VARIABLE = "FAULT_CLOCK";
/** The variable that names a file to write every call to, a line each. */
export const TRACE_VARIABLE = "FAULT_TRACE";
