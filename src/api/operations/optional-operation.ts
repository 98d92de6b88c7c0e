import { type AmpError, AuthError, assertFailure, isKind } from "../../errors.ts";
import type { Endpoint } from "./endpoint.ts";

/**
 * What the refusal of an operation that a service may lack says of the service. `foreign`: nothing,
 * since it is not the service's own. A 404 may also mean that the record in the path does not exist:
 * for a single record it does, and for a list the project is looked up.
 * @param isOwn whether the refusal is the service's own
 */
export async function meaningOfRefusal(
  { method, path }: Pick<Endpoint, "method" | "path">,
  { status, isOwn }: { readonly status: number; readonly isOwn: boolean },
  projectExists: () => Promise<boolean>,
): Promise<"missing" | "foreign" | "other"> {
  const names = path.match(/\{\w+\}/gu) ?? [];
  const isList = method === "GET" && names.join() === "{projectIdOrName}";
  const isGone = method === "DELETE" && (status === 404 || status === 410);
  const isUnknown = status === 405 || status === 501;
  // What is wrongly taken for missing would be created again, and what is taken for deleted is lost.
  if (!isOwn && (isGone || (isList && (isUnknown || status === 404)))) return "foreign";
  if (isUnknown) return "missing";
  if (status !== 404 || method !== "GET") return "other";
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
