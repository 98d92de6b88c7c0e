import type { SettingsReader } from "../context/command-context.ts";
import { type AmpError, type InputIssue, UsageError } from "../errors.ts";
import { kebabCase, SETTINGS } from "../settings.ts";
import type { CommandTarget } from "../values/command-paths.ts";
import { suggestHelp } from "../values/suggested-command.ts";
import type { CommandNode } from "./command-node.ts";
import type { AnyCommand } from "./define.ts";
import type { Param, Params } from "./param.ts";

/** One command as it was typed. */
export interface Invocation {
  /** `notify topics create`. */
  readonly path: string;
  readonly command: AnyCommand;
  /** The words of each declared argument, in its order. */
  readonly typedArguments: readonly (readonly string[])[];
  /** The values of each option that was typed; `true` for a flag. */
  readonly typedOptions: Readonly<Record<string, readonly string[] | boolean | undefined>>;
  /** Where it acts, as far as that was typed: what it suggests acts there, too. */
  readonly target: CommandTarget;
  readonly tree: () => Promise<CommandNode>;
}

/** The values of one invocation, by key. */
export interface ReadParams {
  readonly args: Record<string, unknown>;
  readonly options: Record<string, unknown>;
}

/** An argument or option of the command with what was typed for it. */
interface TypedParam {
  readonly side: keyof ReadParams;
  readonly key: string;
  /** As messages call it: `<app>`, `--group-ref`. */
  readonly name: string;
  readonly param: Param<unknown>;
  readonly words: readonly string[];
}

/**
 * What was typed, understood; settings stand in for what was not.
 * @throws {UsageError} that names every argument and option that is missing, or one that is wrong
 */
export function readParams(invocation: Invocation, settings: SettingsReader): ReadParams {
  const all = typedParams(invocation).map((typed) => ({
    ...typed,
    setting: settingValue(typed, settings),
  }));
  const missing = all.filter(
    ({ words, setting, param }) => param.mandatory && words.length === 0 && setting === undefined,
  );
  if (missing.length > 0) throw missingParams(missing, invocation.path);
  const read: ReadParams = { args: {}, options: {} };
  for (const { side, key, name, param, words, setting } of all) {
    read[side][key] =
      words.length === 0 && setting !== undefined
        ? parsed(setting.source, param, [setting.value])
        : readTyped(name, param, words);
  }
  return read;
}

function typedParams({ command, typedArguments, typedOptions }: Invocation): TypedParam[] {
  const args: Params = command.args ?? {};
  const options: Params = command.options ?? {};
  return [
    ...Object.entries(args).map(([key, param], index) => ({
      side: "args" as const,
      key,
      name: `<${kebabCase(key)}>`,
      param,
      words: typedArguments[index] ?? [],
    })),
    ...Object.entries(options).map(([key, param]) => ({
      side: "options" as const,
      key,
      name: `--${kebabCase(key)}`,
      param,
      words: wordsOf(typedOptions[key]),
    })),
  ];
}

function wordsOf(typed: readonly string[] | boolean | undefined): readonly string[] {
  if (typed === true) return [""];
  return typed === false || typed === undefined ? [] : typed;
}

/** The setting that supplies a value which was not typed. */
function settingValue({ param, words }: TypedParam, settings: SettingsReader) {
  if (words.length > 0 || param.setting === undefined) return undefined;
  return settings.get(param.setting);
}

function readTyped(name: string, param: Param<unknown>, words: readonly string[]): unknown {
  if (words.length > 0) return parsed(name, param, words);
  // A flag is false and a list empty; anything else is absent.
  return param.repeats || !param.takesValue ? param.parse([]) : undefined;
}

function parsed(name: string, param: Param<unknown>, typed: readonly string[]): unknown {
  try {
    return param.parse(typed);
  } catch (error) {
    if (error instanceof UsageError) throw new UsageError(`${name}: ${error.message}`, error.facts);
    throw error;
  }
}

const KINDS = { args: "argument", options: "option" } as const satisfies Record<
  keyof ReadParams,
  string
>;

function missingParams(missing: readonly TypedParam[], path: string): UsageError {
  const names = missing.map(({ name }) => name).join(", ");
  const sides = new Set(missing.map(({ side }) => side));
  const [side] = sides.size === 1 ? sides : [];
  const kind = side && KINDS[side] + (missing.length > 1 ? "s" : "");
  const elsewhere = missing.flatMap(({ name, param }) => settingRemedy(name, param));
  return new UsageError(["missing", kind, names].filter(Boolean).join(" "), {
    ...(elsewhere.length === 0 ? {} : { remedy: elsewhere.join(" ") }),
    suggestion: suggestHelp(path),
  });
}

function settingRemedy(name: string, { setting }: Param<unknown>): string[] {
  const facts = setting === undefined ? undefined : SETTINGS[setting];
  if (facts === undefined || !("env" in facts)) return [];
  return [`${name} can also come from ${facts.env} or the profile.`];
}

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
  add(command.args ?? {}, (key) => `<${kebabCase(key)}>`);
  add(command.options ?? {}, (key) => `--${kebabCase(key)}`);
  return flags;
}
