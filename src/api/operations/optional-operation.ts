import { type AmpError, AuthError, assertFailure, isKind } from "../../errors.ts";
import type { Endpoint } from "./endpoint.ts";

/**
 * What the refusal of an operation that a service may lack says of the service. A 404 may also mean
 * that the record in the path does not exist: for a single record it does, and for a list the project
 * is looked up. `foreign`: nothing. What is wrongly taken for missing would be created again, and what
 * is wrongly taken for deleted would be lost.
 * @param isForeign whether it is not the service's own, but the web page of a gateway or wrong base URL
 */
export async function meaningOfRefusal(
  { method, path }: Pick<Endpoint, "method" | "path">,
  { status, isForeign }: { readonly status: number; readonly isForeign: boolean },
  projectExists: () => Promise<boolean>,
): Promise<"missing" | "foreign" | "other"> {
  const isRead = method === "GET";
  const names = path.match(/\{\w+\}/gu) ?? [];
  const isList = isRead && names.join() === "{projectIdOrName}";
  const isUnknown = status === 405 || status === 501;
  const isGone = status === 404 || (status === 410 && method === "DELETE");
  if (isForeign && ((isList && (isGone || isUnknown)) || (method === "DELETE" && isGone)))
    return "foreign";
  if (isUnknown) return "missing";
  if (!isGone || !isRead) return "other";
  return names.length === 0 || (isList && (await projectExists())) ? "missing" : "other";
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
