import { mistakes } from "../values/nearest.ts";

/** How the items of a list are found by their IDs. */
interface ById<Item> {
  /** The IDs, its own first. */
  readonly ids: (item: Item) => readonly (string | null | undefined)[];
  /** Whether only a whole ID finds an item. */
  readonly exact?: boolean;
}

/** A word that may be an ID: few other words have digits. */
const MAY_BE_ID = /^(?=.*\d).{5,}$/u;

/** The most IDs that a "Did you mean" has. */
const MAX_NEAREST = 3;

/** The items with this ID, or one that begins with it; any spelling of it, where none has the very text. */
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
