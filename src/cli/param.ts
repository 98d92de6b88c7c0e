import type { SeenKind } from "../account/seen-names.ts";
import type { SettingName } from "../settings.ts";
import { UUID } from "../values/basics.ts";
import { inputErrors } from "../values/errors.ts";
import { readDuration } from "../values/time.ts";

/**
 * The values that completion offers besides a list of words: paths, the names of saved logins, the
 * paths of fields that `amp explain` knows, the fields of the command's own result, or names that
 * lists have shown.
 */
export type Completion = "file" | "profile" | "field" | "own-field" | SeenKind;

/** The declaration of an argument or option. `Value` is the type that the command receives. */
export interface Param<Value, Presence extends "required" | "optional" = "required" | "optional"> {
  readonly description: string;
  /**
   * Whether the command can rely on the value: without one, a flag is false, a list empty, another
   * its default.
   */
  readonly presence: Presence;
  readonly mandatory: boolean;
  /** Whether a value follows the option; a flag has none. */
  readonly takesValue: boolean;
  /** Whether the parameter may be given several times; the value is then a list. */
  readonly repeats: boolean;
  /** Whether several words are one value, which needs no quotes. */
  readonly isPhrase?: true;
  /** The name of the value in help, for example `id`. */
  readonly placeholder: string;
  /** The closed set of values, shown in help and completed. */
  readonly choices?: readonly string[];
  /** Known values of an open set: completed, never enforced. */
  readonly suggestions?: readonly string[];
  readonly complete?: Completion;
  /** What a terminal asks for where it is required and was not typed; absent: it is an error. */
  readonly question?: string;
  /** The check of the answer to it: true, or the reason why it is asked again. */
  readonly accepts?: (answer: string) => true | string;
  /** Whether it is a file that the command reads: a missing one is named before the login. */
  readonly reads?: true;
  /** Whether `-` takes the value from standard input, where a terminal may paste it. */
  readonly pasted?: true;
  /** Whether help and completion leave it out: an earlier name that still works. */
  readonly hidden?: true;
  /** The short form, a letter without its dash, for common options. */
  readonly short?: string;
  /** The setting that supplies the value where the command line does not. */
  readonly setting?: SettingName;
  /** The key of the option of the same command without which this one has no effect. */
  readonly needs?: string;
  /** The service's name of this input where it is not the key (`groupRef`): `metadata.url`. */
  readonly wire?: string;
  /**
   * The value of the typed words; without any, it is called only where a value is always present.
   * @throws {UsageError} for an invalid value; the message need not name the option
   */
  readonly parse: (typed: readonly string[]) => Value;
}

/** Declared arguments or options by camel-case key; the flag is the key in kebab case. */
export type Params = Readonly<Record<string, Param<unknown>>>;

/** The values that a command receives for its declaration. */
export type Values<P extends Params> = {
  readonly [K in keyof P]: P[K] extends Param<infer Value, infer Presence>
    ? Presence extends "required"
      ? Value
      : Value | undefined
    : never;
};

/** The optional facts of a parameter. */
export type ParamFacts = Partial<
  Pick<
    Param<unknown>,
    | "placeholder"
    | "suggestions"
    | "question"
    | "accepts"
    | "complete"
    | "reads"
    | "short"
    | "setting"
    | "wire"
    | "hidden"
    | "pasted"
  >
>;

type Required<Value> = Param<Value, "required">;
type Optional<Value> = Param<Value, "optional">;

/** A single value that `read` parses; optional unless the caller makes it {@link required}. */
export function value<Value>(
  description: string,
  placeholder: string,
  read: (typed: string) => Value,
  facts: ParamFacts & { choices?: readonly string[] } = {},
): Optional<Value> {
  return {
    description,
    placeholder,
    presence: "optional",
    mandatory: false,
    takesValue: true,
    repeats: false,
    ...facts,
    parse: (typed) => read(typed.at(-1) ?? ""),
  };
}

/** A text that is not empty: an empty variable in a script is an error. */
export function text(description: string, facts: ParamFacts = {}): Optional<string> {
  const read = (typed: string) => {
    if (typed.trim() === "") throw inputErrors.text_empty();
    return typed;
  };
  return value(description, "text", read, facts);
}

/** The path of a file, which completion offers. */
export function file(description: string, facts: ParamFacts = {}): Optional<string> {
  return text(description, { placeholder: "file", complete: "file", ...facts });
}

/** The path of a file that the command reads; `-` is standard input. */
export function inputFile(description: string, facts: ParamFacts = {}): Optional<string> {
  return file(description, { reads: true, ...facts });
}

/** A UUID, as integration IDs are (spec 4.3). Compared by the service, so its case is kept. */
export function uuid(description: string, facts: ParamFacts = {}): Optional<string> {
  const read = (typed: string) => {
    if (UUID.test(typed.trim())) return typed.trim();
    throw inputErrors.uuid_invalid(typed);
  };
  return value(description, "uuid", read, facts);
}

/** One of a closed set of words; the placeholder is their kind, for example `rule`. */
export function choice<const Choice extends string>(
  description: string,
  choices: readonly Choice[],
  facts: ParamFacts & { readonly placeholder: string },
): Optional<Choice> {
  const read = (typed: string) => {
    const found = choices.find((one) => one === typed);
    if (found !== undefined) return found;
    throw inputErrors.word_invalid(typed, choices);
  };
  return value(description, facts.placeholder, read, { ...facts, choices });
}

/** A whole number in a range. */
export function integer(
  description: string,
  { min, max }: { min: number; max: number },
  facts: ParamFacts = {},
): Optional<number> {
  const read = (typed: string) => {
    const number = Number(typed);
    if (/^\d+$/u.test(typed.trim()) && number >= min && number <= max) return number;
    throw inputErrors.number_invalid(typed, min, max);
  };
  return value(description, "n", read, facts);
}

/** A time such as `30s` or `2m`, in milliseconds. */
export function duration(description: string, facts: ParamFacts = {}): Optional<number> {
  return value(description, "time", readDuration, facts);
}

/** `key=value`; the value may be empty and may hold further equals signs. */
export function pair(description: string, facts: ParamFacts = {}): Optional<[string, string]> {
  const read = (typed: string): [string, string] => {
    const at = typed.indexOf("=");
    if (at < 1) throw inputErrors.pair_invalid(typed);
    return [typed.slice(0, at), typed.slice(at + 1)];
  };
  return value(description, "key=value", read, facts);
}

/**
 * A parameter that has a value if none is typed, and says so in help.
 * @param typed the value as it would be typed
 */
export function withDefault<Value>(one: Optional<Value>, typed: string): Required<Value> {
  return {
    ...one,
    description: `${one.description} (default ${typed})`,
    presence: "required",
    parse: (words) => one.parse(words.length > 0 ? words : [typed]),
  };
}

/** A flag without a value. */
export function flag(description: string): Required<boolean> {
  return {
    description,
    placeholder: "",
    presence: "required",
    mandatory: false,
    takesValue: false,
    repeats: false,
    parse: (typed) => typed.length > 0,
  };
}

/** A parameter that may be given several times; an empty list where it was not. */
export function several<Value>(one: Optional<Value>): Required<readonly Value[]> {
  return {
    ...one,
    presence: "required",
    repeats: true,
    parse: (typed) => typed.map((item) => one.parse([item])),
  };
}

/** A text of several words that need no quotes: the last argument of a command. */
export function phrase(one: Optional<string>): Optional<string> {
  return { ...one, repeats: true, isPhrase: true, parse: (typed) => one.parse([typed.join(" ")]) };
}

/** A parameter that holds several values: separated by commas, or given several times. */
export function list<Value>(one: Optional<Value>): Required<readonly Value[]> {
  const all = several(one);
  const items = (typed: string) => typed.split(",").map((item) => item.trim());
  return { ...all, parse: (typed) => all.parse(typed.flatMap(items)) };
}

/** An option that has no effect without another one of its command, and is refused without it. */
export function needing<One extends Param<unknown>>(needs: string, option: One): One {
  return { ...option, needs };
}

/** A parameter without which the command does not run. */
export function required<Value>(one: Optional<Value>): Required<Value>;
export function required<Value>(
  one: Required<readonly Value[]>,
): Required<readonly [Value, ...Value[]]>;
export function required<Value>(one: Param<Value>): Required<unknown> {
  return { ...one, presence: "required", mandatory: true };
}
