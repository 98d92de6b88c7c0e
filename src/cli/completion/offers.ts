import type { CommandNode, ParamNode } from "../command-node.ts";
import { helpTopic, isTopic, topicNames } from "../help-topics.ts";

/** A word that may be typed, and what it is about. */
export interface Offer {
  readonly word: string;
  readonly about: string;
}

const PRINT_HELP: ParamNode = {
  name: "--help",
  short: "-h",
  description: "print help",
  mandatory: false,
  repeats: false,
  takesValue: false,
};

const PRINT_VERSION: ParamNode = {
  ...PRINT_HELP,
  name: "--version",
  short: "-V",
  description: "print the version",
};

/** May follow `amp` itself: no command of the tree, but a way to the help of each. */
export const HELP: Offer = { word: "help", about: "help about a command or topic" };

/** How a node is told from all others in a script; the root is the empty text. */
export function placeOf(node: CommandNode): string {
  return node.path.join(" ");
}

/** The options that every command takes. */
export function sharedOptions(root: CommandNode): ParamNode[] {
  return [...root.options.map(tidy), PRINT_HELP];
}

/** The options of one place alone. */
export function ownOptions(node: CommandNode): ParamNode[] {
  return node.path.length === 0 ? [PRINT_VERSION] : node.options.map(tidy);
}

/** The arguments of a command. */
export function ownArguments(node: CommandNode): ParamNode[] {
  return node.args.map(tidy);
}

/** What may follow a group; aliases are accepted, not offered. */
export function commandsBelow(node: CommandNode): Offer[] {
  return node.children.map((child) => ({
    word: child.path.at(-1) ?? "",
    about: oneLine(child.summary),
  }));
}

/** What may follow `amp help` beyond the commands. */
export function helpTopics(): Offer[] {
  return topicNames.filter(isTopic).map((word) => ({
    word,
    about: (helpTopic(word, 80).split("\n")[0] ?? "").toLowerCase(),
  }));
}

/** The names by which a child is reached from its parent. */
export function namesOf(node: CommandNode): string[] {
  return [node.path.at(-1) ?? "", ...node.aliases];
}

/** The spellings of an option. */
export function spellings(option: ParamNode): string[] {
  return option.short === undefined ? [option.name] : [option.name, option.short];
}

/** The words offered as a value. */
export function offeredValues(param: ParamNode): readonly string[] {
  return (param.choices ?? param.suggestions ?? []).map(oneLine);
}

/** A script has a line for each thing: text from the tree must not break it. */
function tidy(param: ParamNode): ParamNode {
  return { ...param, description: oneLine(param.description) };
}

function oneLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is being removed
  return text.replace(/[\s\u0000-\u001f\u007f-\u009f]+/gu, " ").trim();
}
