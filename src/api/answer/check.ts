import type { ZodMiniType } from "zod/mini";
import { type ErrorFacts, PartialError, ServiceError, UsageError } from "../../errors.ts";
import { schemaIssueText } from "../../values/schema-issue.ts";
import { effectUnknown, outcomeUnknown, type RequestInfo } from "../request/request-info.ts";
import {
  bodyKind,
  excerptOf,
  type HttpAnswer,
  isWebPage,
  parsedJson,
  requestIdOf,
} from "./answer.ts";

/**
 * Checks what is about to be sent.
 * @throws {UsageError} naming what is wrong
 */
export function checkRequestBody(schema: ZodMiniType, body: unknown, call: RequestInfo): void {
  const places = bodyIssues(schema, body);
  if (places.length === 0) return;
  throw new UsageError(`Could not ${call.does}: ${places.map(({ text }) => text).join("; ")}`, {
    issues: places.map(({ path, problem }) => ({ in: "body", name: path, detail: problem })),
    done: "Nothing was sent.",
  });
}

/**
 * The value of a successful answer: the service's own, not a copy made by the check.
 * @throws {ServiceError} for an answer that is no JSON or not as specified
 * @throws {PartialError} the same for a create, for the thing may exist
 */
export function checkedValue(
  answer: HttpAnswer,
  schema: ZodMiniType | undefined,
  call: RequestInfo,
): unknown {
  const value = parsedJson(answer);
  if (call.creates) return createdRecord(answer, value, schema, call);
  if (!schema) {
    // Any success is one; but the page of a hotel's network is not the service's answer.
    if (isWebPage(answer)) throw new ServiceError(...notJson(answer, call));
    return value;
  }
  if (value === undefined) throw new ServiceError(...notJson(answer, call));
  const places = bodyIssues(schema, value);
  if (places.length === 0) return value;
  throw notAsSpecified(answer, places, call);
}

function notAsSpecified(
  answer: HttpAnswer,
  places: readonly BodyIssue[],
  call: RequestInfo,
): ServiceError {
  return new ServiceError(`Could not ${call.does}: the answer is not as specified`, {
    ...answerFacts(answer, call),
    detail: summary(places),
    ...effectUnknown(call),
  });
}

/**
 * The records of a batch of a long list that stand before the first that is not as specified, and the
 * error for that one.
 * @param before how many records went before this batch
 */
export function checkedRecords(
  { answer, call }: { readonly answer: HttpAnswer; readonly call: RequestInfo },
  batch: readonly unknown[],
  schema: ZodMiniType,
  before: number,
): { good: readonly unknown[]; error?: ServiceError } {
  const issues = schema.safeParse(batch).error?.issues ?? [];
  if (issues.length === 0) return { good: batch };
  const at = Math.min(...issues.map(({ path: [index] }) => Number(index ?? 0)));
  const places = issues.map(({ path: [index, ...path], message }) =>
    bodyIssue({ path: [before + Number(index ?? 0), ...path], message }),
  );
  const error = notAsSpecified(answer, places, call);
  return { good: batch.slice(0, at), error };
}

/** Whatever the answer lacks: with an id the thing exists, without one it may. */
function createdRecord(
  answer: HttpAnswer,
  value: unknown,
  schema: ZodMiniType | undefined,
  call: RequestInfo,
): unknown {
  const id = createdId(value);
  const detail = excerptOf(answer);
  if (id === undefined) {
    throw new PartialError(
      `${outcomeUnknown(call)}: the service answered ${answer.status}, but without an ID`,
      { ...answerFacts(answer, call), ...(detail ? { detail } : {}), ...effectUnknown(call) },
    );
  }
  // IDs travel as strings (spec 4.5); one that came as a number is still the ID.
  const record = { ...(value as object), id };
  const places = schema ? bodyIssues(schema, record) : [];
  if (places.length > 0) {
    throw new PartialError(
      `The ${call.creates} was created with ID ${id}, but the answer is not as specified`,
      {
        ...answerFacts(answer, call),
        detail: summary(places),
        done: `The ${call.creates} exists.`,
        data: { created: { id } },
      },
    );
  }
  return typeof (value as { id: unknown }).id === "string" ? value : record;
}

function createdId(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const { id } = value as { id?: unknown };
  return (typeof id === "string" && id.trim() !== "") || typeof id === "number"
    ? String(id)
    : undefined;
}

function notJson(answer: HttpAnswer, call: RequestInfo): [string, ErrorFacts] {
  const detail = excerptOf(answer);
  return [
    `Could not ${call.does}: the answer (${answer.status}, ${bodyKind(answer)}) is no whole JSON`,
    {
      ...answerFacts(answer, call),
      ...(detail ? { detail } : {}),
      ...(isWebPage(answer)
        ? {
            remedy: "It is a web page: a proxy's or a network's login, or a wrong base URL.",
            suggestion: "amp config explain",
          }
        : {}),
      ...effectUnknown(call),
    },
  ];
}

export function answerFacts(
  answer: HttpAnswer,
  { requestId: clientRequestId }: RequestInfo,
): ErrorFacts {
  const requestId = requestIdOf(answer.headers);
  return {
    status: answer.status,
    ...(requestId ? { requestId } : {}),
    ...(clientRequestId ? { clientRequestId } : {}),
  };
}

interface BodyIssue {
  readonly path: string;
  readonly problem: string;
  readonly text: string;
}

function bodyIssues(schema: ZodMiniType, value: unknown): BodyIssue[] {
  // To write code for a schema takes longer than to check a few records without.
  return (schema.safeParse(value, { jitless: true }).error?.issues ?? []).map(bodyIssue);
}

function bodyIssue({
  path,
  message,
}: {
  path: readonly PropertyKey[];
  message: string;
}): BodyIssue {
  const place = path.map(String).join(".");
  const problem = schemaIssueText(message);
  return { path: place, problem, text: place === "" ? problem : `${place}: ${problem}` };
}

/** The first places: the others are mostly the same again. */
function summary(places: readonly BodyIssue[]): string {
  const more = places.length - 3;
  const first = places.slice(0, 3).map(({ text }) => text);
  return first.join("; ") + (more > 0 ? `; and ${more} more` : "");
}
