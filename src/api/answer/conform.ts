import type { ZodMiniType } from "zod/mini";
import { isJsonObject, schemaIssueText } from "../../values/json.ts";
import { type OddField, rememberOriginal } from "../../values/odd-fields.ts";
import type { CompiledCheck } from "./compiled-checks.ts";

/** The fields of a schema's issue that are used. */
export interface SchemaIssue {
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
export function correctedAnswer(
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

/** What a schema finds in a value. */
export function issuesWith(schema: ZodMiniType, value: unknown): readonly SchemaIssue[] {
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
