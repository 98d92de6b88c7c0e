import type { Command, CommanderError } from "commander";
import type { ErrorFacts, UsageError } from "../errors.ts";
import { COMMANDS } from "../values/command-paths.ts";
import { nearest } from "../values/nearest.ts";
import {
  type SuggestedCommand,
  suggest,
  suggestAt,
  suggestHelp,
} from "../values/suggested-command.ts";
import { cliErrors } from "./errors.ts";
import {
  FORMER_OPTION_NAMES,
  formerCommand,
  formerOption,
  nearFormerCommand,
} from "./former-names.ts";
import { LISTED_TOPICS, TOPIC_WORDS, UNKNOWN_HELP } from "./help.ts";
import { commandLineOf, routeOf } from "./tree.ts";

/**
 * The error for a command line that commander refuses. A typed value is not repeated: it may be a
 * misplaced secret.
 * @param reached the group or command that the typed words lead to
 */
export function usageErrorOf({ code, message }: CommanderError, reached: Command): UsageError {
  const [, quoted = ""] = /'(.+)'/u.exec(message) ?? [];
  return (
    USAGE_ERRORS[code]?.(reached, quoted) ??
    cliErrors.command_line_invalid(message.replace(/^error: /u, ""), seeHelp(reached))
  );
}

const USAGE_ERRORS: Readonly<Record<string, (reached: Command, quoted: string) => UsageError>> = {
  [UNKNOWN_HELP]: (group) => unknownHelp(group, group.args[0] ?? "", HELP_WORDS),
  "commander.help": (group) =>
    cliErrors.command_missing(
      commandLineOf(group),
      commandNames(group),
      suggestHelp(routeOf(group)),
    ),
  "commander.unknownCommand": (group) => unknownCommand(group, group.args[0] ?? ""),
  "commander.unknownOption": (reached, quoted) => {
    const typed = quoted.replace(/=.*$/su, "");
    return cliErrors.option_unknown(commandLineOf(reached), typed, {
      ...seeHelp(reached),
      ...(formerOptionOf(reached, typed) ??
        insteadOfOption(reached, typed) ??
        optionMeant(reached, typed)),
    });
  },
  "commander.optionMissingArgument": (reached, flags) => {
    return cliErrors.option_value_missing(flags.replace(/^-\w, /u, ""), seeHelp(reached));
  },
  "commander.excessArguments": (leaf) => {
    const meant = singleDashed(leaf);
    if (meant !== undefined) {
      return cliErrors.option_unknown(commandLineOf(leaf), meant.slice(1), {
        ...didYouMean(meant),
        ...seeHelp(leaf),
      });
    }
    const { length: wanted } = leaf.registeredArguments;
    const { length: given } = leaf.args;
    const file = routingFileOf(leaf);
    const suggestion =
      file === undefined ? suggestHelp(routeOf(leaf)) : suggestAt(routeOf(leaf), [], { f: file });
    return cliErrors.arguments_too_many(commandLineOf(leaf), wanted, given, suggestion);
  },
};

type Advice = Pick<ErrorFacts, "remedy" | "suggestion">;

function formerOptionOf(reached: Command, typed: string): Advice | undefined {
  const args = reached.registeredArguments.map((one) => one.name());
  return formerOption({ path: routeOf(reached), args, options: optionNames(reached) }, typed);
}

/** The option that was meant: one that other commands have for it, or else the nearest. */
function optionMeant(reached: Command, typed: string): Advice {
  const names = optionNames(reached);
  const other = OTHER_OPTIONS[typed];
  const near = other !== undefined && names.includes(other) ? other : nearest(typed, names);
  const former = nearest(typed, FORMER_OPTION_NAMES) ?? "";
  return near === undefined ? (formerOptionOf(reached, former) ?? {}) : didYouMean(near);
}

const OTHER_OPTIONS: Readonly<Record<string, string>> = { "--save": "--out", "--out": "--save" };

/** The long option that was typed with one dash, as in Terraform: `-out x` was read as `-o ut`. */
function singleDashed(leaf: Command): string | undefined {
  const names = optionNames(leaf);
  const values = leaf.optsWithGlobals();
  const all = [leaf, ...ancestorsOf(leaf)].flatMap(({ options }) => options);
  return all
    .map((one) => `-${one.short ?? ""}${values[one.attributeName()]}`)
    .find((name) => names.includes(name));
}

function ancestorsOf({ parent }: Command): Command[] {
  return parent === null ? [] : [parent, ...ancestorsOf(parent)];
}

/** The routing file that was typed as an argument of a command that takes it with --file. */
function routingFileOf({ args, options }: Command): string | undefined {
  const [file = ""] = args;
  const isOption = options.some(({ long }) => long === "--file");
  return isOption && args.length === 1 && /^[\w./-]+\.(?:ya?ml|json)$/u.test(file)
    ? file
    : undefined;
}

/** The counterpart of an option of other tools: an argument of that name. */
function insteadOfOption(reached: Command, typed: string): { remedy: string } | undefined {
  const name = typed.replace(/^--/u, "");
  const names = reached.registeredArguments.map((argument) => argument.name());
  if (!names.includes(name)) return undefined;
  const typedAs = names.map((one) => `<${one}>`).join(" ");
  return { remedy: `Give it as an argument: ${commandLineOf(reached)} ${typedAs}.` };
}

/** The words after `amp help` that lead to a topic. */
const HELP_WORDS = [...LISTED_TOPICS, ...Object.keys(TOPIC_WORDS)];

/**
 * The error for help about an unknown command.
 * @param topics the words for the topics of `amp help`, which amp itself has
 */
function unknownHelp(group: Command, word: string, topics: readonly string[]): UsageError {
  const command = unknownCommand(group, word);
  if (group.parent !== null) return command;
  const topic = nearest(word, [...topics, ...commandNames(group)]);
  const isTopic = topic !== undefined && topics.includes(topic);
  if (!isTopic && command.facts.remedy !== undefined) return command;
  return cliErrors.help_unknown(word, isTopic ? topic : undefined);
}

function unknownCommand(group: Command, word: string): UsageError {
  const unknown = (advice: Advice) => cliErrors.command_unknown(commandLineOf(group), word, advice);
  const former = formerCommand(routeOf(group), typedWords(group));
  if (former !== undefined) return unknown({ ...seeHelp(group), ...former });
  const elsewhere = OTHER_WORDS[`${routeOf(group)} ${word}`] ?? pathsElsewhere(typedWords(group));
  if (elsewhere.length > 0) {
    const meant = elsewhere.map((path) => `amp ${path}`).join(" or ");
    const suggestion = elsewhere.map((path) => suggestHelp(path));
    return unknown({ remedy: `Did you mean ${meant}?`, suggestion });
  }
  const near = nearestCommand(group, word);
  const path = `${routeOf(group)} ${near ?? ""}`.trim();
  const nearFormer = near === undefined ? nearFormerCommand(routeOf(group), word) : undefined;
  if (nearFormer !== undefined) return unknown({ ...seeHelp(group), ...nearFormer });
  const search = near === undefined ? searchMeant(group, word) : undefined;
  if (search !== undefined) return unknown(search);
  return unknown({
    ...(near === undefined && group.parent
      ? { remedy: `Commands: ${commandNames(group).join(", ")}.` }
      : didYouMean(near)),
    suggestion: near === HELP_WORD ? suggestHelp("") : suggestHelp(path),
  });
}

/** Words that other tools use, by the path that does it in amp. */
const SYNONYMS: Readonly<Record<string, string>> = {
  whoami: "auth status",
  use: "auth switch",
  profiles: "auth list",
  dev: "sandbox start",
};

/** Words that search for a customer; a name may follow. */
const SEARCHES: ReadonlySet<string> = new Set(["search", "find", "customer", "customers"]);

/** The commands that find a customer: for a word that searches, or a name after `amp case`. */
function searchMeant(group: Command, word: string): Advice | undefined {
  const [, next, ...more] = typedWords(group);
  const remedy = "Customers are found by name, ID or pasted text.";
  if (routeOf(group) === "case") {
    const name = [word, next, ...more].filter((one) => one !== undefined).join(" ");
    return { remedy, suggestion: suggest("case create", [name]) };
  }
  if (group.parent !== null || !SEARCHES.has(word)) return undefined;
  if (next === "list") return { suggestion: suggest("installations list") };
  const name = next === undefined ? { placeholder: "name" } : [next, ...more].join(" ");
  return {
    remedy,
    suggestion: [suggest("installations get", [name]), suggest("case create", [name])],
  };
}

/** Words for what several commands do in amp, by the path that was typed. */
const OTHER_WORDS: Readonly<Record<string, readonly string[]>> = {
  " routing": ["notify"],
  "notify rename": ["notify topics update", "notify destinations update"],
};

/**
 * The paths that end with the typed words, for a command typed without its group: `amp topics
 * create`. The singular of a noun counts as the noun.
 */
function pathsElsewhere(typed: readonly string[]): string[] {
  const [first = ""] = typed;
  if (Object.hasOwn(SYNONYMS, first)) return [SYNONYMS[first] ?? ""];
  const paths = Object.keys(COMMANDS).flatMap((path) => {
    const words = path.split(" ");
    return words.map((_, at) => words.slice(0, at + 1));
  });
  for (let count = typed.length; count > 0; count -= 1) {
    const found = paths.filter((path) => endsWith(path, typed.slice(0, count)));
    const unique = [...new Set(found.map((path) => path.join(" ")))];
    if (unique.length > 0) return unique.length > MAX_MEANT ? [] : unique;
  }
  return [];
}

/** The words that may be of a path, without what follows an option. */
function typedWords({ args }: Command): readonly string[] {
  const end = args.findIndex((arg) => arg.startsWith("-"));
  return args.slice(0, end === -1 ? MAX_WORDS : Math.min(end, MAX_WORDS));
}

/** The longest path has three words. */
const MAX_WORDS = 3;
/** A word such as `list` is in too many paths to be a hint. */
const MAX_MEANT = 2;

function endsWith(path: readonly string[], typed: readonly string[]): boolean {
  const end = path.slice(-typed.length);
  return (
    path.length > typed.length &&
    end.every((word, at) => word === typed[at] || word === `${typed[at]}s`)
  );
}

/** Not a command of the tree, but it may be mistyped like one. */
const HELP_WORD = "help";

/** The nearest command by any of its names; an alias is accepted, but not shown. */
function nearestCommand(group: Command, word: string): string | undefined {
  const names = [...commandNames(group), ...(group.parent === null ? [HELP_WORD] : [])];
  const aliases = new Map(
    group.commands.flatMap((one) => one.aliases().map((alias) => [alias, one] as const)),
  );
  return nearest(word, names) ?? aliases.get(nearest(word, [...aliases.keys()]) ?? "")?.name();
}

function didYouMean(near: string | undefined): { remedy?: string } {
  return near === undefined ? {} : { remedy: `Did you mean ${near}?` };
}

function seeHelp(command: Command): { suggestion: SuggestedCommand } {
  return { suggestion: suggestHelp(routeOf(command)) };
}

function commandNames({ commands }: Command): string[] {
  return commands.map((command) => command.name());
}

function optionNames(command: Command | null): string[] {
  if (command === null) return ["--help"];
  const own = command.options.flatMap(({ long }) => (long ? [long] : []));
  return [...own, ...optionNames(command.parent)];
}
