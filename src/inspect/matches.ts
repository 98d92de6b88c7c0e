import { mistakes, withoutAccents } from "../values/nearest.ts";

type Name = string | null | undefined;

/** How items are found by the words of their names. */
interface Words<Item> {
  /** The names, the one to show first. */
  readonly names: (item: Item) => readonly Name[];
  /** Words that mean none of them. */
  readonly commonWords?: readonly string[];
}

/** The most names or IDs that a "Did you mean" has. */
const MAX_NEAREST = 3;

/** Whether two names are equal, but for case, accents, punctuation and the order of words. */
export function isSameName(one: Name, other: string): boolean {
  return sameNameAs(other)(one);
}

/** As {@link isSameName}, for many names: what was typed may be a long text. */
export function sameNameAs(typed: string): (name: Name) => boolean {
  const words = wordsOf(typed);
  const [text, sorted] = [words.join(""), words.toSorted().join()];
  return (name) => {
    const own = wordsOf(name ?? "");
    return own.length > 0 && (own.join("") === text || own.toSorted().join() === sorted);
  };
}

/** Whether a name contains a text, in any case and with any accents. */
export function containsName(name: string, text: string): boolean {
  return wordsOf(name).join(" ").includes(wordsOf(text).join(" "));
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
export function namedInSentence<Item>(
  items: readonly Item[],
  text: string,
  { names, exact }: Words<Item> & { readonly exact?: boolean },
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
  lookup: Words<Item>,
): string[] {
  const { names } = lookup;
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
      return [whole ?? mistakes(text, words.join(" ")), misspeltIn(typed, words), ...others];
    });
    const least = Math.min(...away, near.get(shown) ?? Number.POSITIVE_INFINITY);
    if (least < Number.POSITIVE_INFINITY) near.set(shown, least);
  }
  if (near.size === 0) {
    // "Bluth Inc" may mean "Bluth Company"; a word that many names have means none of them.
    // Of a whole mail, words such as "company" would suggest who is not meant.
    const isSentence = typed.length > MAX_NAME_WORDS;
    const rare = (isSentence ? undefined : withRarestWords(items, wanted, lookup))?.items.flatMap(
      (item) => names(item).find(Boolean) ?? [],
    );
    const distinct = [...new Set(rare)];
    return distinct.length > MAX_NEAREST ? [] : distinct;
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

/** More words than these are a sentence. */
const MAX_NAME_WORDS = 8;
/** More words than these are a log or a page, in which nobody misspelt a name. */
const MAX_COMPARED_WORDS = 300;

/** The mistakes in a name of several words that is somewhere in a longer text. */
function misspeltIn(typed: readonly string[], words: readonly string[]): number {
  if (words.length < 2 || typed.length > MAX_COMPARED_WORDS) return Number.POSITIVE_INFINITY;
  const starts = typed.slice(0, Math.max(0, typed.length - words.length + 1));
  const away = starts.map((_word, at) => wordByWord(typed.slice(at, at + words.length), words));
  return Math.min(Number.POSITIVE_INFINITY, ...away);
}

/** Words of a sentence that a name may have, too, and that say nothing of whose it is. */
const FUNCTION_WORDS = new Set(
  "all and any are but can did for from has have how its not our since that the their they this und was why with you your".split(
    " ",
  ),
);
/** The shortest word that is looked for in names. */
const MIN_WORD = 3;

/**
 * The items whose names have the rarest words of a text: those that few names have weigh more. None
 * where it has only words of no name, and words that every sentence has.
 */
export function withRarestWords<Item>(
  items: readonly Item[],
  text: string,
  { names, commonWords = [] }: Words<Item>,
): { readonly items: readonly Item[]; readonly word: string } | undefined {
  const common = new Set(commonWords);
  const typed = [...new Set(wordsOf(text))].filter(
    (word) => word.length >= MIN_WORD && !FUNCTION_WORDS.has(word) && !common.has(word),
  );
  const counts = new Map(typed.map((word) => [word, 0]));
  const named = items.map((item) => {
    const own = new Set(names(item).flatMap((name) => wordsOf(name ?? "")));
    const had = [...own].filter((word) => counts.has(word));
    for (const word of had) counts.set(word, (counts.get(word) ?? 0) + 1);
    return { item, had };
  });
  const weightOf = (word: string) => Math.log((items.length + 1) / (counts.get(word) ?? 1));
  const weighed = named
    .filter(({ had }) => had.length > 0)
    .map(({ item, had }) => ({ item, weight: had.reduce((sum, word) => sum + weightOf(word), 0) }));
  const most = Math.max(...weighed.map(({ weight }) => weight));
  const [word] = typed
    .filter((one) => counts.get(one))
    .toSorted((a, b) => weightOf(b) - weightOf(a));
  const best = weighed.filter(({ weight }) => weight === most).map(({ item }) => item);
  return word === undefined ? undefined : { items: best, word };
}

/** How the items of a list are found by their IDs. */
interface ById<Item> {
  /** The IDs, its own first. */
  readonly ids: (item: Item) => readonly (string | null | undefined)[];
  /** Whether only a whole ID finds an item. */
  readonly exact?: boolean;
}

/** A word that may be an ID: few other words have digits. */
const MAY_BE_ID = /^(?=.*\d).{5,}$/u;

/**
 * The items with this ID, or one that begins with it; any spelling of it, where none has the very
 * text.
 */
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
export function nearestIds<Item>(
  items: readonly Item[],
  wanted: string,
  { ids }: ById<Item>,
): string[] {
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
