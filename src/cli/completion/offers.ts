import type { CommandNode, ParamNode } from "../define.ts";
import { TOPIC_NAMES } from "../help.ts";
import { topicSummary } from "../help-topics.ts";
import { type Completion, flag } from "../param.ts";
import { nodesOf, paramNode } from "../tree.ts";

/** A word that may be typed, and its description. */
export type Offer = Pick<ParamNode, "name" | "description">;

/** An argument or option as a completion script needs it. */
export interface Input extends ParamNode {
  readonly spellings: readonly string[];
  /** The words offered as its value. */
  readonly values: readonly string[];
  /** The number of the words in {@link Offers.lists}, if others offer the same. */
  readonly list?: number;
}

/** The inputs at one node of the tree. */
export interface Place {
  /** The name by which a script identifies the place: `notify topics`; empty for the root. */
  readonly name: string;
  /** The number of words in the name. */
  readonly depth: number;
  /** The steps that lead here: the place above, a slash, and each of its own names. */
  readonly steps: readonly string[];
  /** The commands of a group; aliases are accepted, not offered. */
  readonly commands: readonly Offer[];
  readonly args: readonly Input[];
  /** The options of this place alone. */
  readonly options: readonly Input[];
  /** The families of global options that this place refuses: a letter for each. */
  readonly idle: string;
}

/** A global option, with the letter of its family: the options that act on the same places. */
export interface GlobalInput extends Input {
  readonly family: string;
}

/** All offers of a script. */
export interface Offers {
  /** Each place before those below it. */
  readonly places: readonly Place[];
  readonly everywhere: readonly GlobalInput[];
  /** The words that several inputs offer: a script has them once. */
  readonly lists: readonly (readonly string[])[];
}

/** Collects the offers of a script. */
export function offersOf(root: CommandNode): Offers {
  const nodes = nodesOf(root);
  const lists = listsOf(nodes);
  const inputOf = (param: ParamNode) => inputWith(param, lists);
  const letters = familiesOf(root.options, nodes);
  const places = nodes.map(({ path, aliases, children, args, options, globalOptions }) => ({
    name: path.join(" "),
    depth: path.length,
    steps: [...path.slice(-1), ...aliases].map((word) => `${path.slice(0, -1).join(" ")}/${word}`),
    commands: children.map((child) => ({
      name: child.path.at(-1) ?? "",
      description: oneLine(child.summary),
    })),
    args: args.map(inputOf),
    options: (path.length === 0 ? [PRINT_VERSION] : options).map(inputOf),
    idle: [
      ...new Set(
        root.options.flatMap(({ name }) => (globalOptions.includes(name) ? [] : letters(name))),
      ),
    ].join(""),
  }));
  const everywhere = [...root.options, PRINT_HELP].map((option) => ({
    ...inputOf(option),
    family: letters(option.name),
  }));
  return { places, everywhere, lists };
}

function listsOf(nodes: readonly CommandNode[]): string[][] {
  const all = nodes.flatMap(({ args, options }) => [...args, ...options].map(valuesOf));
  return [...Map.groupBy(all, String).values()].flatMap(([values = [], ...others]) =>
    values.length > 0 && others.length > 0 ? [values] : [],
  );
}

/** The offers of the global options, each name behind the letter of its family. */
export function lettered(everywhere: readonly GlobalInput[]): Offer[] {
  return everywhere.map(({ family, name, description }) => ({ name: family + name, description }));
}

/** The letter of each global option; those that act on the same nodes have the same letter. */
function familiesOf(
  options: readonly ParamNode[],
  nodes: readonly CommandNode[],
): (name: string) => string {
  const acts = (name: string) =>
    nodes.map(({ globalOptions }) => (globalOptions.includes(name) ? 1 : 0)).join("");
  const families = [...new Set(options.map(({ name }) => acts(name)))];
  // --help acts everywhere, and has the letter of no family.
  return (name) => FAMILY_LETTERS[families.indexOf(acts(name)) + 1] ?? "";
}

const FAMILY_LETTERS = "zabcdefghijklmnopqrstuvwxy";

/** An offer that a script has once, in a variable. */
export interface SharedOffer {
  readonly variable: string;
  readonly offer: Offer;
}

/** The offers of options that several places have, by {@link offerKey}. */
export function sharedOffers(places: readonly Place[]): ReadonlyMap<string, SharedOffer> {
  const all = places.flatMap(({ options }) => options);
  const shared = [...Map.groupBy(all, offerKey)].flatMap(([key, [offer, ...others]]) =>
    offer !== undefined && others.length > 0 ? [{ key, offer }] : [],
  );
  return new Map(shared.map(({ key, offer }, at) => [key, { variable: `o${at + 1}`, offer }]));
}

/** A text that offers which are shown alike have in common. */
export function offerKey({ name, description }: Offer): string {
  return `${name}\t${description}`;
}

const PRINT_HELP = paramNode("--help", { ...flag("print help"), short: "-h" });
const PRINT_VERSION = paramNode("--version", { ...flag("print the version"), short: "-v" });

/** The commands that list what completion offers, in any shell, one per line. */
export const LISTINGS = {
  profile: "amp auth list --output id",
  field: "amp explain --recursive --output id",
} as const satisfies Readonly<Record<Exclude<Completion, "file">, string>>;

/** Whether a command lists the values. */
export function isListed(complete: Completion | undefined): complete is keyof typeof LISTINGS {
  return complete !== undefined && complete !== "file";
}

/** The word `help` after `amp`: it is not a command of the tree, but leads to the help of each. */
export const HELP: Offer = { name: "help", description: "help about a command or topic" };

/** The topics that may follow `amp help`, besides the commands. */
export function helpTopics(): Offer[] {
  return TOPIC_NAMES.map((name) => ({ name, description: topicSummary(name) }));
}

/**
 * An input as plain data. A script has one line for each, so text from the tree must not contain
 * line breaks.
 */
function inputWith(param: ParamNode, lists: readonly (readonly string[])[]): Input {
  const values = valuesOf(param);
  const list = lists.findIndex((one) => String(one) === String(values));
  return {
    ...param,
    description: oneLine(param.description),
    spellings: [param.name, ...(param.short === undefined ? [] : [param.short])],
    values,
    ...(list < 0 ? {} : { list }),
  };
}

function valuesOf({ choices, suggestions = [] }: ParamNode): string[] {
  return (choices ?? suggestions).map(oneLine);
}

function oneLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are removed here
  return text.replace(/[\s\u0000-\u001f\u007f-\u009f]+/gu, " ").trim();
}
