import { redactSecrets } from "../secrets/secret.ts";
import { kebabCase } from "../settings.ts";
import { asList } from "./basics.ts";
import {
  type CommandPath,
  type CommandTarget,
  isCommandPath,
  targetOptions,
} from "./command-paths.ts";
import { type ShellWord, shellLine } from "./shell.ts";

/** The value of an option: `true` for a flag; `undefined` and `false` leave the option out. */
type OptionValue = ShellWord | number | boolean | readonly ShellWord[] | undefined;

/** The options by camel-case key; one letter is a short option (`f`: `-f`). */
export type SuggestedOptions = Readonly<Record<string, OptionValue>>;

interface SuggestionParts {
  /** The words after `amp`. */
  readonly path: string;
  readonly args: readonly ShellWord[];
  readonly options: SuggestedOptions;
  /** The options of the target that the command takes. */
  readonly takes: readonly (keyof CommandTarget)[];
  /** Whether the path was read from a command tree; the compiler checked any other. */
  readonly isOfTree?: true;
  /** The command that it runs, after `--`; its target is that of the command around it. */
  readonly runs?: SuggestedCommandData;
  /** Whether it is the command that was typed, corrected: then it keeps what else was typed. */
  readonly isCorrection?: true;
}

/**
 * A command that the reader may type next, as data: its renderer decides where it folds, and adds
 * the target of the previous command. In JSON it is its line.
 */
class SuggestedCommandData {
  readonly parts: SuggestionParts;

  constructor(parts: SuggestionParts) {
    this.parts = parts;
  }

  /** The command for a target; the command's own options have precedence. */
  at(target: CommandTarget): SuggestedCommandData {
    const { options, takes } = this.parts;
    const carried = takes.flatMap((name) => {
      const isMissing = options[name] === undefined && target[name] !== undefined;
      return isMissing ? [[name, target[name]]] : [];
    });
    if (carried.length === 0) return this;
    return new SuggestedCommandData({
      ...this.parts,
      options: { ...options, ...Object.fromEntries(carried) },
    });
  }

  /** The command as a correction of the one that was typed; see {@link withTypedOptions}. */
  asCorrection(): SuggestedCommandData {
    return new SuggestedCommandData({ ...this.parts, isCorrection: true });
  }

  /** A correction that may be wrong, so it does not repeat the confirmation. */
  asGuess(): SuggestedCommandData {
    const options = { ...this.parts.options, yes: false };
    return new SuggestedCommandData({ ...this.parts, options }).asCorrection();
  }

  /**
   * A correction of this command with the typed options; its own have precedence, but for the file
   * that it has a placeholder for.
   */
  withTyped(path: string, typed: SuggestedOptions): SuggestedCommandData {
    if (this.parts.isCorrection === undefined) return this;
    const own = this.parts.options;
    const { file, ...others } = typed;
    // What was accepted before stays accepted.
    const accept = [...asList(typed.accept), ...asList(own.accept)] as readonly ShellWord[];
    const isNamed = file !== undefined && own.f !== undefined;
    const named = isNamed ? { ...own, f: file } : own;
    const filled = own.accept === undefined ? named : { ...named, accept: [...new Set(accept)] };
    // What corrects a name may lead to another command, which has other options.
    const options =
      this.parts.path === path ? { ...(isNamed ? others : typed), ...filled } : filled;
    return new SuggestedCommandData({ ...this.parts, options });
  }

  /** One line for a POSIX shell, without secrets. */
  line(): string {
    const { path, args, options, runs } = this.parts;
    const optionsInWords = Object.entries(options).flatMap(([key, value]) =>
      optionWords(key, value),
    );
    // An argument that begins with a dash would be read as an option.
    const isDashed = args.some((arg) => typeof arg === "string" && /^-./u.test(arg));
    const words: ShellWord[] = [
      "amp",
      ...path
        .split(" ")
        .filter((word) => word !== "")
        .map((word) => (word.startsWith("<") ? { placeholder: word.slice(1, -1) } : word)),
    ];
    const typed = isDashed ? [...optionsInWords, "--", ...args] : [...args, ...optionsInWords];
    // The words are redacted before they are quoted: a secret in quotes would not be recognised.
    const line = shellLine([...words, ...redactSecrets(typed)]);
    return runs === undefined ? line : `${line} -- ${runs.line()}`;
  }

  toJSON(): string {
    return this.line();
  }
}

/** A command that the reader may type next; {@link suggest} makes one. */
export type SuggestedCommand = SuggestedCommandData;

/** The suggestion of an error or a message: one command, or several in their reading order. */
export type Suggestion = SuggestedCommand | readonly SuggestedCommand[];

/** The suggested commands that do nothing but ask where nobody can answer. */
const ASKING: ReadonlySet<CommandPath> = new Set(["notify state unlock"]);

/** Suggests a command; the compiler refuses one that does not exist. */
export function suggest(
  path: CommandPath,
  args: readonly ShellWord[] = [],
  options: SuggestedOptions = {},
): SuggestedCommand {
  const asking = ASKING.has(path) ? (["yes"] as const) : [];
  const takes = options.help === true ? [] : [...targetOptions(path), ...asking];
  return new SuggestedCommandData({ path, args, options, takes });
}

/** Suggests a command that runs another. */
export function suggestRunning(
  path: CommandPath,
  args: readonly ShellWord[],
  runs: SuggestedCommand,
): SuggestedCommand {
  return new SuggestedCommandData({ ...suggest(path, args).parts, runs });
}

/** Suggests a command without repeating the target, because the previous command saved it. */
export function suggestAtSavedTarget(
  path: CommandPath,
  options: SuggestedOptions = {},
): SuggestedCommand {
  return new SuggestedCommandData({ path, args: [], options, takes: [] });
}

/**
 * Suggests the help of a command or group.
 * @param path the path in the command tree; "" is amp itself
 */
export function suggestHelp(path: string): SuggestedCommand {
  const options = { help: true };
  return new SuggestedCommandData({ path, args: [], options, takes: [], isOfTree: true });
}

/** Suggests a command of the command tree by its path, which was read from it. */
export function suggestAt(path: string, args: readonly ShellWord[], options: SuggestedOptions) {
  if (isCommandPath(path)) return suggest(path, args, options);
  return new SuggestedCommandData({ path, args, options, takes: [], isOfTree: true });
}

/** Suggests the text of a help topic. */
export function suggestTopic(topic: string): SuggestedCommand {
  const path = `help ${topic}`;
  return new SuggestedCommandData({ path, args: [], options: {}, takes: [], isOfTree: true });
}

/** The lines of a suggestion, one for each command. */
export function suggestedLines(suggestion: Suggestion | undefined): string[] {
  return asList(suggestion).map((command) => command.line());
}

type Change = (command: SuggestedCommandData) => SuggestedCommandData;

/**
 * A copy of a value in which every suggested command has this target. Only arrays and plain objects
 * are entered; a value without suggestions is returned unchanged.
 */
export function atTarget<Value>(value: Value, target: CommandTarget): Value {
  const isEmpty = Object.values(target).every((option) => option === undefined);
  return isEmpty ? value : (visit(value, (command) => command.at(target)) as Value);
}

/**
 * A copy of a value in which every corrected command has the options that were typed.
 * @param path of the command that was typed
 */
export function withTypedOptions<Value>(
  value: Value,
  path: string,
  options: SuggestedOptions,
): Value {
  return visit(value, (command) => command.withTyped(path, options)) as Value;
}

function visit(value: unknown, change: Change): unknown {
  if (value instanceof SuggestedCommandData) return change(value);
  if (Array.isArray(value)) {
    const items = value.map((item) => visit(item, change));
    return items.every((item, at) => item === value[at]) ? value : items;
  }
  if (typeof value !== "object" || value === null || !isPlain(value)) return value;
  const entries = Object.entries(value);
  const items = entries.map(([key, item]): [string, unknown] => [key, visit(item, change)]);
  const isSame = items.every(([, item], at) => item === entries[at]?.[1]);
  // The spread has the symbols.
  return isSame ? value : { ...value, ...Object.fromEntries(items) };
}

function isPlain(value: object): boolean {
  return Object.getPrototypeOf(value) === Object.prototype;
}

/**
 * The words of an option with its value; a value that looks like an option is joined to its own.
 */
function optionWithValue(name: string, value: ShellWord): ShellWord[] {
  const joined = (text: string) => `${name}${name.startsWith("--") ? "=" : ""}${text}`;
  if (typeof value === "string") return /^-./u.test(value) ? [joined(value)] : [name, value];
  return "text" in value && /^-./u.test(value.text)
    ? [{ ...value, text: joined(value.text) }]
    : [name, value];
}

/** Options as they are typed: `--accept recreate`. */
export function optionsText(options: SuggestedOptions): string {
  return shellLine(Object.entries(options).flatMap(([key, value]) => optionWords(key, value)));
}

function optionWords(key: string, value: OptionValue): ShellWord[] {
  if (value === undefined || value === false) return [];
  const name = key.length === 1 ? `-${key}` : `--${kebabCase(key)}`;
  if (value === true) return [name];
  const values = Array.isArray(value) ? (value as readonly ShellWord[]) : [value as ShellWord];
  return values.flatMap((one) => optionWithValue(name, typeof one === "number" ? `${one}` : one));
}
