import { isCut } from "../../api/network-failure.ts";
import {
  AmpError,
  InterruptedError,
  PartialError,
  ServiceError,
  TerminatedError,
} from "../../errors.ts";
import type { Created } from "../create.ts";

/** What one create came to, as far as its answer tells. */
export type Answered =
  | { readonly kind: "created"; readonly id: string; readonly requestId?: string }
  /** It is certain that nothing came about. */
  | { readonly kind: "refused"; readonly error: AmpError }
  /** The same, and sending it once more may help. */
  | { readonly kind: "unsent"; readonly error: AmpError }
  /** `answered`: the service has said something, or hung up; it is not still at work unheard. */
  | { readonly kind: "unknown"; readonly error: AmpError; readonly answered: boolean };

/**
 * Sorts the end of a create.
 * @throws whatever is no error of amp's own: a defect, of which nobody knows what it means
 */
export async function answered(
  send: (onRequestId: (requestId: string) => void) => Promise<Created>,
): Promise<Answered> {
  let requestId: string | undefined;
  try {
    const { id } = await send((told) => {
      requestId = told;
    });
    return { kind: "created", id, ...(requestId ? { requestId } : {}) };
  } catch (error) {
    if (!(error instanceof AmpError)) throw error;
    return ofError(error);
  }
}

function ofError(error: AmpError): Answered {
  // An answer that is odd but holds an id tells what matters.
  const id = idIn(error);
  const { requestId } = error.facts;
  if (id !== undefined) return { kind: "created", id, ...(requestId ? { requestId } : {}) };
  if (isUnknown(error)) return { kind: "unknown", error, answered: wasAnswered(error) };
  return { kind: mayHelp(error) ? "unsent" : "refused", error };
}

function idIn({ facts }: AmpError): string | undefined {
  const created = facts.data?.created as { readonly id?: unknown } | undefined;
  return typeof created?.id === "string" ? created.id : undefined;
}

/** A create that a signal broke off may have arrived. */
function isUnknown(error: AmpError): boolean {
  return (
    error instanceof PartialError ||
    error instanceof InterruptedError ||
    error instanceof TerminatedError
  );
}

/** Time-outs, this machine's and a gateway's, after which the service may go on. */
const TIMEOUTS = [408, 504];

function wasAnswered({ facts: { status }, cause }: AmpError): boolean {
  return status === undefined ? isCut(cause) : !TIMEOUTS.includes(status);
}

function mayHelp(error: AmpError): boolean {
  const { status, retryable } = error.facts;
  if (!(error instanceof ServiceError)) return false;
  return status === undefined ? retryable === true : retryable !== false;
}
