import type { CommandContext, SettingsReader } from "../context/command-context.ts";
import { type AmpError, type InputIssue, UsageError } from "../errors.ts";
import { kebabCase, SETTINGS } from "../settings.ts";
import { asList } from "../values/basics.ts";
import type { CommandTarget } from "../values/command-paths.ts";
import { inputErrors } from "../values/errors.ts";
import {
  type SuggestedCommand,
  type SuggestedOptions,
  suggest,
  suggestAt,
  suggestHelp,
} from "../values/suggested-command.ts";
import type { AnyCommand, CommandNode } from "./define.ts";
import { cliErrors } from "./errors.ts";
import type { Param, Params } from "./param.ts";

/** A command line after parsing. */
export interface Invocation {
  /** The path of the command, such as `notify topics create`. */
  readonly path: string;
  readonly command: AnyCommand;
  /** The words of each declared argument, in order. */
  readonly typedArguments: readonly (readonly string[])[];
  /** The values of each option that was typed; `true` for a flag. */
  readonly typedOptions: Readonly<Record<string, readonly string[] | boolean | undefined>>;
  /** The global options that were typed, and the defaults of those that turn something off. */
  readonly globals: Readonly<Record<string, unknown>>;
  /** The typed options for the target: suggested commands use them, too. */
  readonly target: CommandTarget;
  readonly tree: () => Promise<CommandNode>;
}

/** The values of one invocation, by key. */
export interface ReadParams {
  readonly args: Record<string, unknown>;
  readonly options: Record<string, unknown>;
}

interface DeclaredParam {
  readonly side: "args" | "options";
  readonly key: string;
  /** The name in messages: `<app>`, `--group-ref`. */
  readonly name: string;
  readonly param: Param<unknown>;
}

function declaredParams({ args, options }: AnyCommand): DeclaredParam[] {
  const declared = (side: DeclaredParam["side"], params: Params = {}) =>
    Object.entries(params).map(([key, param]) => {
      const name = side === "args" ? `<${kebabCase(key)}>` : `--${kebabCase(key)}`;
      return { side, key, name, param };
    });
  return [...declared("args", args), ...declared("options", options)];
}

/**
 * The value of an option; the parser takes `--no-logs` for an option `logs` that was turned off.
 */
function typedOption(typed: Invocation["typedOptions"], key: string) {
  const [, first, rest] = /^no([A-Z])(.*)$/u.exec(key) ?? [];
  if (first === undefined) return typed[key];
  return typed[`${first.toLowerCase()}${rest}`] === false ? true : undefined;
}

/**
 * Asks on a terminal for what is required and was not typed, as far as it has a question.
 * @returns the invocation with the answers, as if they had been typed
 */
export async function askParams(
  invocation: Invocation,
  context: Pick<CommandContext, "interactive" | "prompt">,
): Promise<Invocation> {
  const typedArguments = [...invocation.typedArguments];
  const typedOptions = { ...invocation.typedOptions };
  for (const [index, { side, key, name, param }] of declaredParams(invocation.command).entries()) {
    const typed = side === "args" ? typedArguments[index] : typedOption(typedOptions, key);
    const isTyped = typed === true || (typed || []).length > 0;
    // Whether somebody can answer is asked last: to know it takes milliseconds.
    if (!param.mandatory || param.question === undefined || isTyped) continue;
    if (!context.interactive) return invocation;
    const answer = await askParam(context.prompt, param, name);
    if (side === "args") typedArguments[index] = [answer];
    else typedOptions[key] = [answer];
  }
  return { ...invocation, typedArguments, typedOptions };
}

function askParam(
  prompt: CommandContext["prompt"],
  { question: message = "", suggestions, accepts = () => true }: Param<unknown>,
  flag: string,
): Promise<string> {
  const check = (answer: string) => (answer.trim() === "" ? "Required" : accepts(answer));
  if (suggestions === undefined) return prompt.input({ message, flag, check });
  const choices = suggestions.map((value) => ({ value, label: value }));
  return prompt.select({ message, flag, choices, isSearched: true });
}

/**
 * Reads the typed words; settings supply the parameters that were not typed.
 * @param assertLoggedIn throws if the service is not known
 * @throws {UsageError} that names every argument and option that is missing or not valid
 */
export function readParams(
  invocation: Invocation,
  settings: SettingsReader,
  assertLoggedIn: () => void,
): ReadParams {
  const { command, typedArguments, typedOptions } = invocation;
  const all = declaredParams(command).map((declared, index) => {
    const { side, key, param } = declared;
    const typed = side === "args" ? typedArguments[index] : typedOption(typedOptions, key);
    const words = typed === true ? [""] : typed || [];
    const isOpen = words.length === 0 && param.setting !== undefined;
    return { ...declared, words, setting: isOpen ? settings.get(param.setting) : undefined };
  });
  const missing = all.filter(
    ({ words, setting, param }) => param.mandatory && words.length === 0 && setting === undefined,
  );
  if (missing.length > 0) {
    // A login would have the value, and without one it alone would not suffice.
    if (missing.every(({ param }) => param.setting !== undefined)) assertLoggedIn();
    throw missingParams(missing, invocation.path);
  }
  const read: ReadParams = { args: {}, options: {} };
  for (const { side, key, name, param, words, setting } of all) {
    read[side][key] = setting
      ? parsed(setting.source, param, [setting.value])
      : readTyped(name, param, words);
  }
  return read;
}

/**
 * Takes the values that were typed as `-` from standard input, if their parameters allow it.
 * @throws {UsageError} if it is empty
 */
export async function pasteParams(
  { command }: Pick<Invocation, "command">,
  read: ReadParams,
  { files, report }: Pick<CommandContext, "files" | "report">,
): Promise<void> {
  for (const { side, key, name, param } of declaredParams(command)) {
    const typed = read[side][key];
    if (!param.pasted || String(typed) !== "-") continue;
    const ask = () => report.notice("Paste the text, then press Enter and Ctrl-D.");
    const pasted = (await files.paste(ask)).trim();
    if (pasted === "") throw cliErrors.stdin_empty(name);
    read[side][key] = Array.isArray(typed) ? [pasted] : pasted;
  }
}

/**
 * The paths of the files that a command is to read.
 * @throws {UsageError} if it is to read standard input several times
 */
export function inputFiles(
  { command, globals }: Pick<Invocation, "command" | "globals">,
  read: ReadParams,
): string[] {
  const inputs = declaredParams(command).flatMap(({ side, key, name, param }) => {
    return asList(read[side][key]).flatMap((path) => {
      const isInput = param.reads || (param.pasted && path === "-");
      return isInput && typeof path === "string" ? { name, path } : [];
    });
  });
  const keys = ["apiKeyFile", "accessTokenFile"].map((key) => {
    return { name: `--${kebabCase(key)}`, path: globals[key] };
  });
  const pasted = [...inputs, ...keys].flatMap(({ name, path }) => (path === "-" ? name : []));
  if (pasted.length < 2) return inputs.flatMap(({ path }) => (path === "-" ? [] : path));
  throw inputErrors.stdin_twice(
    "Pass a file instead of one of them.",
    `: ${pasted.join(" and ")} are both -`,
  );
}

function readTyped(name: string, param: Param<unknown>, words: readonly string[]): unknown {
  // Without a word, a flag is false, a list empty, and an option has its default or is absent.
  const isPresent = words.length > 0 || param.presence === "required";
  return isPresent ? parsed(name, param, words) : undefined;
}

function parsed(name: string, param: Param<unknown>, typed: readonly string[]): unknown {
  try {
    return param.parse(typed);
  } catch (error) {
    throw error instanceof UsageError ? error.at(name) : error;
  }
}

function missingParams(missing: readonly DeclaredParam[], path: string): UsageError {
  const names = missing.map(({ name }) => name).join(", ");
  const kinds = new Set(missing.map(({ side }) => (side === "args" ? "argument" : "option")));
  const [kind] = kinds.size === 1 ? kinds : [];
  const elsewhere = missing.flatMap(({ name, param }) => settingRemedy(name, param));
  const [only, ...others] = missing;
  const choices = others.length === 0 ? only?.param.choices : undefined;
  if (choices !== undefined) elsewhere.push(`Choose one of: ${choices.join(", ")}.`);
  return cliErrors.params_missing(
    ["Missing", kind && missing.length > 1 ? `${kind}s` : kind, names].filter(Boolean).join(" "),
    elsewhere.length === 0 ? undefined : elsewhere.join(" "),
    LISTED_BY[names] ??
      (names === "--file" ? suggestAt(path, [], { f: "routing.yaml" }) : suggestHelp(path)),
  );
}

const LISTED_BY: Readonly<Record<string, SuggestedCommand>> = {
  "--org": suggest("projects list"),
};

function settingRemedy(name: string, { setting }: Param<unknown>): string[] {
  const facts = setting === undefined ? undefined : SETTINGS[setting];
  if (facts === undefined || !("env" in facts)) return [];
  const listed =
    name === "--org" ? ["The list of projects has it in the column ORGANISATION."] : [];
  return [`${name} can also come from ${facts.env} or the profile.`, ...listed];
}

/**
 * The typed options as a corrected command repeats them: all but those of the target, which every
 * suggested command gets.
 */
export function repeatedOptions({ command, globals, target }: Invocation): SuggestedOptions {
  const isDeclared = (key: string) => command.options?.[key] !== undefined;
  const repeated = Object.entries(globals).flatMap(([key, value]): [string, unknown][] => {
    if (key in target) return [];
    // The parser has `logs: true` where `--no-logs` was not typed.
    const negated = `no${key[0]?.toUpperCase()}${key.slice(1)}`;
    const flags = (SETTINGS as Readonly<Record<string, { readonly flags?: string }>>)[key]?.flags;
    const isNegated = isDeclared(key) ? false : isDeclared(negated) || flags?.startsWith("--no-");
    if (!isNegated) return [[key, value]];
    return value === false ? [[negated, true]] : [];
  });
  return Object.fromEntries(repeated) as SuggestedOptions;
}

/** The options of the inputs that every command sends. */
const GLOBAL_FLAGS: Readonly<Record<string, string>> = {
  projectIdOrName: "--project",
  "X-Api-Key": "AMP_API_KEY",
};

/** Names each invalid input of a problem by the option or argument that carried it. */
export function flagIssues(error: AmpError, command: AnyCommand): AmpError {
  const { issues } = error.facts;
  if (issues === undefined || issues.length === 0) return error;
  const own = declaredParams(command).map(
    ({ key, name, param }) => [param.wire ?? key, name] as const,
  );
  const flags = new Map([...Object.entries(GLOBAL_FLAGS), ...own]);
  return error.setFacts({ issues: issues.map((issue) => withFlag(issue, flags)) });
}

function withFlag(issue: InputIssue, flags: ReadonlyMap<string, string>): InputIssue {
  if (issue.flag !== undefined || issue.name === undefined) return issue;
  // The service may name a part of an input (`metadata.headers.x`): the known parent counts.
  const parts = issue.name.replace(/^\$\.|^\//u, "").split(/[./]/u);
  for (let length = parts.length; length > 0; length -= 1) {
    const flag = flags.get(parts.slice(0, length).join("."));
    if (flag !== undefined) return { ...issue, flag };
  }
  return issue;
}
