/** Levels; the service has a tenth of them. What is nested more is in the end more than the stack takes. */
export const DEEPEST = 200;

/** What stands in place of what is nested more. */
export const TOO_DEEP = "[nested too deeply]";

/** The value without what is nested beyond all reason; the very same one where nothing is. */
export function cutDeep(value: unknown, depth = 0): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (depth > DEEPEST) return TOO_DEEP;
  const items = Object.entries(value);
  const cut = items.map(([key, item]): [string, unknown] => [key, cutDeep(item, depth + 1)]);
  if (cut.every(([, item], at) => item === items[at]?.[1])) return value;
  return Array.isArray(value) ? cut.map(([, item]) => item) : Object.fromEntries(cut);
}
