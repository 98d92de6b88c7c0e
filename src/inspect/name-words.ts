import { mistakes, withoutAccents } from "../values/nearest.ts";

type Name = string | null | undefined;
type NamesOf<Item> = (item: Item) => readonly Name[];

/** The most names that a "Did you mean" has. */
const MAX_NEAREST = 3;

/** Whether two names are equal, but for case, accents, punctuation and the order of words. */
export function isSameName(one: Name, other: string): boolean {
  const [words, others] = [wordsOf(one ?? ""), wordsOf(other)];
  return (
    words.length > 0 &&
    (words.join("") === others.join("") || words.toSorted().join() === others.toSorted().join())
  );
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

/** The names that are spelled most like a text, or have a word like it. */
export function nearestNames<Item>(
  items: readonly Item[],
  wanted: string,
  { names }: { readonly names: NamesOf<Item> },
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
  if (near.size === 0) return namesThatBegin(items, typed[0] ?? "", names);
  const sorted = [...near].toSorted(([, one], [, other]) => one - other);
  const limit = (sorted[0]?.[1] ?? 0) + 1;
  const close = sorted.filter(([, away]) => away <= limit);
  return close.slice(0, MAX_NEAREST).map(([name]) => name);
}

/** The mistakes in all words; each must be like its own: one of two right words is another name. */
function wordByWord(typed: readonly string[], words: readonly string[]): number {
  return typed.reduce((sum, word, at) => sum + mistakes(word, words[at] ?? ""), 0);
}

/** The names with this first word: "Bluth Inc" may mean "Bluth Company"; none if too many have it. */
function namesThatBegin<Item>(
  items: readonly Item[],
  word: string,
  names: NamesOf<Item>,
): string[] {
  const all = items.flatMap((item) => names(item).find(Boolean) ?? []);
  const found = [...new Set(all.filter((name) => word.length > 2 && wordsOf(name)[0] === word))];
  return found.length > MAX_NEAREST ? [] : found;
}
