/** The names that a sentence has room for; the others are counted. */
const MOST_NAMES = 5;

/** The first names of a list in one line, and the number of the others: "a, b and 3 more". */
export function firstNames(names: readonly string[]): string {
  const more = names.length - MOST_NAMES;
  return more > 0
    ? `${names.slice(0, MOST_NAMES).join(", ")} and ${numberText(more)} more`
    : names.join(", ");
}

/** A number for people: "3,000". The first call of `toLocaleString` takes Node 14 ms. */
export function numberText(count: number): string {
  if (!Number.isSafeInteger(count)) return count.toLocaleString("en-GB");
  return String(count).replace(/\B(?=(?:\d{3})+$)/gu, ",");
}

/** The text with a capital first letter. */
export function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The text with a small first letter. */
export function uncapitalised(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

/** A number with its noun: "1 rule", "3,000 rules". */
export function counted(count: number, noun: string): string {
  return `${numberText(count)} ${noun}${count === 1 ? "" : "s"}`;
}
