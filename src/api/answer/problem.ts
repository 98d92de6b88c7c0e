import type { AmpError, ErrorFacts } from "../../errors.ts";
import { redactAnswer } from "../../secrets/answer.ts";
import { CASE_HEADER } from "../../settings.ts";
import { asList } from "../../values/basics.ts";
import { defined, isEmptyValue, isJsonObject, plainText } from "../../values/json.ts";
import { suggest } from "../../values/suggested-command.ts";
import { apiErrors } from "../errors.ts";
import type { RefusedRedirect } from "../request/redirect.ts";
import {
  effectUnknown,
  isUnsafe,
  noEffect,
  type RequestInfo,
  unknownOutcome,
} from "../request/request-info.ts";
import { outcomeOfStatus, requestedDelay, ruleFor } from "../request/retry.ts";
import {
  type BodyLimits,
  bodyKind,
  excerptOf,
  type HttpAnswer,
  isWebPage,
  parsedJson,
  readAnswer,
  requestIdOf,
  requestIds,
} from "./answer.ts";

type Kind = (message: string, facts: ErrorFacts) => AmpError;

/** The errors of statuses that differ from others of their class. */
const STATUS_ERRORS: Readonly<
  Record<number, { kind: Kind; message: (info: RequestInfo) => string }>
> = {
  401: {
    kind: apiErrors.service_denied,
    message: ({ credential }) =>
      credential
        ? `The service did not accept ${credential.name ?? "the credential"}`
        : "The service requires a credential",
  },
  403: {
    kind: apiErrors.service_denied,
    message: ({ does }) => `The credential is not allowed to ${does}`,
  },
  404: {
    kind: apiErrors.service_found_nothing,
    message: ({ does, project }) =>
      `Could not ${does}: ${project === undefined ? "" : `project ${JSON.stringify(project)} `}not found`,
  },
  408: {
    kind: apiErrors.service_failed,
    message: ({ does }) => `Could not ${does}: the service timed out`,
  },
  409: {
    kind: apiErrors.service_conflict,
    message: (info) => `${refusedMessage(info)}: it conflicts with an existing resource`,
  },
  410: {
    kind: apiErrors.service_found_nothing,
    message: ({ does }) => `Could not ${does}: gone`,
  },
  425: { kind: apiErrors.service_failed, message: () => "The service is temporarily unavailable" },
  429: {
    kind: apiErrors.service_failed,
    message: () => "Too many requests: the service limits the rate",
  },
};

/** The problem document of an answer; `undefined` if the body is none. Never throws. */
export function parseProblem(answer: HttpAnswer): Problem | undefined {
  const value = redactAnswer(parsedJson(answer));
  return isJsonObject(value) ? readProblem(value) : undefined;
}

/** The error for a refusal that is not the service's own. */
export function foreignRefusal(answer: HttpAnswer, info: RequestInfo): AmpError {
  const { status, headers } = answer;
  const { origin, pathname } = info.url;
  const where = `${info.method} ${origin}${pathname}`;
  return apiErrors.answer_unusable(
    info.does,
    `the response (${status}, ${bodyKind(answer)}) is not an error of the API`,
    {
      status,
      ...requestIds(info, headers),
      detail: asList(where, excerptOf(answer)).join(": "),
      remedy: "A proxy or gateway may have answered, or the base URL is wrong.",
      suggestion: suggest("auth status"),
      ...effectUnknown(info),
    },
  );
}

/** The error for an answer that is not a success. */
export function errorFromAnswer(answer: HttpAnswer, info: RequestInfo, now: Date): AmpError {
  const { status } = answer;
  const said = problemFacts(answer, parseProblem(answer), now);
  if (status === 404 && answer.headers.has(CASE_HEADER)) {
    return apiErrors.answer_not_recorded(info.does, said);
  }
  const advice = adviceOf(answer, info);
  const remedy = [said.remedy, advice.remedy].filter(Boolean).join(" ");
  return statusError(status, info, {
    ...said,
    ...advice,
    ...(remedy ? { remedy } : {}),
    ...(info.requestId ? { clientRequestId: info.requestId } : {}),
    ...(status >= 400 && status < 500 && status !== 408 ? noEffect(info) : effectUnknown(info)),
  });
}

/** The error for a status; without facts, for an answer that was passed on unread. */
export function statusError(
  status: number,
  info: RequestInfo,
  facts: ErrorFacts = { status },
): AmpError {
  if (isUnsafe(info) && ruleFor(outcomeOfStatus(status), "unsafe") === "unknown") {
    return unknownOutcome(info, `the service answered ${status}`, facts);
  }
  const { kind, message } = STATUS_ERRORS[status] ?? byHundred(status);
  return kind(`${message(info)} (${status})`, facts);
}

/** The error for an answer that was not passed on, with what its body says if that can be read. */
export async function explainedError(
  response: Response,
  limits: BodyLimits,
  info: RequestInfo,
  now: Date,
): Promise<AmpError> {
  const answer =
    response.status < 400 ? undefined : await readAnswer(response, limits).catch(() => undefined);
  return answer ? errorFromAnswer(answer, info, now) : statusError(response.status, info);
}

function byHundred(status: number): { kind: Kind; message: (info: RequestInfo) => string } {
  if (status < 400) {
    return {
      kind: apiErrors.service_failed,
      message: () => "The service answered with a redirect",
    };
  }
  return status < 500
    ? { kind: apiErrors.service_rejected, message: refusedMessage }
    : { kind: apiErrors.service_failed, message: ({ does }) => `The service failed to ${does}` };
}

function refusedMessage({ creates, does }: RequestInfo): string {
  return creates ? `The service refused the ${creates}` : `The service refused to ${does}`;
}

/** The facts of an answer beyond its status, in the service's words. */
function problemFacts(answer: HttpAnswer, problem: Problem | undefined, now: Date): ErrorFacts {
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
  const isExplained = title || issues?.length || saysAll({ type, remedy, causes, ...rest });
  const wait = requestedDelay(answer.headers, retryAfter, now.getTime());
  return defined({
    status: answer.status,
    type,
    href,
    title,
    // A body whose words are not shown elsewhere is shown as it is.
    detail: detail ?? (isExplained ? undefined : excerptOf(answer)),
    remedy,
    requestId: requestId ?? requestIdOf(answer.headers),
    retryable,
    // The time is in the clock of this machine, which the user sees.
    retryAfter: wait === undefined ? undefined : new Date(now.getTime() + wait).toISOString(),
    issues: notEmpty(issues?.map(issueOf).filter((issue) => Object.keys(issue).length > 0)),
    causes: notEmpty(causes?.filter((cause) => cause !== "")),
    problem: Object.values(rest).some((value) => value !== undefined) ? rest : undefined,
  });
}

/** True if the lines of an error already show every field of a problem without a detail. */
function saysAll({ subsystem, time, type, ...rest }: Problem): boolean {
  const { remedy, causes, instance, context, ...support } = rest;
  const { supportEmail, supportPhone, supportUrl, ...unknown } = support;
  const isTyped = type !== undefined && type !== "about:blank";
  const said = [remedy, causes, instance, context, supportEmail, supportPhone, supportUrl];
  return (isTyped || said.some(Boolean)) && Object.keys(unknown).length === 0;
}

function issueOf(issue: NonNullable<Problem["issues"]>[number]) {
  const field = issue.name?.split(/[./]/u).at(-1) ?? "";
  return defined({
    in: issue.in,
    name: issue.name,
    // The name says whether it is a secret: secrets.apiKey.
    value: redactAnswer({ [field]: issue.value })[field],
    detail: issue.detail ?? issue.title,
    remedy: issue.remedy,
    requestId: issue.requestId,
  });
}

/** The advice that amp adds to the service's words. */
function adviceOf(answer: HttpAnswer, info: RequestInfo): ErrorFacts {
  const { status } = answer;
  if (status >= 300 && status < 400) {
    return redirectAdvice(answer.redirect);
  }
  const isForbidden = status === 401 || status === 403;
  if (isForbidden && info.path.startsWith("/orgs/") && info.credential?.kind === "api-key") {
    return {
      remedy:
        "The live platform accepts only a bearer token, not an API key, for operations on organisations and invites.",
      suggestion: suggest("auth login"),
    };
  }
  if (status === 401)
    return { suggestion: suggest(info.credential ? "auth status" : "auth login") };
  if (status === 403) return { suggestion: suggest("auth status") };
  if (isWebPage(answer)) {
    return {
      remedy: "The response is a web page: it comes from a proxy, or the base URL is wrong.",
      suggestion: suggest("auth status"),
    };
  }
  if (status === 404 && info.project !== undefined) return { suggestion: suggest("projects list") };
  return {};
}

/** The reason why a redirect was not followed, and the remedy. */
function redirectAdvice(
  { why, to }: RefusedRedirect = { why: "nowhere", to: undefined },
): ErrorFacts {
  const suggestion = suggest(why === "other-project" ? "projects list" : "auth status");
  if (to === undefined) return { detail: "The redirect has no target.", suggestion };
  return {
    detail: `It redirects to ${to}; the redirect was not followed.`,
    remedy: REDIRECTS[why],
    suggestion,
  };
}

const REDIRECTS: Readonly<Record<RefusedRedirect["why"], string>> = {
  nowhere: "Check the base URL.",
  "other-origin":
    "The credential is sent only to the origin of the base URL. If the service has moved and you trust the new address, log in there with --base-url.",
  "other-project":
    "It is the path of another project. If the project has a new name, pass it with --project.",
  "not-encrypted": "The credential is never sent unencrypted. Check the base URL.",
  unsafe: "Requests that create or change something are not sent again. Check the base URL.",
  "other-record": "It would delete something else. Check the base URL.",
  "too-many": "amp follows at most three redirects. Check the base URL.",
};

function notEmpty<Item>(items: readonly Item[] | undefined): readonly Item[] | undefined {
  return items?.length ? items : undefined;
}

const TEXTS = [
  "type",
  "href",
  "title",
  "detail",
  "instance",
  "subsystem",
  "time",
  "requestId",
  "remedy",
  "supportEmail",
  "supportPhone",
  "supportUrl",
] as const;

/** The fields of spec part 7. None is required: a bare status is a problem too. */
interface ProblemFields extends Partial<Record<(typeof TEXTS)[number], string | undefined>> {
  readonly status?: number | undefined;
  readonly causes?: readonly string[] | undefined;
  readonly retryable?: boolean | undefined;
  /** The time by the server's clock. */
  readonly retryAfter?: string | undefined;
  readonly context?: unknown;
}

/** A problem of one invalid input, with its place, name and value. */
interface InputValidationIssue extends ProblemFields {
  /** The part of the request: body, header, path or query. */
  readonly in?: string | undefined;
  readonly name?: string | undefined;
  readonly value?: unknown;
}

/** RFC 9457 with the fields of spec part 7. Every field may be missing. */
interface Problem extends ProblemFields {
  readonly issues?: readonly InputValidationIssue[] | undefined;
  readonly [member: string]: unknown;
}

/**
 * Reads an API Problem; with `issues`, an Input Validation Problem. Any object is one: a field that
 * is not as specified becomes text, because it must not hide what the service says. No schema is
 * used, so that an error does not load one.
 */
export function readProblem(value: Readonly<Record<string, unknown>>): Problem {
  const issues = itemsOf(value.issues).map((issue): InputValidationIssue => {
    const fields = isJsonObject(issue) ? issue : { detail: issue };
    const { in: place, name } = fields;
    return {
      ...readFields(fields),
      ...defined({ in: textOf(place), name: textOf(name), value: fields.value }),
    };
  });
  const { issues: _, ...others } = value;
  return defined({
    ...others,
    ...readFields(value),
    issues: issues.length > 0 ? issues : undefined,
  });
}

/** The known fields; a field that is acted upon is dropped where it is not as specified. */
function readFields(value: Readonly<Record<string, unknown>>): ProblemFields {
  const { status, retryable, retryAfter, context } = value;
  const causes = itemsOf(value.causes).flatMap((cause) => textOf(cause) ?? []);
  return {
    ...Object.fromEntries(TEXTS.map((name) => [name, textOf(value[name])])),
    status: typeof status === "number" ? status : undefined,
    retryable: typeof retryable === "boolean" ? retryable : undefined,
    retryAfter: typeof retryAfter === "string" ? retryAfter : undefined,
    causes: causes.length > 0 ? causes : undefined,
    context: context ?? undefined,
  };
}

function textOf(value: unknown): string | undefined {
  return isEmptyValue(value) ? undefined : plainText(value);
}

/** The items of a list; a value that is not a list counts as its only item. */
function itemsOf(value: unknown): readonly unknown[] {
  return asList(value).filter((item) => !isEmptyValue(item));
}
