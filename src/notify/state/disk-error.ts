import { AmpError, UsageError } from "../../errors.ts";

/**
 * What a failure with the state's file is to be thrown as: what the file system says against it is
 * the user's to mend, and no defect of amp.
 * @param does for example `save`
 */
export function diskError(does: string, path: string, error: unknown): AmpError {
  if (error instanceof AmpError) return error;
  const { message } = error as Error;
  // Node writes "ENOSPC: no space left on device, write".
  const reason = /^[A-Z\d]+: ([^,]+), /u.exec(message)?.[1] ?? message;
  return new UsageError(`Cannot ${does} ${path}: ${reason}`, {}, { cause: error });
}
