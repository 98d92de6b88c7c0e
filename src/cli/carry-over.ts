import type { GlobalOptions } from "../context/output-settings.ts";
import type { AmpError } from "../errors.ts";
import { quote } from "../values/shell.ts";
import type { Invocation } from "./execute.ts";

/** What was typed of where a command acts, to be repeated by the command that comes next. */
export function typedTarget(
  { typedOptions }: Pick<Invocation, "typedOptions">,
  { profile, project, baseUrl }: GlobalOptions,
): ReadonlyMap<string, string> {
  const state = typedOptions.state;
  const typed = {
    "--profile": profile,
    "--base-url": baseUrl,
    "--project": project,
    "--state": Array.isArray(state) ? state.at(-1) : undefined,
  };
  return new Map(Object.entries(typed).flatMap(([name, value]) => (value ? [[name, value]] : [])));
}

/**
 * Lets the commands that an error suggests act where the failed one did: copied as they stand, they
 * would act on the defaults. Only commands on a line of their own, or behind `label:  `, are meant.
 */
export function carryOver(error: AmpError, target: ReadonlyMap<string, string>): AmpError {
  const { suggestion, detail, done, remedy } = error.facts;
  if (target.size === 0) return error;
  const carry = carried(target);
  const told = Object.entries({ suggestion, detail, done, remedy }).flatMap(([name, text]) =>
    text === undefined ? [] : [[name, text.split("\n").map(carry).join("\n")]],
  );
  const { data } = error.facts;
  return error.with({
    ...Object.fromEntries(told),
    ...(data === undefined ? {} : { data: carriedData(data, carry) }),
  });
}

/** What a program reads has the same commands, as `command` and `commands`. */
function carriedData<Data>(data: Data, carry: (line: string) => string): Data {
  if (typeof data !== "object" || data === null) return data;
  if (Array.isArray(data)) return data.map((each) => carriedData(each, carry)) as Data;
  const entries = Object.entries(data).map(([name, value]) => {
    if (name === "command" && typeof value === "string") return [name, carry(value)];
    if (name === "commands" && isLines(value)) return [name, value.map(carry)];
    return [name, carriedData(value, carry)];
  });
  return Object.fromEntries(entries) as Data;
}

function isLines(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((line) => typeof line === "string");
}

/** Those that act on a routing and its state. */
const ROUTING =
  /^(?:\s*|.*: {2,})amp notify (?:setup|plan|apply|status|resume|import|resolve|forget|unlock|state|export)\b/u;
/** Those that show what is there; they know no state. */
const LOOKING =
  /^(?:\s*|.*: {2,})amp (?:(?:apps|providers|installations|invites) (?:list|get)|auth status)\b(?!.* --help)/u;

function carried(target: ReadonlyMap<string, string>): (line: string) => string {
  return (line) => {
    const isRouting = ROUTING.test(line);
    if (!isRouting && !LOOKING.test(line)) return line;
    const missing = [...target].filter(
      ([name]) => (isRouting || name !== "--state") && !line.includes(`${name} `),
    );
    return [line, ...missing.map(([name, value]) => `${name} ${quote(value)}`)].join(" ");
  };
}
