import { type Command, CommanderError, type Help } from "commander";
import { EXIT } from "../errors.ts";
import { foldCommand } from "../values/shell.ts";
import { type AnyCommand, type ParamNode, SECTIONS } from "./define.ts";
import {
  argumentNodes,
  commandLineOf,
  examplesOf,
  exitCodesOf,
  inheritedOptions,
  optionNodes,
  routeOf,
} from "./tree.ts";

/** The narrowest column for explanations beside their terms. */
const MIN_TEXT_WIDTH = 26;
/** The narrowest width that commander wraps text to. */
export const MIN_WRAPPED_WIDTH = 20;

/** The topics of `amp help <topic>`, which concern several commands. */
export const TOPIC_NAMES = [
  "accessibility",
  "agents",
  "ci",
  "destinations",
  "environment",
  "errors",
  "events",
  "exit-codes",
  "files",
  "filters",
  "json",
  "network",
  "options",
  "output",
  "secrets",
  "state",
  "support",
  "times",
  "topics",
  "trust",
] as const;
/** One of {@link TOPIC_NAMES}. */
export type TopicName = (typeof TOPIC_NAMES)[number];

/** Other words for what a topic explains. */
export const TOPIC_WORDS: Readonly<Record<string, TopicName>> = {
  variables: "environment",
  windows: "environment",
  docker: "ci",
  formats: "output",
  csv: "output",
  markdown: "output",
  yaml: "output",
  fields: "output",
  filter: "filters",
  sort: "filters",
  time: "times",
  timezone: "times",
  dates: "times",
  since: "times",
  jq: "json",
  credentials: "secrets",
  retries: "errors",
  proxy: "network",
  tls: "network",
  timeout: "network",
  incident: "support",
  accessible: "accessibility",
  a11y: "accessibility",
  agent: "agents",
  scripts: "agents",
  automation: "agents",
};

/** Adds weight to a heading where colours are on. */
export type HeadingStyle = (heading: string) => string;

/** The topics that {@link TOPIC_NAMES} lists, without the list itself. */
export const LISTED_TOPICS = TOPIC_NAMES.filter((name) => name !== "topics");

/** The code of the error for help about what no command is. */
export const UNKNOWN_HELP = "amp.unknownHelp";

/** Installs the layout of the help of a command or group. */
export function installHelp(command: Command, heading: HeadingStyle, record?: AnyCommand): void {
  command.configureHelp({
    minWidthToWrap: MIN_WRAPPED_WIDTH,
    styleTitle: heading,
    formatHelp: (shown, helper) => {
      if (record) return leafHelp(shown, record, helper);
      // Commander would answer `amp aps --help` with the help of the group above.
      if (shown.args[0]?.startsWith("-") === false) {
        throw new CommanderError(EXIT.usage.code, UNKNOWN_HELP, shown.args[0]);
      }
      return shown.parent ? groupHelp(shown, helper) : rootHelp(shown, helper);
    },
  });
}

function rootHelp(root: Command, helper: Help): string {
  const column = columnOf(root.commands.map(describeCommand));
  const sections = SECTIONS.flatMap((section) => {
    const members = root.commands.filter((command) => command.helpGroup() === section);
    return [helper.styleTitle(section), ...itemLines(members.map(describeCommand), helper, column)];
  });
  return lines(
    ...wrapParagraph("Administer integrations, installations and notification routing.", helper),
    "",
    `${helper.styleTitle("Usage:")} amp <command> [options]`,
    "",
    ...sections,
    "",
    ...wrapParagraph(
      "Get started:  amp auth login     or, without an account:  amp sandbox start",
      helper,
    ),
    ...wrapParagraph(`Help topics:  ${LISTED_TOPICS.join(", ")}  (amp help <topic>)`, helper),
    OPTIONS_LINE,
  );
}

function groupHelp(group: Command, helper: Help): string {
  const path = commandLineOf(group);
  return lines(
    ...wrapParagraph(`${path}: ${group.summary()}`, helper),
    "",
    `${helper.styleTitle("Usage:")} ${path} <command> [options]`,
    "",
    ...commandSections(group, helper),
    ...wrapParagraph(`More about a command:  ${path} <command> --help`, helper),
    OPTIONS_LINE,
  );
}

/** The commands of a group, under the headings that its routes give them. */
function commandSections({ commands }: Command, helper: Help): string[] {
  const column = columnOf(commands.map(describeCommand));
  const sections = Map.groupBy(commands, (command) => command.helpGroup() || "Commands");
  return [...sections].flatMap(([section, members]) => [
    helper.styleTitle(section),
    ...itemLines(members.map(describeCommand), helper, column),
    "",
  ]);
}

function leafHelp(leaf: Command, record: AnyCommand, helper: Help): string {
  const path = commandLineOf(leaf);
  const route = routeOf(leaf);
  const args = argumentNodes(record);
  const options = optionNodes(record).filter(({ hidden }) => !hidden);
  const said = new Set(record.description?.match(/--[a-z-]+/gu));
  const inherited = inheritedOptions(route, record).filter(
    ({ name, hidden }) => OFTEN_USED.test(name) || (!hidden && said.has(name)),
  );
  // `amp help options` has their values and variables.
  const globals = inherited.map((one): Item => [flagsOf(one), one.description]);
  const exitCodes = exitCodesOf(route, record).map(({ code, meaning }) => `${code} ${meaning}`);
  const section = (title: string, body: readonly string[]) =>
    body.length === 0 ? [] : ["", helper.styleTitle(title), ...body];
  const items = (nodes: readonly ParamNode[]) => itemLines(nodes.map(describeParam), helper);
  const [usage = "", ...folded] = usageLines(`Usage: ${path}`, args, options, helper.helpWidth);
  return lines(
    ...wrapParagraph(`${path}: ${leaf.summary()}`, helper),
    ...(record.description === undefined ? [] : ["", ...wrapParagraph(record.description, helper)]),
    "",
    usage.replace("Usage:", helper.styleTitle("Usage:")),
    ...folded,
    ...section("Arguments", items(args)),
    ...section("Options", items(options)),
    ...section("Global options", itemLines(globals, helper)),
    ...section("JSON fields", indented(record.fields?.join(", "), helper)),
    ...section("Exit codes", indented(exitCodes.join("; "), helper)),
    ...section("Examples", examples(record, helper)),
    "",
    OPTIONS_LINE,
  );
}

/** The last line of every page: a page has few of the global options. */
const OPTIONS_LINE = "All global options:  amp help options";

/** The global options that a page shows if they act on its command, or if its description names them. */
const OFTEN_USED =
  /^--(?:project|profile|json|jq|fields|filter|sort-by|limit|yes|confirm|expect-project)$/u;

function indented(paragraph: string | undefined, helper: Help): string[] {
  if (paragraph === undefined) return [];
  const width = (helper.helpWidth ?? 80) - INDENT.length;
  return helper
    .boxWrap(paragraph, width)
    .split("\n")
    .map((line) => INDENT + line);
}

function examples(record: AnyCommand, helper: Help): string[] {
  const width = (helper.helpWidth ?? 80) - INDENT.length;
  return examplesOf(record).flatMap(({ run, note }) => [
    ...(note === undefined ? [] : helper.boxWrap(note, width - 2).split("\n")).map(
      (line) => `${INDENT}# ${line}`,
    ),
    ...foldCommand(run, width).map((line) => INDENT + line),
  ]);
}

const INDENT = "  ";

/** A term and its explanation, for two columns. */
export type Item = readonly [term: string, explanation: string];

function columnOf(items: readonly Item[]): number {
  return Math.min(Math.max(...items.map(([term]) => term.length), 13), 32) + 2;
}

/**
 * Terms and explanations in two columns; on a narrow terminal, each explanation is below its term.
 */
export function itemLines(
  items: readonly Item[],
  helper: Help,
  column: number = columnOf(items),
): string[] {
  const words = items.flatMap(([, explanation]) => explanation.split(" "));
  const needed = Math.max(MIN_TEXT_WIDTH, ...words.map((word) => word.length));
  const room = (helper.helpWidth ?? 80) - INDENT.length - column;
  const isNarrow = room < needed;
  const indent = INDENT + " ".repeat(isNarrow ? 4 : column);
  return items.flatMap(([term, explanation]) => {
    const text = helper.boxWrap(explanation, isNarrow ? room + column - 4 : room).split("\n");
    const below = text.map((line) => (indent + line).trimEnd());
    if (isNarrow || term.length + 2 > column) return [INDENT + term, ...below];
    return [(INDENT + term.padEnd(column) + text[0]).trimEnd(), ...below.slice(1)];
  });
}

function wrapParagraph(paragraph: string, helper: Help): string[] {
  return paragraph.split("\n").flatMap((line) => helper.boxWrap(line, helper.helpWidth ?? 80));
}

function describeCommand(command: Command): Item {
  return [command.name(), command.summary()];
}

/**
 * The usage line, with each mandatory option: `amp notify topics create <name> [options]`.
 * @param width where it is folded; an option and its value stay together
 */
export function usageLines(
  start: string,
  args: readonly ParamNode[],
  options: readonly ParamNode[],
  width = Number.POSITIVE_INFINITY,
): string[] {
  const mandatory = options.filter((option) => option.mandatory);
  const folded = [start];
  for (const part of [...[...args, ...mandatory].map(usageOf), "[options]"]) {
    const longer = `${folded.at(-1)} ${part}`;
    if (longer.length <= width) folded[folded.length - 1] = longer;
    else folded.push(`    ${part}`);
  }
  return folded;
}

function usageOf(node: ParamNode): string {
  const name = node.mandatory ? `<${node.name}>` : `[${node.name}]`;
  const shown = node.name.startsWith("--") ? withValue(node) : name;
  return node.repeats && !node.isPhrase ? `${shown}…` : shown;
}

/** A parameter and its explanation. Choices that it or an earlier one says are not said again. */
export function describeParam(node: ParamNode, at = 0, all: readonly ParamNode[] = []): Item {
  const { name, description, choices = [], repeats, env, needs } = node;
  const isOption = name.startsWith("--");
  const list = choices.join(", ");
  const isSaid =
    description.includes(list) || choices.every((one) => description.includes(`${one}: `));
  const earlier = all.slice(0, at).find((one) => one.choices?.join(", ") === list);
  const remarks = [
    !isSaid && (earlier ? `as for ${earlier.name}` : list.includes(", ") ? `one of ${list}` : list),
    needs && `with ${needs}`,
    // The usage line shows it of an argument.
    isOption && repeats && "may be repeated",
    env && `env: ${env}`,
  ].filter(Boolean);
  return [isOption ? flagsOf(node) : name, withRemarks(description, remarks)];
}

/** An option in commander's notation: `-f, --file <file>`. */
export function flagsOf(option: ParamNode): string {
  return option.short === undefined ? withValue(option) : `${option.short}, ${withValue(option)}`;
}

function withValue({ name, takesValue, placeholder }: ParamNode): string {
  return takesValue ? `${name} <${placeholder}>` : name;
}

/** A description with remarks in brackets; brackets at its end take them up. */
function withRemarks(description: string, remarks: readonly unknown[]): string {
  if (remarks.length === 0) return description;
  return description.endsWith(")")
    ? `${description.slice(0, -1)}; ${remarks.join("; ")})`
    : `${description} (${remarks.join("; ")})`;
}

function lines(...all: string[]): string {
  return `${all.join("\n")}\n`;
}
