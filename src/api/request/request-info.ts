import type { ErrorFacts, ServiceError, UnknownOutcomeError } from "../../errors.ts";
import { defined } from "../../values/json.ts";
import { apiErrors } from "../errors.ts";
import type { ProxyServer } from "../network/proxy.ts";

/** Where settings are from that an error may be due to: a file, a profile, a variable. */
export interface RequestSources {
  /** The file or profile that a project is from; undefined for one that was typed. */
  project?(project: string): string | undefined;
  /** Where the time limit of a response was set, if it was. */
  readonly timeout?: string | undefined;
  /** Whether this is a CI job, where nobody starts a sandbox in another terminal. */
  readonly isCi?: boolean;
}

/** A credential, and its name in errors: `AMP_API_KEY`, `the API key of profile production`. */
export interface Credential {
  readonly kind: "api-key" | "access-token";
  readonly secret: string;
  readonly name?: string;
}

/** The facts of a request that its messages need. */
export interface RequestInfo {
  readonly method: string;
  /** The path template, not the filled path. */
  readonly path: string;
  /** The middle of a sentence: "create the topic". */
  readonly does: string;
  /** The kind of record that the request creates, for example "topic". */
  readonly creates?: string | undefined;
  /**
   * Whether the request must not be sent again once it may have taken effect, whatever its method.
   */
  readonly notRepeatable?: boolean | undefined;
  /** Absent for an operation of the specification, which every service has. */
  readonly optional?: object | undefined;
  /** True if the response has a requested secret, which is not redacted. */
  readonly reveals?: boolean | undefined;
  /** True if the secrets that texts of the response quote are redacted where they are shown. */
  readonly keepsTexts?: boolean | undefined;
  /**
   * The project of a path that names nothing else: where the service finds nothing, it is missing.
   */
  readonly project?: string | undefined;
  readonly sources?: RequestSources | undefined;
  readonly url: URL;
  /** The credential that is sent along. */
  readonly credential?: Pick<Credential, "kind" | "name"> | undefined;
  /** The client request ID, sent as X-Request-Id, by which the service's logs can be searched. */
  readonly requestId?: string | undefined;
  /** The proxy that the request goes through. */
  readonly proxy?: ProxyServer | undefined;
}

/** Whether sending the request twice may take effect twice. */
export function isUnsafe(info: RequestInfo): boolean {
  return info.notRepeatable === true || !["GET", "HEAD", "DELETE", "OPTIONS"].includes(info.method);
}

/** The sentence for a request that certainly had no effect. */
export function noEffect(info: RequestInfo): { done?: string } {
  if (info.creates) return { done: "Nothing was created." };
  return info.method === "GET" && !info.notRepeatable ? {} : { done: "Nothing was changed." };
}

/** The sentence for a request that may have had an effect. */
export function effectUnknown(info: RequestInfo): { done?: string } {
  if (info.creates)
    return { done: `The ${info.creates} may exist. The request was not sent again.` };
  if (info.method === "DELETE") {
    return { done: "It may have been deleted; deleting it again is safe." };
  }
  return isUnsafe(info)
    ? { done: "The request may have taken effect. It was not sent again." }
    : {};
}

/** The error for a request that was sent, and got no answer that can be read. */
export function noAnswer(
  info: RequestInfo,
  reason: string,
  facts: ErrorFacts,
  cause?: unknown,
): UnknownOutcomeError | ServiceError {
  if (isUnsafe(info)) return unknownOutcome(info, reason, facts, cause);
  return apiErrors.answer_unusable(info.does, reason, { ...facts, ...effectUnknown(info) }, cause);
}

/** The error for a request that may have had an effect. */
export function unknownOutcome(
  info: RequestInfo,
  reason: string,
  facts: ErrorFacts,
  cause?: unknown,
): UnknownOutcomeError {
  const what = info.creates ? `the ${info.creates} was created` : "the request took effect";
  return apiErrors.outcome_unknown(what, reason, { ...facts, ...effectUnknown(info) }, cause);
}

/** The successes that do not say that a write was done: what was only accepted may be done later, or never. */
export const NOT_DONE: ReadonlyMap<number, string> = new Map([
  [202, "the service only accepted it (202)"],
  [207, "the service reports several results (207)"],
]);

/**
 * Checks that a delete or update with a success as its answer was done. A create shows by its ID that
 * it was done.
 * @throws {UnknownOutcomeError}
 */
export function assertDone(info: RequestInfo, status: number, requestId: string | undefined): void {
  const doubt = NOT_DONE.get(status);
  if (!["DELETE", "PATCH"].includes(info.method) || doubt === undefined) return;
  throw unknownOutcome(info, doubt, defined({ status, requestId }));
}
