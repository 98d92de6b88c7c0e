import { AmpError, UsageError } from "../../errors.ts";
import { fsReason } from "../../fs-reason.ts";

/**
 * What a failure with the state's file is to be thrown as: what the file system says against it is
 * the user's to mend, and no defect of amp.
 * @param does for example `save`
 */
export function diskError(does: string, path: string, error: unknown): AmpError {
  if (error instanceof AmpError) return error;
  return new UsageError(`Cannot ${does} ${path}: ${fsReason(error)}`, {}, { cause: error });
}
