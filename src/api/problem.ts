import {
  type AmpError,
  AuthError,
  ConflictError,
  type ErrorFacts,
  NotFoundError,
  PartialError,
  RejectedError,
  ServiceError,
} from "../errors.ts";
import { type Answer, excerptOf, isWebPage, jsonOf, requestIdOf } from "./answer.ts";
import { type Call, isUnsafe, maybeDone, nothingDone, unknownWhether } from "./call.ts";
import type { Refused } from "./redirect.ts";
import { askedWait, happeningOf, ruleFor } from "./retry.ts";
import type { Problem } from "./schemas/problem.ts";

type Kind = new (message: string, facts: ErrorFacts) => AmpError;

/** What a status is called, where it does not follow from its hundred. */
const STATUSES: Readonly<Record<number, { kind: Kind; message: (call: Call) => string }>> = {
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
    message: (call) => `${refused(call)}: it conflicts with what exists`,
  },
  425: { kind: ServiceError, message: () => "The service asks to try again later" },
  429: { kind: ServiceError, message: () => "The service asks for a pause between requests" },
};

/** The problem document of an answer; `undefined` where the body is none. Never throws. */
export async function problemOf(answer: Answer): Promise<Problem | undefined> {
  const value = jsonOf(answer);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const { problem } = await import("./schemas/problem.ts");
  return problem.safeParse(value).data;
}

/** The error for an answer that is no success. */
export async function errorFrom(answer: Answer, call: Call, now: Date): Promise<AmpError> {
  const told = factsOf(answer, await problemOf(answer), now);
  const advice = adviceOf(answer, call);
  const remedy = [told.remedy, advice.remedy].filter(Boolean).join(" ");
  const facts = {
    ...told,
    ...advice,
    ...(remedy ? { remedy } : {}),
    ...(call.requestId ? { clientRequestId: call.requestId } : {}),
  };
  const { status } = answer;
  if (isUnknown(status, call)) return unknownOutcome(status, call, facts);
  const { kind, message } = STATUSES[status] ?? byHundred(status);
  return new kind(`${message(call)} (${status})`, {
    ...facts,
    ...(status >= 400 && status < 500 && status !== 408 ? nothingDone(call) : maybeDone(call)),
  });
}

function isUnknown(status: number, call: Call): boolean {
  return isUnsafe(call) && ruleFor(happeningOf(status), "create") === "unknown";
}

function unknownOutcome(status: number, call: Call, facts: ErrorFacts): AmpError {
  return new PartialError(`${unknownWhether(call)}: the service answered ${status}`, {
    ...facts,
    ...maybeDone(call),
  });
}

/** The error for a status alone, where the answer itself was passed on. */
export function statusError(status: number, call: Call): AmpError {
  if (isUnknown(status, call)) return unknownOutcome(status, call, { status });
  const { kind, message } = STATUSES[status] ?? byHundred(status);
  return new kind(`${message(call)} (${status})`, { status });
}

function byHundred(status: number): { kind: Kind; message: (call: Call) => string } {
  if (status < 400) {
    return { kind: ServiceError, message: () => "The service answered with a redirect" };
  }
  return status < 500
    ? { kind: RejectedError, message: refused }
    : { kind: ServiceError, message: ({ does }) => `The service failed to ${does}` };
}

function refused({ creates, does }: Call): string {
  return creates ? `The service refused the ${creates}` : `The service refused to ${does}`;
}

/** What an answer tells beyond its status, as the service said it. */
export function factsOf(answer: Answer, problem: Problem | undefined, now: Date): ErrorFacts {
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
  const wait = askedWait(answer.headers, retryAfter, now.getTime());
  return present({
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
  return present({
    in: issue.in,
    name: issue.name,
    value: issue.value,
    detail: issue.detail ?? issue.title,
  });
}

/** What amp itself can add. */
function adviceOf(answer: Answer, call: Call): ErrorFacts {
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
function redirectAdvice({ why, to }: Refused = { why: "nowhere", to: undefined }): ErrorFacts {
  const suggestion = "amp config explain";
  if (to === undefined) return { detail: "It does not say where to.", suggestion };
  return { detail: `It leads to ${to}, which was not asked.`, remedy: REDIRECTS[why], suggestion };
}

const REDIRECTS: Readonly<Record<Refused["why"], string>> = {
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
function present<Facts extends object>(facts: Facts): Present<Facts> {
  return Object.fromEntries(
    Object.entries(facts).filter(([, value]) => value !== undefined),
  ) as Present<Facts>;
}

type Present<Facts> = { [Key in keyof Facts]?: Exclude<Facts[Key], undefined> };
