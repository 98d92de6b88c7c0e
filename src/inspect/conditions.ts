import { type Filter, isSameText } from "../values/filter.ts";
import { RESULT_FIELDS } from "../values/result-fields.ts";
import { timeAdvice } from "../values/time.ts";
import { inspectErrors } from "./errors.ts";
import { describedField } from "./explained-records.ts";

/** The fields that columns of the list of installations show under other names. */
const COLUMN_FIELDS: Readonly<Record<string, string>> = {
  health: "healthStatus",
  lastop: "lastOperationStatus",
  connection: "connection.status",
  updated: "updateTime",
};

/** The conditions that no value can meet, and how each is written instead. */
type Objection = readonly [problem: string, remedy: string];

/**
 * Refuses a condition on an installation that no value can ever meet: a check for it would always
 * pass, and a wait for it never end. In quotes, a name or a value is any text, as a service may
 * have fields and states that are newer than amp.
 * @param option that the condition was given with
 * @throws {UsageError} with the way to write it
 */
export function assertPossible(filter: Filter, option: string): void {
  const { text, isQuotedName, wanted } = filter;
  const isEmpty = ["", "null"].includes(wanted.text) && !isOrder(filter);
  if (isQuotedName || isEmpty || /["']\s*$/u.test(text)) return;
  const objection = objectionTo(filter);
  if (objection === undefined) return;
  const [problem, remedy] = objection;
  const field = described(filter.name)?.path ?? "installation";
  throw inspectErrors.condition_impossible(`${option} ${text}`, problem, remedy, field);
}

/**
 * Refuses conditions of a wait of which each may hold, but never all of them together.
 * @throws {UsageError} that names two of them
 */
export function assertTogetherPossible(wanted: readonly Filter[], unwanted: readonly Filter[]) {
  for (const [at, one] of wanted.entries()) {
    const other = wanted.slice(at + 1).find((next) => isContrary(one, next));
    const failing = unwanted.find((next) => isSameCondition(one, next));
    if (other)
      throw inspectErrors.conditions_conflict(
        `--for ${one.text} and --for ${other.text} cannot both be true`,
      );
    if (failing)
      throw inspectErrors.conditions_conflict(`--for ${one.text} is also a condition of --fail-on`);
  }
}

function isContrary(one: Filter, other: Filter): boolean {
  const [field, otherField] = [fieldOf(one.name), fieldOf(other.name)];
  const isOne = field === otherField && !/^list|^map|object/u.test(typeOf(one.name));
  const isSameValue = isSameText(one.wanted.text, other.wanted.text);
  const operators = [one.operator, other.operator].toSorted().join(" ");
  return isOne && ((operators === "= =" && !isSameValue) || (operators === "!= =" && isSameValue));
}

function isSameCondition(one: Filter, other: Filter): boolean {
  const isSame = fieldOf(one.name) === fieldOf(other.name) && one.operator === other.operator;
  return isSame && isSameText(one.wanted.text, other.wanted.text);
}

function objectionTo(filter: Filter): Objection | undefined {
  const { name, wanted } = filter;
  const states = statesOf(name);
  if (states !== undefined) return stateObjection(filter, states);
  switch (typeOf(name)) {
    case "date-time":
      return timeObjection(filter);
    case "boolean":
      return valueObjection(filter, !isOrder(filter) && isPart(filter, BOOLEANS), "true or false");
    case "integer":
      return valueObjection(
        filter,
        filter.operator === "~" || wanted.number !== undefined,
        "a number",
      );
    case "string":
      return wanted.period?.isAgo && isOrder(filter)
        ? [`${name} is not a time`, "Compare it with = != or ~."]
        : undefined;
    default:
      return isOrder(filter) && described(name)
        ? [`${name} cannot be compared with < or >`, "Compare a field inside it."]
        : undefined;
  }
}

/** The states that amp knows of a field or column of installations; undefined where it has none. */
export function statesOf(name: string): readonly string[] | undefined {
  return described(name)?.values;
}

const BOOLEANS = ["true", "false", "yes", "no"];

function stateObjection(filter: Filter, states: readonly string[]): Objection | undefined {
  const { name, operator, wanted } = filter;
  if (isOrder(filter))
    return [`${name} cannot be compared with < or >`, "Compare it with = != or ~."];
  // On a terminal they are words: "bad credentials".
  const words = states.flatMap((state) => [state, state.replaceAll("_", " ")]);
  if (isPart(filter, words)) return undefined;
  const quoted = `${name}${operator}"${wanted.text}"`;
  return [
    `${JSON.stringify(wanted.text)} is not a known value of ${name}`,
    `Choose one of: ${states.join(", ")}. To use another value, quote it: '${quoted}'.`,
  ];
}

function timeObjection({ name, operator, wanted }: Filter): Objection | undefined {
  if (operator === "~") return undefined;
  const isEqual = operator === "=" || operator === "!=";
  if (wanted.period !== undefined && !(isEqual && wanted.period?.isAgo)) return undefined;
  if (wanted.period === undefined)
    return [`${JSON.stringify(wanted.text)} is not a time`, timeAdvice(wanted.text)];
  return [
    `no time is exactly ${wanted.text} ago`,
    `'${name}>${wanted.text}' is in the last ${wanted.text}, '${name}<${wanted.text}' before that.`,
  ];
}

function valueObjection(
  { name, wanted }: Filter,
  fits: boolean,
  kind: string,
): Objection | undefined {
  if (fits) return undefined;
  return [`${name} is ${kind}, not ${JSON.stringify(wanted.text)}`, `Compare it with ${kind}.`];
}

/** Whether a condition of `=`, `!=` or `~` is about one of these values. */
export function isPart({ operator, wanted }: Filter, values: readonly string[]): boolean {
  const text = wanted.text.toLowerCase();
  if (operator === "~") return values.some((value) => value.toLowerCase().includes(text));
  return values.some((value) => isSameText(value, text));
}

function isOrder({ operator }: Filter): boolean {
  return /^[<>]/u.test(operator);
}

/** Whether a name is that of the provider, as a field or as a column. */
export function isOfProvider(name: string): boolean {
  return /(?:^|\.)provider$/iu.test(name);
}

/** Whether a name is that of the health, as a field or as a column. */
export function isOfHealth(name: string): boolean {
  return fieldOf(name) === "healthStatus";
}

function fieldOf(name: string): string {
  return COLUMN_FIELDS[name.toLowerCase().replace(/[\s_-]/gu, "")] ?? name;
}

function described(name: string) {
  return describedField(RESULT_FIELDS.installation, fieldOf(name));
}

/** The type of a field in words; empty where it is not described. */
function typeOf(name: string): string {
  return described(name)?.type ?? "";
}
