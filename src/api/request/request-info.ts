import type { ProxyServer } from "../network/proxy.ts";

/** What a message about a request has to know of it. */
export interface RequestInfo {
  readonly method: string;
  /** The template, not the filled path. */
  readonly path: string;
  /** The middle of a sentence: "create the topic". */
  readonly does: string;
  readonly creates?: string | undefined;
  readonly host: string;
  /** The kind of credential that went with it. */
  readonly credential: "api-key" | "access-token" | undefined;
  /** What it is called on its way: sent along, for those who look for it at the service. */
  readonly requestId?: string | undefined;
  /** What it goes through. */
  readonly proxy?: ProxyServer | undefined;
}

/** Sending it twice may do it twice. */
export function isUnsafe(call: RequestInfo): boolean {
  return !["GET", "HEAD", "DELETE", "OPTIONS"].includes(call.method);
}

/** What exists now, where it is certain that the request had no effect. */
export function noEffect(call: RequestInfo): { done?: string } {
  if (call.creates) return { done: "Nothing was created." };
  return call.method === "GET" ? {} : { done: "Nothing was changed." };
}

/** What exists now, where nobody knows. */
export function effectUnknown(call: RequestInfo): { done?: string } {
  if (call.creates) return { done: `The ${call.creates} may exist. It was not sent again.` };
  if (call.method === "DELETE") {
    return { done: "It may have been done all the same; doing it again does no harm." };
  }
  return isUnsafe(call)
    ? { done: "It may have been done all the same. It was not sent again." }
    : {};
}

/** The same as the beginning of a message. */
export function outcomeUnknown(call: RequestInfo): string {
  return call.creates
    ? `It is not known whether the ${call.creates} was created`
    : "It is not known what the request did";
}
