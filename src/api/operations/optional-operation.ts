import { type AmpError, AuthError, assertFailure, isKind } from "../../errors.ts";
import type { Endpoint } from "./endpoint.ts";

/**
 * Whether a status means that the service lacks an operation. A 404 may also mean that the record
 * in the path does not exist: for a single record it does, and for a list the project is looked up.
 */
export async function isOperationMissing(
  { method, path }: Pick<Endpoint, "method" | "path">,
  status: number,
  projectExists: () => Promise<boolean>,
): Promise<boolean> {
  if (status === 405 || status === 501) return true;
  if (status !== 404 || method !== "GET") return false;
  const names = path.match(/\{\w+\}/gu) ?? [];
  if (names.length === 0) return true;
  return names.join() === "{projectIdOrName}" && (await projectExists());
}

/** Whether a service lacks an operation, or forbids it to this credential (403). */
export function isUnavailable(error: unknown): error is AmpError {
  const isForbidden = error instanceof AuthError && error.facts.status === 403;
  return isForbidden || isKind(error, "operation_missing");
}

/** The result of a call that only helps; undefined where it fails, unless by an interrupt. */
export async function ifAvailable<Result>(call: Promise<Result>): Promise<Result | undefined> {
  try {
    return await call;
  } catch (error) {
    assertFailure(error);
    return undefined;
  }
}
