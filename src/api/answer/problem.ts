import {
  type AmpError,
  AuthError,
  ConflictError,
  type ErrorFacts,
  NotFoundError,
  PartialError,
  RejectedError,
  ServiceError,
} from "../../errors.ts";
import type { RefusedRedirect } from "../request/redirect.ts";
import {
  effectUnknown,
  isUnsafe,
  noEffect,
  outcomeUnknown,
  type RequestInfo,
} from "../request/request-info.ts";
import { outcomeOfStatus, requestedDelay, ruleFor } from "../request/retry.ts";
import type { Problem } from "../schemas/problem.ts";
import { excerptOf, type HttpAnswer, isWebPage, parsedJson, requestIdOf } from "./answer.ts";

type Kind = new (message: string, facts: ErrorFacts) => AmpError;

/** What a status is called, where it does not follow from its hundred. */
const STATUS_ERRORS: Readonly<
  Record<number, { kind: Kind; message: (call: RequestInfo) => string }>
> = {
  401: {
    kind: AuthError,
    message: ({ credential }) =>
      credential ? "The service did not accept the credential" : "The service wants a credential",
  },
  403: { kind: AuthError, message: ({ does }) => `The credential is not allowed to ${does}` },
  404: { kind: NotFoundError, message: ({ does }) => `Could not ${does}: not found` },
  408: { kind: ServiceError, message: ({ does }) => `The service was too slow to ${does}` },
  409: {
    kind: ConflictError,
    message: (call) => `${refusedMessage(call)}: it conflicts with what exists`,
  },
  425: { kind: ServiceError, message: () => "The service asks to try again later" },
  429: { kind: ServiceError, message: () => "The service asks for a pause between requests" },
};

/** The problem document of an answer; `undefined` where the body is none. Never throws. */
export async function parseProblem(answer: HttpAnswer): Promise<Problem | undefined> {
  const value = parsedJson(answer);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const { problem } = await import("../schemas/problem.ts");
  return problem.safeParse(value).data;
}

/** The error for an answer that is no success. */
export async function errorFromAnswer(
  answer: HttpAnswer,
  call: RequestInfo,
  now: Date,
): Promise<AmpError> {
  const told = problemFacts(answer, await parseProblem(answer), now);
  const advice = adviceOf(answer, call);
  const remedy = [told.remedy, advice.remedy].filter(Boolean).join(" ");
  const facts = {
    ...told,
    ...advice,
    ...(remedy ? { remedy } : {}),
    ...(call.requestId ? { clientRequestId: call.requestId } : {}),
  };
  const { status } = answer;
  if (isOutcomeUnknown(status, call)) return unknownOutcomeError(status, call, facts);
  const { kind, message } = STATUS_ERRORS[status] ?? byHundred(status);
  return new kind(`${message(call)} (${status})`, {
    ...facts,
    ...(status >= 400 && status < 500 && status !== 408 ? noEffect(call) : effectUnknown(call)),
  });
}

function isOutcomeUnknown(status: number, call: RequestInfo): boolean {
  return isUnsafe(call) && ruleFor(outcomeOfStatus(status), "create") === "unknown";
}

function unknownOutcomeError(status: number, call: RequestInfo, facts: ErrorFacts): AmpError {
  return new PartialError(`${outcomeUnknown(call)}: the service answered ${status}`, {
    ...facts,
    ...effectUnknown(call),
  });
}

/** The error for a status alone, where the answer itself was passed on. */
export function statusError(status: number, call: RequestInfo): AmpError {
  if (isOutcomeUnknown(status, call)) return unknownOutcomeError(status, call, { status });
  const { kind, message } = STATUS_ERRORS[status] ?? byHundred(status);
  return new kind(`${message(call)} (${status})`, { status });
}

function byHundred(status: number): { kind: Kind; message: (call: RequestInfo) => string } {
  if (status < 400) {
    return { kind: ServiceError, message: () => "The service answered with a redirect" };
  }
  return status < 500
    ? { kind: RejectedError, message: refusedMessage }
    : { kind: ServiceError, message: ({ does }) => `The service failed to ${does}` };
}

function refusedMessage({ creates, does }: RequestInfo): string {
  return creates ? `The service refused the ${creates}` : `The service refused to ${does}`;
}

/** What an answer tells beyond its status, as the service said it. */
export function problemFacts(
  answer: HttpAnswer,
  problem: Problem | undefined,
  now: Date,
): ErrorFacts {
  const {
    type,
    href,
    title,
    detail,
    remedy,
    requestId,
    retryable,
    retryAfter,
    issues,
    causes,
    status: _,
    ...rest
  } = problem ?? {};
  const wait = requestedDelay(answer.headers, retryAfter, now.getTime());
  return withoutUndefined({
    status: answer.status,
    type,
    href,
    title,
    // A body that says nothing in the spec's words is shown as it is.
    detail: detail ?? (title || issues?.length ? undefined : excerptOf(answer)),
    remedy,
    requestId: requestId ?? requestIdOf(answer.headers),
    retryable,
    // By this machine's clock, for that is the one that the reader looks at.
    retryAfter: wait === undefined ? undefined : new Date(now.getTime() + wait).toISOString(),
    issues: notEmpty(issues?.map(issueOf).filter((issue) => Object.keys(issue).length > 0)),
    causes: notEmpty(causes?.filter((cause) => cause !== "")),
    data: Object.values(rest).some((value) => value !== undefined) ? { problem: rest } : undefined,
  });
}

function issueOf(issue: NonNullable<Problem["issues"]>[number]) {
  return withoutUndefined({
    in: issue.in,
    name: issue.name,
    value: issue.value,
    detail: issue.detail ?? issue.title,
  });
}

/** What amp itself can add. */
function adviceOf(answer: HttpAnswer, call: RequestInfo): ErrorFacts {
  const { status } = answer;
  if (status >= 300 && status < 400) {
    return redirectAdvice(answer.redirect);
  }
  if ((status === 401 || status === 403) && call.path.startsWith("/orgs/")) {
    if (call.credential === "api-key") {
      return {
        remedy:
          "The live platform takes only a bearer token for org and invite operations, no API key.",
        suggestion: "amp auth login",
      };
    }
  }
  if (status === 401) return { suggestion: call.credential ? "amp auth status" : "amp auth login" };
  if (status === 403) return { suggestion: "amp auth status" };
  if (isWebPage(answer)) {
    return {
      remedy: "The answer is a web page: a proxy's, or the base URL is not that of the service.",
      suggestion: "amp auth status",
    };
  }
  return {};
}

/** Why a redirect was not followed, and what to do. */
function redirectAdvice(
  { why, to }: RefusedRedirect = { why: "nowhere", to: undefined },
): ErrorFacts {
  const suggestion = "amp config explain";
  if (to === undefined) return { detail: "It does not say where to.", suggestion };
  return { detail: `It leads to ${to}, which was not asked.`, remedy: REDIRECTS[why], suggestion };
}

const REDIRECTS: Readonly<Record<RefusedRedirect["why"], string>> = {
  nowhere: "It is no redirect that can be followed: check the base URL.",
  "other-origin":
    "The credential goes to the base URL and nowhere else. If the service is there now, and you trust it, log in there with --base-url.",
  "not-encrypted": "The credential is not sent unencrypted: check the base URL.",
  unsafe: "Nothing that creates or changes is sent a second time: check the base URL.",
  "too-many": "amp follows three redirects at the most: check the base URL.",
};

function notEmpty<Item>(items: readonly Item[] | undefined): readonly Item[] | undefined {
  return items?.length ? items : undefined;
}

/** The record without the fields that are not known. */
function withoutUndefined<Facts extends object>(facts: Facts): Defined<Facts> {
  return Object.fromEntries(
    Object.entries(facts).filter(([, value]) => value !== undefined),
  ) as Defined<Facts>;
}

type Defined<Facts> = { [Key in keyof Facts]?: Exclude<Facts[Key], undefined> };
