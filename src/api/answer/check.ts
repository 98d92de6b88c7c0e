import type { ZodMiniType } from "zod/mini";
import type { AmpError, ErrorFacts, PartialError, ServiceError } from "../../errors.ts";
import { keepHeapSmall } from "../../runtime/runtime.ts";
import { redactAnswer } from "../../secrets/answer.ts";
import { counted } from "../../values/counted.ts";
import { isJsonObject, jsonProblem, schemaIssueText } from "../../values/json.ts";
import { type OddField, rememberOriginal } from "../../values/odd-fields.ts";
import { suggest } from "../../values/suggested-command.ts";
import { apiErrors } from "../errors.ts";
import type { Endpoint } from "../operations/endpoint.ts";
import {
  effectUnknown,
  NOT_DONE,
  noAnswer,
  type RequestInfo,
  unknownOutcome,
} from "../request/request-info.ts";
import {
  bodyKind,
  excerptOf,
  type HttpAnswer,
  isWebPage,
  mediaType,
  parsedJson,
  requestIds,
} from "./answer.ts";
import { type CompiledCheck, compiledChecks } from "./compiled-checks.ts";

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
    // A web page is that of a proxy or of the login of a network.
    const isCutOff = sent === undefined && /^\s*[[{]/u.test(answer.text);
    if (isWebPage(answer) || isCutOff) throw unreadable(answer, info);
    const doubt = doubtOf(sent, answer, info);
    if (doubt !== undefined) throw unconfirmed(answer, info, doubt);
    return value;
  }
  if (value === undefined) throw unreadable(answer, info);
  return checkedParts(checked, check, value, before);
}

/**
 * Why a success does not confirm an update or delete; undefined where it does. Neither the
 * specification nor the platform's description says what they answer. No body, `{}` (an empty message
 * of gRPC) and the record itself are what services answer: all else may come from something other
 * than the service, or be about another record. What the specification has (4.4) may answer anything
 * but a problem: nothing looks up afterwards whether it was done.
 */
function doubtOf(value: unknown, answer: HttpAnswer, info: RequestInfo): string | undefined {
  if (isJsonObject(value) && isProblem(value, answer)) return "has a problem";
  if (info.optional === undefined || answer.text.trim() === "") return undefined;
  if (!isJsonObject(value)) return "is not a record";
  if (Object.keys(value).length === 0) return undefined;
  if (!hasId(value)) return "has no ID";
  const id = decodeURIComponent(info.url.pathname.split("/").at(-1) ?? "");
  return String(value.id).toLowerCase() === id.toLowerCase() ? undefined : "has another ID";
}

/** Whether the value of a success is a problem (spec part 7), which only an error should have. */
function isProblem(value: Readonly<Record<string, unknown>>, answer: HttpAnswer): boolean {
  const isError = typeof value.status === "number" && value.status >= 400;
  return mediaType(answer) === "application/problem+json" || (isError && !hasId(value));
}

function unconfirmed(answer: HttpAnswer, info: RequestInfo, doubt: string): AmpError {
  const detail = excerptOf(answer);
  const facts = { ...answerFacts(answer, info), ...(detail ? { detail } : {}) };
  return noAnswer(info, `the response (${answer.status}, ${bodyKind(answer)}) ${doubt}`, facts);
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
    // A success without a body, a record, and JSON with 201 (Created) are the service's. All else
    // comes from a proxy, or says that only a part was done, or that it will be.
    const isJson = answer.status === 201 ? value !== undefined : isJsonObject(value);
    const isSaid = isJson && !(isJsonObject(value) && isProblem(value, answer));
    const isCreated = !NOT_DONE.has(answer.status) && (isSaid || answer.text.trim() === "");
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

/** The fields of a schema's issue that are used. */
interface SchemaIssue {
  readonly code?: string;
  readonly expected?: string;
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** A record whose fields have the specified types, and its odd fields. */
interface Conformed {
  readonly value: unknown;
  readonly odd: readonly OddField[];
}

type Container = Record<PropertyKey, unknown>;

/**
 * The maximum passes: a corrected value may reveal another issue, as in a list of one text that
 * should hold objects.
 */
const MAX_PASSES = 8;

/**
 * An answer in which each record that is not as specified is replaced by a corrected copy. The
 * records of a list or map are checked one by one, so that each can be named.
 * @param before the number of records in earlier batches of the list
 */
function correctedAnswer(
  schema: ZodMiniType,
  value: unknown,
  issues: readonly SchemaIssue[],
  before: number,
): Conformed {
  const part = partSchemaOf(schema);
  if (part === undefined || !isContainer(value))
    return conformed(schema, value, issues, "response");
  const isList = Array.isArray(value);
  const answer = copyOf(value);
  const odd: OddField[] = [];
  for (const [key, ofPart] of Map.groupBy(issues, ({ path: [first] }) => first ?? "")) {
    const inside = ofPart.map((issue) => ({ ...issue, path: issue.path.slice(1) }));
    const place = isList ? `record ${before + Number(key) + 1}` : String(key);
    const proper = conformed(part, value[key], inside, place);
    put(answer, key, proper.value);
    odd.push(...proper.odd);
  }
  return { value: answer, odd };
}

/** The schema of the records of a list or map; undefined for a record. */
function partSchemaOf(schema: ZodMiniType): ZodMiniType | undefined {
  const { element, valueType } = schema._zod.def as PartDefinition;
  return element ?? valueType;
}

interface PartDefinition {
  readonly element?: ZodMiniType;
  /** The schema of a map's values. */
  readonly valueType?: ZodMiniType;
}

/** The kind of answer that a schema describes: a list, a map of records by name, or a record. */
export function kindOfSchema(schema: ZodMiniType): CompiledCheck["kind"] {
  const { element, valueType } = schema._zod.def as PartDefinition;
  if (element) return "list";
  return valueType ? "map" : "record";
}

/**
 * A copy of a record in which each known field has the specified type: a value becomes text where
 * text is expected, and one that cannot be converted is left out. Data formats write the original;
 * see `originalOf`.
 * @param issues the issues of the schema with this value
 * @param place the name of a record with neither ID nor name
 */
function conformed(
  schema: ZodMiniType,
  value: unknown,
  issues: readonly SchemaIssue[],
  place: string,
): Conformed {
  const odd = oddFields(value, issues, place);
  const root: Container = { value };
  const owned = new Set<unknown>([root]);
  let left = issues;
  for (let pass = 0; pass < MAX_PASSES && left.length > 0; pass += 1) {
    const thinned = new Set<unknown[]>();
    let isChanged = false;
    for (const issue of left) isChanged = correct(root, issue, owned, thinned) || isChanged;
    for (const list of thinned)
      list.splice(0, list.length, ...list.filter((one) => one !== LEFT_OUT));
    if (!isChanged) break;
    left = issuesWith(schema, root.value);
  }
  const copy = root.value;
  // Found again if somebody asks: in a hostile service's list they take more memory than all else.
  const odds = () => oddFields(value, issuesWith(schema, value), place);
  if (copy !== value && isContainer(copy)) rememberOriginal(copy, { value, odd: odds });
  return { value: copy, odd };
}

function issuesWith(schema: ZodMiniType, value: unknown): readonly SchemaIssue[] {
  return schema.safeParse(value, { jitless: true }).error?.issues ?? [];
}

function oddFields(
  value: unknown,
  issues: readonly SchemaIssue[],
  place: string,
): readonly OddField[] {
  const record = nameOf(value) ?? place;
  return issues.flatMap((issue): OddField[] => {
    const found = valueAt(value, issue.path);
    if (isNumericId(issue, found)) return [];
    const path = issue.path.map(String).join(".");
    return [{ record, path, problem: problemText(issue, found), value: found }];
  });
}

/** The placeholder for a removed element of a list, until all issues of a pass are corrected. */
const LEFT_OUT = Symbol("left out");

/** Corrects the value at an issue. Containers on the way are copied once. */
function correct(
  root: Container,
  { code, expected = "", path }: SchemaIssue,
  owned: Set<unknown>,
  thinned: Set<unknown[]>,
): boolean {
  if (code !== "invalid_type") return false;
  let parent = root;
  let key: PropertyKey = "value";
  for (const step of path) {
    const child = parent[key];
    if (!isContainer(child)) return false;
    const own = owned.has(child) ? child : copyOf(child);
    owned.add(own);
    put(parent, key, own);
    parent = own;
    key = step;
  }
  const before = Object.hasOwn(parent, key) ? parent[key] : undefined;
  const after = corrected(expected, before, Array.isArray(parent));
  if (after === before) return false;
  if (after !== LEFT_OUT) put(parent, key, after);
  else if (Array.isArray(parent)) {
    put(parent, key, LEFT_OUT);
    thinned.add(parent);
  } else delete parent[key];
  return true;
}

/**
 * The replacement of a value. A required field that is left out becomes empty in a further pass.
 */
function corrected(expected: string, value: unknown, isInList: boolean): unknown {
  const isNothing = value === undefined || value === null;
  if (isNothing && isInList) return LEFT_OUT;
  switch (expected) {
    case "string":
      if (isNothing) return "";
      return isContainer(value) ? JSON.stringify(value) : String(value);
    case "object":
    case "record":
      return isNothing ? {} : LEFT_OUT;
    case "array":
      return isNothing ? LEFT_OUT : [value];
    case "boolean":
      return value === "true" || value === "false" ? value === "true" : LEFT_OUT;
    case "number":
      return isNumeric(value) ? Number(value) : LEFT_OUT;
    default:
      // A number that is not an integer remains a number.
      return value;
  }
}

function isNumeric(value: unknown): boolean {
  return (
    typeof value === "bigint" || (typeof value === "string" && /^-?\d+(?:\.\d+)?$/u.test(value))
  );
}

/** Whether an issue is about a numeric ID, which is accepted. */
function isNumericId({ expected, path }: SchemaIssue, value: unknown): boolean {
  const isNumber = typeof value === "number" || typeof value === "bigint";
  return isNumber && expected === "string" && /^id$|Id$/u.test(String(path.at(-1) ?? ""));
}

function problemText({ code, expected, message }: SchemaIssue, value: unknown): string {
  if (code === "too_small" && value === "") return "expected string, but it is empty";
  if (code !== "invalid_type" || expected === "int") return schemaIssueText(message);
  const wanted = `expected ${expected === "record" ? "object" : expected}`;
  return value === undefined
    ? `${wanted}, but it is missing`
    : `${wanted}, received ${kindOf(value)}`;
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value === "bigint" ? "number" : typeof value;
}

function nameOf(value: unknown): string | undefined {
  if (!isJsonObject(value)) return undefined;
  const names = [value.id, value.name].filter(
    (one) =>
      (typeof one === "string" && one !== "") || typeof one === "number" || typeof one === "bigint",
  );
  return names.length === 0 ? undefined : String(names[0]);
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let found = value;
  for (const key of path) {
    if (!isContainer(found) || !Object.hasOwn(found, key)) return undefined;
    found = found[key];
  }
  return found;
}

function isContainer(value: unknown): value is Container {
  return typeof value === "object" && value !== null;
}

function copyOf(source: Container): Container {
  return (Array.isArray(source) ? source.slice() : { ...source }) as Container;
}

/** Puts a value in its place. Assignment would treat a field named __proto__ specially. */
function put(target: Container, key: PropertyKey, value: unknown): void {
  if (key !== "__proto__") target[key] = value;
  else
    Object.defineProperty(target, key, {
      value,
      writable: true,
      enumerable: true,
      configurable: true,
    });
}
