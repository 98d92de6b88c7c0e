import { AmpError, InterruptedError, TerminatedError } from "../../errors.ts";
import type { Api } from "./endpoint.ts";
import { listProviderApps } from "./endpoints.ts";

/** Answers to an operation that a service does not have; a 404 may also speak of one thing. */
const ABSENT = new Set([404, 405, 501]);

/** Whether an error may mean that the service does not have the operation. */
export function mayLackOperation(error: unknown): error is AmpError {
  return error instanceof AmpError && ABSENT.has(error.facts.status ?? 0);
}

/**
 * Whether an error means that the service does not have the operation at all, and not that the
 * project is unknown: then an operation that every service has still answers for the project.
 */
export async function lacksOperation(api: Api, error: unknown, project: string): Promise<boolean> {
  if (!mayLackOperation(error)) return false;
  try {
    await api.call(listProviderApps, { path: { projectIdOrName: project } });
    return true;
  } catch (failure) {
    // A signal is no answer, and must not be taken for the 404 that came before it.
    if (failure instanceof InterruptedError || failure instanceof TerminatedError) throw failure;
    return false;
  }
}
