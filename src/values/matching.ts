import { mistakes, withoutAccents } from "./nearest.ts";

type Optional = string | null | undefined;

/** The texts that find an item. */
export interface Findable<Item> {
  /** The IDs, its own first. */
  readonly ids: (item: Item) => readonly Optional[];
  /** The names, the one to show first. */
  readonly names: (item: Item) => readonly Optional[];
  /** Whether only a whole ID or name finds an item: for a command that deletes or changes it. */
  readonly exact?: boolean;
}

/** The items that a text means, by the first way that finds any. */
export function matching<Item>(
  items: readonly Item[],
  wanted: string,
  findable: Findable<Item>,
): readonly Item[] {
  for (const matches of [matchesById, matchesByName, mentionedIn, namedInSentence]) {
    const found = matches(items, wanted, findable);
    if (found.length > 0) return found;
  }
  return [];
}

/** The items that a part of an ID or name means. */
export function allInPart<Item>(
  items: readonly Item[],
  wanted: string,
  { ids, names }: Findable<Item>,
): Item[] {
  const byId = matchesById(items, wanted, { ids });
  return byId.length > 0 ? byId : matchesByName(items, wanted, { names });
}

/** The IDs that were probably meant, or else the names. */
export function nearestOf<Item>(
  items: readonly Item[],
  wanted: string,
  findable: Findable<Item>,
): string[] {
  const near = nearestIds(items, wanted, findable);
  return near.length > 0 ? near : nearestNames(items, wanted, findable);
}

/** The question after the nearest names; undefined if there are none. */
export function didYouMean(near: readonly string[]): string | undefined {
  const quoted = near.map((name) => JSON.stringify(name));
  const last = quoted.pop();
  if (last === undefined) return undefined;
  return `Did you mean ${quoted.length === 0 ? last : `${quoted.join(", ")} or ${last}`}?`;
}

type ByName<Item> = Pick<Findable<Item>, "names" | "exact">;
type ById<Item> = Pick<Findable<Item>, "ids" | "exact">;

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
  fewest = MIN_SENTENCE,
): Item[] {
  const words = wordsOf(text);
  if (exact || words.length < fewest) return [];
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

/** The names that are spelled most like a text, have a word like it, or else are in it. */
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
      // Of a short text, any word of a long name would be a near miss.
      const parts = text.length < MIN_NAME ? [] : words;
      const others = [words.join(""), ...parts].map((word) => mistakes(text, word));
      return [whole ?? mistakes(text, words.join(" ")), ...others];
    });
    const least = Math.min(...away, near.get(shown) ?? Number.POSITIVE_INFINITY);
    if (least < Number.POSITIVE_INFINITY) near.set(shown, least);
  }
  const named = near.size > 0 ? [] : namedInSentence(items, wanted, { names }, 3);
  for (const item of named) near.set(names(item).find(Boolean) ?? "", 0);
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
