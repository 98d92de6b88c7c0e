import type { ZodMiniType } from "zod/mini";
import { type ErrorFacts, PartialError, ServiceError, UsageError } from "../../errors.ts";
import { schemaIssueText } from "../../values/schema-issue.ts";
import { suggest } from "../../values/suggested-command.ts";
import { effectUnknown, outcomeUnknown, type RequestInfo } from "../request/request-info.ts";
import {
  bodyKind,
  excerptOf,
  type HttpAnswer,
  isWebPage,
  parsedJson,
  requestIds,
} from "./answer.ts";

/**
 * Checks the body of a request against its schema.
 * @throws {UsageError} naming each invalid field
 */
export function checkRequestBody(schema: ZodMiniType, body: unknown, info: RequestInfo): void {
  const places = bodyIssues(schema, body);
  if (places.length === 0) return;
  throw new UsageError(`Could not ${info.does}: ${places.map(({ text }) => text).join("; ")}`, {
    issues: places.map(({ path, problem }) => ({ in: "body", name: path, detail: problem })),
    done: "Nothing was sent.",
  });
}

/**
 * The checked value of a successful answer. ky's own `.json(schema)` is not used: it reads a body of
 * any size, and returns the schema's copy in place of the value as the service sent it.
 * @throws {ServiceError} for an answer that is not JSON, or does not match the schema
 * @throws {PartialError} the same for a create, because the record may exist
 */
export function checkedValue(
  answer: HttpAnswer,
  schema: ZodMiniType | undefined,
  info: RequestInfo,
): unknown {
  const value = parsedJson(answer);
  if (info.creates) return createdRecord(answer, value, schema, info);
  if (!schema) {
    // Any body will do, but the login page of a hotel's network is not the service's answer.
    if (isWebPage(answer)) throw new ServiceError(...notJson(answer, info));
    return value;
  }
  if (value === undefined) throw new ServiceError(...notJson(answer, info));
  const places = bodyIssues(schema, value);
  if (places.length === 0) return value;
  throw notAsSpecified(answer, places, info);
}

function notAsSpecified(
  answer: HttpAnswer,
  places: readonly BodyIssue[],
  info: RequestInfo,
): ServiceError {
  return new ServiceError(
    `Could not ${info.does}: the response does not match the API specification`,
    {
      ...answerFacts(answer, info),
      detail: summary(places),
      ...effectUnknown(info),
    },
  );
}

/**
 * The records of a batch of a long list up to the first that does not match the schema, and the error
 * for that one.
 * @param before the number of records in earlier batches
 */
export function checkedRecords(
  { answer, info }: { readonly answer: HttpAnswer; readonly info: RequestInfo },
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
  const error = notAsSpecified(answer, places, info);
  return { good: batch.slice(0, at), error };
}

/** The record of a create: an answer with an ID proves that it exists, one without leaves that open. */
function createdRecord(
  answer: HttpAnswer,
  value: unknown,
  schema: ZodMiniType | undefined,
  info: RequestInfo,
): unknown {
  const id = createdId(value);
  if (id === undefined) {
    const detail = excerptOf(answer);
    throw new PartialError(
      `${outcomeUnknown(info)}: the service answered ${answer.status} without an ID`,
      { ...answerFacts(answer, info), ...(detail ? { detail } : {}), ...effectUnknown(info) },
    );
  }
  // The specification has IDs as strings (4.5); a number is accepted all the same.
  const record = { ...(value as object), id };
  const places = schema ? bodyIssues(schema, record) : [];
  if (places.length > 0) {
    throw new PartialError(
      `The ${info.creates} was created with ID ${id}, but the response does not match the API specification`,
      {
        ...answerFacts(answer, info),
        detail: summary(places),
        done: `The ${info.creates} exists.`,
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

function notJson(answer: HttpAnswer, info: RequestInfo): [string, ErrorFacts] {
  const detail = excerptOf(answer);
  return [
    `Could not ${info.does}: the response (${answer.status}, ${bodyKind(answer)}) is not valid JSON`,
    {
      ...answerFacts(answer, info),
      ...(detail ? { detail } : {}),
      ...(isWebPage(answer)
        ? {
            remedy: "The response is a web page: a proxy or network login, or a wrong base URL.",
            suggestion: suggest("auth status"),
          }
        : {}),
      ...effectUnknown(info),
    },
  ];
}

/** The status and the identifiers of an answered request. */
export function answerFacts({ status, headers }: HttpAnswer, info: RequestInfo): ErrorFacts {
  return { status, ...requestIds(info, headers) };
}

interface BodyIssue {
  readonly path: string;
  readonly problem: string;
  readonly text: string;
}

function bodyIssues(schema: ZodMiniType, value: unknown): BodyIssue[] {
  // Generating code for a schema takes longer than checking a few records without it.
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

/** The first issues; the others mostly repeat them. */
function summary(places: readonly BodyIssue[]): string {
  const more = places.length - 3;
  const first = places.slice(0, 3).map(({ text }) => text);
  return first.join("; ") + (more > 0 ? `; and ${more} more` : "");
}
