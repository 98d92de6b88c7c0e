import type { ZodMiniType } from "zod/mini";
import { isJsonObject } from "../../values/json.ts";
import { type OddField, rememberOriginal } from "../../values/odd-fields.ts";
import { schemaIssueText } from "../../values/schema-issue.ts";

/** An issue of a schema, as far as it is used here. */
export interface SchemaIssue {
  readonly code?: string;
  readonly expected?: string;
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** A record in which the fields have the types that they should, and what was odd in it. */
interface Conformed {
  readonly value: unknown;
  readonly odd: readonly OddField[];
}

type Container = Record<PropertyKey, unknown>;

/** A value may hide another one that is odd: a list of one text, that should hold objects. */
const MAX_PASSES = 8;

/**
 * An answer with each of its records that is not as specified replaced by its proper copy. The records
 * of a list and of a map are judged one by one, so that each is found again by itself.
 * @param before the number of records in earlier batches of the list
 */
export function conformedAnswer(
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
  /** Of a list. */
  readonly element?: ZodMiniType;
  /** Of a map. */
  readonly valueType?: ZodMiniType;
}

/** Whether an answer is a list. */
export function isListSchema(schema: ZodMiniType): boolean {
  return "element" in schema._zod.def;
}

/**
 * A copy of a record in which each field that the schema knows has the type that it should: a text is
 * made of what should be one, and what cannot be turned into the type is left out. The record itself is
 * what amp writes as data; see `asSent`.
 * @param issues of the schema with this value
 * @param place names the record if it has neither ID nor name
 */
function conformed(
  schema: ZodMiniType,
  value: unknown,
  issues: readonly SchemaIssue[],
  place: string,
): Conformed {
  const record = nameOf(value) ?? place;
  const odd = issues.flatMap((issue): OddField[] => {
    const found = valueAt(value, issue.path);
    if (isNumericId(issue, found)) return [];
    const path = issue.path.map(String).join(".");
    return [{ record, path, problem: problemText(issue, found), value: found }];
  });
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
    left = schema.safeParse(root.value, { jitless: true }).error?.issues ?? [];
  }
  const copy = root.value;
  if (copy !== value && isContainer(copy)) rememberOriginal(copy, { value, odd });
  return { value: copy, odd };
}

/** Stands in a list for an element that is left out, until all issues of a pass are corrected. */
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

/** What is taken in place of a value; where a field is required, what is left out comes back as empty. */
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
      // A number that is no integer is a number all the same.
      return value;
  }
}

function isNumeric(value: unknown): boolean {
  return (
    typeof value === "bigint" || (typeof value === "string" && /^-?\d+(?:\.\d+)?$/u.test(value))
  );
}

/** IDs that are numbers are IDs: nothing is wrong with them. */
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

/** Not by assignment: a field named __proto__ is data here. */
function put(target: Container, key: PropertyKey, value: unknown): void {
  Object.defineProperty(target, key, {
    value,
    writable: true,
    enumerable: true,
    configurable: true,
  });
}
