import { AmpError, UsageError } from "../errors.ts";
import { fsReason } from "../fs-reason.ts";

/**
 * Runs something with a file of the user's; what the file system says against it is the user's to
 * mend, and no defect of amp.
 * @throws {UsageError} in place of the file system's errors; others pass
 */
export function withFile<Result>(does: string, path: string, run: () => Result): Result {
  try {
    return run();
  } catch (error) {
    throw fileError(does, path, error);
  }
}

/** What a failure with a file of the user's is to be thrown as. */
export function fileError(does: string, path: string, error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (error instanceof AmpError || code === undefined) return error;
  return new UsageError(`Cannot ${does} ${path}: ${fsReason(error)}`, {}, { cause: error });
}
