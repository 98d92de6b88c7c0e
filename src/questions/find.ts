import type { CommandContext } from "../context/command-context.ts";
import { type AmpError, type ErrorFacts, isNotRecorded, NotFoundError } from "../errors.ts";
import { asList } from "../values/basics.ts";
import { numberText } from "../values/counted.ts";
import { inputErrors } from "../values/errors.ts";
import { defined } from "../values/json.ts";
import {
  allInPart,
  didYouMean,
  type Findable,
  matching,
  nearestIds,
  nearestOf,
} from "../values/matching.ts";
import type { SuggestedCommand, Suggestion } from "../values/suggested-command.ts";
import { joined } from "../view/view.ts";

type Optional = string | null | undefined;

/** The words for the items of a list in messages, and the texts that find and distinguish them. */
export interface Lookup<Item> extends Findable<Item> {
  readonly noun: string;
  /** The argument that names an item. */
  readonly argument: string;
  /** The command that lists the items. */
  readonly list: SuggestedCommand;
  /** The next command where this name may have been meant. */
  readonly again: (name: string) => SuggestedCommand;
  /** The word for the IDs where they are names. */
  readonly idWord?: "names";
  /** The values that distinguish items of one name, by field. */
  readonly describe: (item: Item) => Readonly<Record<string, Optional>>;
  /** The rank in a choice, the first to look at lowest; those of one rank are in order of name. */
  readonly rank?: (item: Item) => number;
  /** The command that lists all that match, where there are too many for an error. */
  readonly listed?: (found: readonly Item[]) => SuggestedCommand | undefined;
  /** Completes the items that are shown for a choice. */
  readonly complete?: (items: readonly Item[]) => Promise<readonly Item[]>;
  /** A sentence about the list that was searched. */
  readonly where?: string;
}

/** The capabilities for asking which of several items is meant. */
export type Asker = Pick<CommandContext, "interactive" | "prompt">;

/**
 * The item of a list with this ID or the beginning of it, with a name of which each word of this
 * text begins a word, or whose ID or name is in this text. Prompts on a terminal if several match.
 * @throws {NotFoundError} where no item matches
 * @throws {ConflictError} if several items match, without an interactive terminal
 */
export async function findByIdOrName<Item>(
  items: readonly Item[],
  wanted: string,
  lookup: Lookup<Item>,
  asker: Asker,
): Promise<Item> {
  const found = matching(items, wanted, lookup);
  if (found.length === 0) throw noMatch(items, wanted, lookup);
  return chooseOne(found, quotedInput(wanted), lookup, asker);
}

/** A typed text in a message, on one line; of a long one, its start. */
export function quotedInput(text: string): string {
  const characters = [...text.trim().replaceAll(/\s+/gu, " ")];
  return JSON.stringify(
    characters.length > 80 ? `${characters.slice(0, 80).join("")}…` : characters.join(""),
  );
}

/**
 * The only item, or the one that the user chooses on a terminal.
 * @param wanted the words for what they match
 * @throws {ConflictError} without an interactive terminal
 */
export async function chooseOne<Item>(
  found: readonly Item[],
  wanted: string,
  lookup: Lookup<Item>,
  asker: Asker,
): Promise<Item> {
  const { noun, argument, describe, where, complete, idWord = "IDs" } = lookup;
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  const message = `${found.length} ${noun}s match ${wanted}`;
  const isAsked = asker.interactive;
  const ordered = inOrder(found, lookup);
  const some = isAsked ? ordered : ordered.slice(0, MAX_LISTED);
  const shown = complete ? await complete(some) : some;
  if (isAsked) {
    const choices = choicesOf(shown, lookup);
    // A part of a name or ID may be typed; a plain list would jump to the row of a typed number.
    const question = { message: `${message}. Which one?`, flag: argument, choices };
    return asker.prompt.select({ ...question, isSearched: true });
  }
  const left = found.length - MAX_LISTED;
  const suggestion = left > 0 ? lookup.listed?.(found) : undefined;
  throw inputErrors.name_ambiguous(message, {
    candidates: shown.map(describe),
    detail: [left > 0 && `and ${numberText(left)} more.`, where].filter(Boolean).join(" "),
    remedy: `Run the command again with one of these ${idWord}.`,
    ...(suggestion && { suggestion }),
  });
}

/** Items by their rank, and then as a person sorts names: in a long choice one is found by eye. */
function inOrder<Item>(items: readonly Item[], { names, rank = () => 0 }: Lookup<Item>): Item[] {
  const { compare } = new Intl.Collator("en", { numeric: true, sensitivity: "base" });
  const nameOf = (item: Item) => names(item).find(Boolean) ?? "";
  return items.toSorted(
    (one, other) => rank(one) - rank(other) || compare(nameOf(one), nameOf(other)),
  );
}

/**
 * The choices by name, or by the first value that differs where all have one name; with the ID and
 * all values, those that differ first.
 */
function choicesOf<Item>(items: readonly Item[], { names, describe }: Lookup<Item>) {
  const described = items.map(describe);
  const [first = {}] = described;
  const fields = Object.keys(first).filter((field) => field !== "id");
  const isShared = (field: string) => described.every((values) => values[field] === first[field]);
  const [shared, differing] = [fields.filter(isShared), fields.filter((one) => !isShared(one))];
  const labels = items.map((item) => names(item).find(Boolean) ?? "");
  const isOneName = labels.every((label) => label === labels[0]);
  return items.map((value, at) => {
    const { [at]: { id = "", ...values } = {} } = described;
    const label = (isOneName ? values[differing[0] ?? ""] : labels[at]) || (id ?? "");
    // The end of a line may be cut, and never an ID.
    const notes = [
      id,
      ...differing.map((field) => values[field]),
      ...shared.map((field) => values[field]),
    ];
    return { value, label, note: joined(notes.filter((note) => note !== label)) ?? "" };
  });
}

const MAX_LISTED = 20;

/** The error for a name that no item has, with the nearest ones. */
export function noMatch<Item>(
  items: readonly Item[],
  wanted: string,
  lookup: Lookup<Item>,
): NotFoundError {
  const { noun, list, again, where, describe } = lookup;
  const inPart = lookup.exact ? inOrder(allInPart(items, wanted, lookup), lookup) : [];
  const isInPart = inPart.length > 0;
  // Of several that match in part, any one would be a guess.
  const near = (inPart.length > 1 ? nearestIds : nearestOf)(items, wanted, lookup);
  const [first] = near;
  const left = inPart.length - MAX_LISTED;
  const detail = [
    left > 0 && `and ${numberText(left)} more.`,
    isInPart && "This command needs the full name or the ID.",
    where,
  ];
  const remedy =
    didYouMean(near) ?? (isInPart ? "Run the command again with one of these IDs." : undefined);
  const all = isInPart ? (left > 0 ? lookup.listed?.(inPart) : undefined) : list;
  const suggestion = first ? again(first).asGuess() : all;
  const does = isInPart ? "has exactly the name or ID" : "matches";
  return inputErrors.record_not_found(`${noun} ${does}`, quotedInput(wanted), {
    ...(isInPart && { candidates: inPart.slice(0, MAX_LISTED).map(describe) }),
    ...defined({ detail: joined(detail, " "), remedy, suggestion }),
  });
}

/** The result of a call; if the requested resource does not exist, the error gets a remedy. */
export async function explainNotFound<Result>(
  facts: Pick<ErrorFacts, "remedy" | "suggestion">,
  call: Promise<Result>,
): Promise<Result> {
  try {
    return await call;
  } catch (error) {
    // What a case has not recorded may well exist.
    if (!(error instanceof NotFoundError) || isNotRecorded(error)) throw error;
    const remedy = combinedRemedy(error, facts.remedy);
    const suggestion = elsewhere(error) ?? facts.suggestion;
    throw error.setFacts({ ...facts, ...defined({ suggestion, remedy: remedy || undefined }) });
  }
}

/** The suggestion of an error to use another base URL, with which anything else fails as well. */
function elsewhere({ facts }: AmpError): Suggestion | undefined {
  const isElsewhere = asList(facts.suggestion).some(({ parts }) => parts.options.baseUrl);
  return isElsewhere ? facts.suggestion : undefined;
}

/**
 * A remedy before that of an error: what the service or the base URL lets one suspect is not lost.
 */
export function combinedRemedy({ facts }: AmpError, remedy = ""): string {
  return [remedy, facts.remedy].filter(Boolean).join(" ");
}
