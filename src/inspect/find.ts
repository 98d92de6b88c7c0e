import type { CommandContext } from "../context/command-context.ts";
import { type AmpError, type ErrorFacts, isNotRecorded, NotFoundError } from "../errors.ts";
import { numberText } from "../values/counted.ts";
import { defined } from "../values/json.ts";
import { mistakes, withoutAccents } from "../values/nearest.ts";
import type { SuggestedCommand } from "../values/suggested-command.ts";
import { joined } from "../view/view.ts";
import { inspectErrors } from "./errors.ts";

type Optional = string | null | undefined;

/** The words for the items of a list in messages, and the texts that find and distinguish them. */
export interface Lookup<Item> {
  readonly noun: string;
  /** The argument that names an item. */
  readonly argument: string;
  /** The command that lists the items. */
  readonly list: SuggestedCommand;
  /** The next command where this name may have been meant. */
  readonly again: (name: string) => SuggestedCommand;
  /** The IDs, its own first. */
  readonly ids: (item: Item) => readonly Optional[];
  /** The word for the IDs where they are names. */
  readonly idWord?: "names";
  /** The names, the one to show first. */
  readonly names: (item: Item) => readonly Optional[];
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
  /** Whether only a whole ID or name finds an item: for a command that deletes or changes it. */
  readonly exact?: boolean;
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

/** The items that a text means, by the first way that finds any. */
export function matching<Item>(
  items: readonly Item[],
  wanted: string,
  lookup: Lookup<Item>,
): readonly Item[] {
  for (const matches of [matchesById, matchesByName, mentionedIn, namedInSentence]) {
    const found = matches(items, wanted, lookup);
    if (found.length > 0) return found;
  }
  return [];
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
  throw inspectErrors.name_ambiguous(message, {
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
 * The choices by name, or by the first value that differs where all have one name; with all values,
 * those that differ first.
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
    const notes = [
      ...differing.map((field) => values[field]),
      id,
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
  const nearIds = nearestIds(items, wanted, lookup);
  // Of several that match in part, any one would be a guess.
  const isOpen = inPart.length > 1;
  const near = isOpen || nearIds.length > 0 ? nearIds : nearestNames(items, wanted, lookup);
  const [first] = near;
  const left = inPart.length - MAX_LISTED;
  const detail = [
    left > 0 && `and ${numberText(left)} more.`,
    isInPart && "This command needs the full name or the ID.",
    where,
  ];
  const guess = first ? `Did you mean ${orList(near)}?` : undefined;
  const remedy = guess ?? (isInPart ? "Run the command again with one of these IDs." : undefined);
  const all = isInPart ? (left > 0 ? lookup.listed?.(inPart) : undefined) : list;
  const suggestion = first ? again(first).asGuess() : all;
  const does = isInPart ? "has exactly the name or ID" : "matches";
  return inspectErrors.record_not_found(`${noun} ${does}`, quotedInput(wanted), {
    ...(isInPart && { candidates: inPart.slice(0, MAX_LISTED).map(describe) }),
    ...defined({ detail: joined(detail, " "), remedy, suggestion }),
  });
}

/** The items that a part of an ID or name means. */
function allInPart<Item>(items: readonly Item[], wanted: string, { ids, names }: Lookup<Item>) {
  const byId = matchesById(items, wanted, { ids });
  return byId.length > 0 ? byId : matchesByName(items, wanted, { names });
}

function orList(names: readonly string[]): string {
  const quoted = names.map((name) => JSON.stringify(name));
  const last = quoted.pop() ?? "";
  return quoted.length === 0 ? last : `${quoted.join(", ")} or ${last}`;
}

type ByName<Item> = Pick<Lookup<Item>, "names" | "exact">;
type ById<Item> = Pick<Lookup<Item>, "ids" | "exact">;

/** The most names or IDs that a "Did you mean" has. */
const MAX_NEAREST = 3;

/** Whether two names are equal, but for case, accents, punctuation and the order of words. */
export function isSameName(one: Optional, other: string): boolean {
  return sameNameAs(other)(one);
}

/** As {@link isSameName}, for many names: what was typed may be a long text. */
function sameNameAs(typed: string): (name: Optional) => boolean {
  const words = wordsOf(typed);
  const [text, sorted] = [words.join(""), words.toSorted().join()];
  return (name) => {
    const own = wordsOf(name ?? "");
    return own.length > 0 && (own.join("") === text || own.toSorted().join() === sorted);
  };
}

/** Scripts that put no spaces between words: a word may be anywhere in a text. */
const UNSPACED =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;

/** Whether each word of a text begins a word of a name, in any order, case and accents aside. */
export function fitsName(name: string, text: string): boolean {
  const [own, typed] = [wordsOf(name), wordsOf(text)];
  const fits = (word: string, one: string) =>
    UNSPACED.test(word) ? one.includes(word) : one.startsWith(word);
  return typed.length > 0 && typed.every((word) => own.some((one) => fits(word, one)));
}

/** The items of this name in any word order, or else those with a name that the text fits. */
function matchesByName<Item>(
  items: readonly Item[],
  wanted: string,
  { names, exact }: ByName<Item>,
): Item[] {
  if (exact) return items.filter((item) => names(item).includes(wanted));
  const isSame = sameNameAs(wanted);
  const same = items.filter((item) => names(item).some(isSame));
  if (same.length > 0) return same;
  return items.filter((item) => names(item).some((name) => name && fitsName(name, wanted)));
}

/** The words of a name in lower case, without accents. */
export function wordsOf(name: string): string[] {
  return withoutAccents(name)
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");
}

/** The fewest words of a sentence: a shorter text is a name, which may be mistyped. */
const MIN_SENTENCE = 5;
/** The shortest name that is looked for in a sentence: a shorter one may be any word. */
const MIN_NAME = 4;

/** The items whose name is in a sentence, word by word; of names within each other, the longest. */
function namedInSentence<Item>(
  items: readonly Item[],
  text: string,
  { names, exact }: ByName<Item>,
): Item[] {
  const words = wordsOf(text);
  if (exact || words.length < MIN_SENTENCE) return [];
  const sentence = ` ${words.join(" ")} `;
  const namesIn = (item: Item) =>
    names(item)
      .map((name) => wordsOf(name ?? "").join(" "))
      .filter((name) => name.length >= MIN_NAME && sentence.includes(` ${name} `));
  const named = items.map((item) => ({ item, found: namesIn(item) }));
  const all = [...new Set(named.flatMap(({ found }) => found))];
  const isPart = (name: string) =>
    all.some((other) => other !== name && ` ${other} `.includes(` ${name} `));
  return named.filter(({ found }) => found.some((name) => !isPart(name))).map(({ item }) => item);
}

/** The names that are spelled most like a text, or have a word like it. */
export function nearestNames<Item>(
  items: readonly Item[],
  wanted: string,
  { names }: ByName<Item>,
): string[] {
  const typed = wordsOf(wanted);
  const text = typed.join(" ");
  // One letter or sign, or none, is like any word that is as short.
  if (text.length < 2) return [];
  const near = new Map<string, number>();
  for (const item of items) {
    const known = names(item).filter((name) => typeof name === "string" && name !== "");
    const [shown] = known;
    if (!shown) continue;
    const away = known.flatMap((name) => {
      const words = wordsOf(name ?? "");
      const whole = words.length === typed.length ? wordByWord(typed, words) : undefined;
      const others = [words.join(""), ...words].map((word) => mistakes(text, word));
      return [whole ?? mistakes(text, words.join(" ")), ...others];
    });
    const least = Math.min(...away, near.get(shown) ?? Number.POSITIVE_INFINITY);
    if (least < Number.POSITIVE_INFINITY) near.set(shown, least);
  }
  const sorted = [...near].toSorted(([, one], [, other]) => one - other);
  const limit = (sorted[0]?.[1] ?? 0) + 1;
  const close = sorted.filter(([, away]) => away <= limit);
  return close.slice(0, MAX_NEAREST).map(([name]) => name);
}

/** The mistakes in all words; each must be like its own: one of two right words is another name. */
function wordByWord(typed: readonly string[], words: readonly string[]): number {
  return typed.reduce((sum, word, at) => sum + mistakes(word, words[at] ?? ""), 0);
}

/** A word that may be an ID: few other words have digits. */
const MAY_BE_ID = /^(?=.*\d).{5,}$/u;

/** The items with this ID, or one that begins with it; if there are none, in any spelling. */
export function matchesById<Item>(
  items: readonly Item[],
  wanted: string,
  { ids, exact }: ById<Item>,
): Item[] {
  const whole = having(items, ids, (id) => id === wanted);
  if (whole.length > 0 || exact) return whole;
  // A narrow terminal cuts the middle of an ID.
  const [start = "", end = ""] = wanted.split(/…|\.\.\./u).map((part) => part.trim());
  if (start === "") return [];
  const found = having(items, ids, (id) => id.startsWith(start) && id.endsWith(end));
  if (found.length > 0 || !MAY_BE_ID.test(wanted)) return found;
  const [lowStart, lowEnd] = [start.toLowerCase(), end.toLowerCase()];
  const fits = (spelling: string) => spelling.startsWith(lowStart) && spelling.endsWith(lowEnd);
  return having(items, ids, (id) => spellings(id).some(fits));
}

/** The items with an ID that is a word of a text, such as a sentence, an address or a log line. */
export function mentionedIn<Item>(
  items: readonly Item[],
  text: string,
  { ids, exact }: ById<Item>,
): Item[] {
  const words = exact ? [] : text.split(/[^\p{L}\p{N}_-]+/u).filter((word) => MAY_BE_ID.test(word));
  if (words.length === 0) return [];
  const exactly = new Set(words);
  const found = having(items, ids, (id) => exactly.has(id));
  if (found.length > 0) return found;
  const inLowerCase = new Set(words.map((word) => word.toLowerCase()));
  return having(items, ids, (id) => spellings(id).some((one) => inLowerCase.has(one)));
}

/** The IDs that differ from a typed one by one character, or by two that changed places. */
function nearestIds<Item>(items: readonly Item[], wanted: string, { ids }: ById<Item>): string[] {
  if (!MAY_BE_ID.test(wanted)) return [];
  const typed = wanted.toLowerCase();
  const isNear = (id: string) => spellings(id).some((one) => mistakes(typed, one) <= 1);
  const near = items.flatMap((item) => ids(item).flatMap((id) => (id && isNear(id) ? [id] : [])));
  return near.slice(0, MAX_NEAREST);
}

/** An ID in lower case, and without the word for its kind: `ins_08139571` and `08139571`. */
function spellings(id: string): string[] {
  const whole = id.toLowerCase();
  return [whole, whole.replace(/^[a-z]+_/u, "")];
}

function having<Item>(
  items: readonly Item[],
  ids: ById<Item>["ids"],
  fits: (id: string) => boolean,
): Item[] {
  return items.filter((item) => ids(item).some((id) => id && fits(id)));
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
    throw error.setFacts({ ...facts, ...(remedy ? { remedy } : {}) });
  }
}

/**
 * A remedy before that of an error: what the service or the base URL lets one suspect is not lost.
 */
export function combinedRemedy({ facts }: AmpError, remedy = ""): string {
  return [remedy, facts.remedy].filter(Boolean).join(" ");
}
