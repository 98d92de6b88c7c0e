import type { AmpError, InputIssue } from "../errors.ts";
import type { AnyCommand } from "./define.ts";
import type { Params } from "./param.ts";
import { kebab } from "./tree.ts";

/** Inputs that every command sends the same way. */
const GLOBAL_FLAGS: Readonly<Record<string, string>> = {
  projectIdOrName: "--project",
  "X-Api-Key": "AMP_API_KEY",
};

/** Names each invalid input of a problem by the option or argument that carried it. */
export function flagIssues(error: AmpError, command: AnyCommand): AmpError {
  const { issues } = error.facts;
  if (issues === undefined || issues.length === 0) return error;
  const flags = flagsByWireName(command);
  return error.with({ issues: issues.map((issue) => withFlag(issue, flags)) });
}

function withFlag(issue: InputIssue, flags: ReadonlyMap<string, string>): InputIssue {
  if (issue.flag !== undefined || issue.name === undefined) return issue;
  // The service may name a place within an input (`metadata.headers.x`): its nearest known parent.
  const parts = issue.name.replace(/^\$\.|^\//u, "").split(/[./]/u);
  for (let length = parts.length; length > 0; length -= 1) {
    const flag = flags.get(parts.slice(0, length).join("."));
    if (flag !== undefined) return { ...issue, flag };
  }
  return issue;
}

function flagsByWireName(command: AnyCommand): ReadonlyMap<string, string> {
  const flags = new Map(Object.entries(GLOBAL_FLAGS));
  const add = (params: Params, name: (key: string) => string) => {
    for (const [key, param] of Object.entries(params)) flags.set(param.wire ?? key, name(key));
  };
  add(command.args ?? {}, (key) => `<${kebab(key)}>`);
  add(command.options ?? {}, (key) => `--${kebab(key)}`);
  return flags;
}
