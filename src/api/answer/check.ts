import type { ZodMiniType } from "zod/mini";
import type { ErrorFacts, PartialError, ServiceError } from "../../errors.ts";
import { keepHeapSmall } from "../../runtime/runtime.ts";
import { redactAnswer } from "../../secrets/answer.ts";
import { counted } from "../../values/counted.ts";
import { isJsonObject, jsonProblem, schemaIssueText } from "../../values/json.ts";
import type { OddField } from "../../values/odd-fields.ts";
import { suggest } from "../../values/suggested-command.ts";
import { apiErrors } from "../errors.ts";
import type { Endpoint } from "../operations/endpoint.ts";
import {
  effectUnknown,
  noAnswer,
  type RequestInfo,
  unknownOutcome,
} from "../request/request-info.ts";
import {
  bodyKind,
  excerptOf,
  type HttpAnswer,
  isWebPage,
  parsedJson,
  requestIds,
} from "./answer.ts";
import { type CompiledCheck, compiledChecks } from "./compiled-checks.ts";
import { correctedAnswer, issuesWith, kindOfSchema, type SchemaIssue } from "./conform.ts";

/**
 * Checks the body of a request against its schema.
 * @throws {UsageError} naming each invalid field
 */
export function checkRequestBody(schema: ZodMiniType, body: unknown, info: RequestInfo): void {
  const places = issuesWith(schema, body).map(bodyIssue);
  if (places.length === 0) return;
  throw apiErrors.request_invalid(info.does, places);
}

/** The specification of an answer. */
export interface LoadedCheck extends CompiledCheck {
  /** Loads the schema, which describes each mismatch. */
  readonly schema: () => Promise<ZodMiniType>;
}

/** The check of an operation's answer; undefined where any answer is a success. */
export async function loadCheck({
  method,
  path,
  answer: schema,
}: Endpoint): Promise<LoadedCheck | undefined> {
  if (schema === undefined) return undefined;
  const compiled = compiledChecks[`${method} ${path}`];
  if (compiled) return { ...compiled, schema };
  const loaded = await schema();
  const fits = (value: unknown) => loaded.safeParse(value, { jitless: true }).success;
  return { kind: kindOfSchema(loaded), fits, schema };
}

/** The answer to a request, and the receiver of its odd fields. */
export interface CheckedAnswer {
  readonly answer: HttpAnswer;
  readonly info: RequestInfo;
  readonly onOddFields?: ((fields: readonly OddField[]) => void) | undefined;
  /** Whether the list is specified to have pages: one without a next page is then the last. */
  readonly isPaged?: boolean | undefined;
}

/**
 * The value of a successful answer, secrets redacted. If a field is not as specified, the value is
 * a corrected copy; `originalOf` has the original. ky's own `.json(schema)` is not used: it reads a
 * body of any size, and returns the schema's copy in place of the original.
 * @throws {ServiceError} for an answer that is not JSON, or of another kind than the schema's
 * @throws {PartialError} for a create without an ID, because the record may exist
 */
export async function checkedValue(
  checked: CheckedAnswer,
  check: LoadedCheck | undefined,
  before = 0,
): Promise<unknown> {
  const { answer, info } = checked;
  // The value is redacted here, so that no output can show a customer's credential.
  const sent = parsedJson(answer);
  const { reveals, keepsTexts } = info;
  const value = reveals ? sent : redactAnswer(sent, { isMap: check?.kind === "map", keepsTexts });
  if (info.creates) return createdRecord(checked, value, check);
  if (!check) {
    // Any body is accepted but a web page, such as the login page of a network.
    if (isWebPage(answer)) throw unreadable(answer, info);
    return value;
  }
  if (value === undefined) throw unreadable(answer, info);
  return checkedParts(checked, check, value, before);
}

/**
 * The records of a batch of a list.
 * @param before the number of records in earlier batches
 */
export async function checkedRecords(
  checked: CheckedAnswer,
  batch: readonly unknown[],
  check: LoadedCheck,
  before: number,
): Promise<readonly unknown[]> {
  const records = redactAnswer(batch, checked.info);
  return (await checkedParts(checked, check, records, before)) as readonly unknown[];
}

/** The records that are described at once: the issues of "{}" take far more memory than itself. */
const PART = 50;

/** The maximum odd records of a list that is held in memory: a corrected copy takes a kilobyte. */
const MAX_ODD_RECORDS = 100_000;

async function checkedParts(
  checked: CheckedAnswer,
  check: LoadedCheck,
  value: unknown,
  before: number,
): Promise<unknown> {
  if (check.fits(value)) return value;
  if (Array.isArray(value) && value.length > PART) {
    await keepHeapSmall();
    const starts = Array.from({ length: Math.ceil(value.length / PART) }, (_, nth) => nth * PART);
    const partAt = (start: number) => value.slice(start, start + PART);
    // Counted before any copy is made: the copies of a list that is refused would fill the memory.
    const odd = starts.filter((start) => !check.fits(partAt(start))).length * PART;
    if (odd > MAX_ODD_RECORDS)
      throw notAsSpecified(
        checked,
        `More than ${counted(MAX_ODD_RECORDS, "record")} are not as specified`,
      );
    const parts: unknown[] = [];
    for (const start of starts)
      parts.push(await checkedParts(checked, check, partAt(start), before + start));
    return parts.flat();
  }
  const schema = await check.schema();
  const issues = issuesWith(schema, value);
  if (issues.length === 0) return value;
  const whole = issues.filter(({ path }) => path.length === 0);
  if (whole.length > 0)
    throw notAsSpecified(checked, whole.map((issue) => bodyIssue(issue).text).join("; "));
  const { value: proper, odd } = correctedAnswer(schema, value, issues, before);
  // A secret may be among them.
  if (odd.length > 0 && !checked.info.reveals) checked.onOddFields?.(odd);
  return proper;
}

function notAsSpecified({ answer, info }: CheckedAnswer, detail: string): ServiceError {
  const facts = { ...answerFacts(answer, info), detail, ...effectUnknown(info) };
  const problem = "the response does not match the API specification";
  return apiErrors.answer_unusable(info.does, problem, facts);
}

/**
 * The record of a create. An answer with an ID proves that it exists; one without an ID does not.
 */
async function createdRecord(
  checked: CheckedAnswer,
  value: unknown,
  check: LoadedCheck | undefined,
): Promise<unknown> {
  const { answer, info } = checked;
  if (!hasId(value)) {
    const detail = excerptOf(answer);
    // Text or a web page comes from a proxy; the service itself confirms the create by any 2xx.
    const isCreated = value !== undefined || answer.text.trim() === "";
    const facts = { ...answerFacts(answer, info), ...(detail ? { detail } : {}) };
    const { status } = answer;
    if (!isCreated)
      throw unknownOutcome(info, `the service answered ${status} without an ID`, facts);
    throw apiErrors.created_without_id(info.creates, status, facts);
  }
  return check ? checkedParts(checked, check, value, 0) : value;
}

/** Whether a value has an ID. The specification has strings (4.5); a number is accepted, too. */
function hasId(value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  const { id } = value;
  return typeof id === "string" ? id.trim() !== "" : ["number", "bigint"].includes(typeof id);
}

/** The error for an answer that is not JSON, or not UTF-8: a write may have had its effect. */
export function unreadable(answer: HttpAnswer, info: RequestInfo): ServiceError | PartialError {
  const detail = excerptOf(answer);
  const problem = answer.isMisread ? "is not valid UTF-8" : jsonProblem(answer.text);
  const reason = `the response (${answer.status}, ${bodyKind(answer)}) ${problem}`;
  const facts = {
    ...answerFacts(answer, info),
    ...(detail ? { detail } : {}),
    ...(isWebPage(answer)
      ? {
          remedy: "The response is a web page: a proxy or network login, or a wrong base URL.",
          suggestion: suggest("auth status"),
        }
      : {}),
  };
  return noAnswer(info, reason, facts);
}

/** The status and the identifiers of an answered request. */
export function answerFacts({ status, headers }: HttpAnswer, info: RequestInfo): ErrorFacts {
  return { status, ...requestIds(info, headers) };
}

function bodyIssue({ path, message }: SchemaIssue) {
  const place = path.map(String).join(".");
  const problem = schemaIssueText(message);
  return { path: place, problem, text: place === "" ? problem : `${place}: ${problem}` };
}
