import type { GlobalOptions } from "../context.ts";
import type { AmpError } from "../errors.ts";
import { quote } from "../shell-words.ts";
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
  const told = Object.entries({ suggestion, detail, done, remedy }).flatMap(([name, text]) =>
    text === undefined ? [] : [[name, text.split("\n").map(carried(target)).join("\n")]],
  );
  return error.with(Object.fromEntries(told));
}

const COMMAND =
  /^(?:\s*|.*: {2,})amp notify (?:setup|plan|apply|status|resume|import|resolve|forget|unlock|state|export)\b/u;

function carried(target: ReadonlyMap<string, string>): (line: string) => string {
  return (line) => {
    if (!COMMAND.test(line)) return line;
    const missing = [...target].filter(([name]) => !line.includes(`${name} `));
    return [line, ...missing.map(([name, value]) => `${name} ${quote(value)}`)].join(" ");
  };
}
