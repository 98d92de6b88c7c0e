import { ConflictError, NotFoundError } from "../errors.ts";

/**
 * One of a list by its id, or by the beginning of it: a table on a narrow terminal shortens ids.
 * @throws {NotFoundError} where there is none
 * @throws {ConflictError} where a beginning fits several
 */
export function pick<Item extends { id: string }>(
  items: readonly Item[],
  wanted: string,
  words: { noun: string; list: string },
): Item {
  const exact = items.find(({ id }) => id === wanted);
  if (exact !== undefined) return exact;
  const beginning = wanted.replace(/(…|\.\.\.)$/u, "");
  const found = beginning === "" ? [] : items.filter(({ id }) => id.startsWith(beginning));
  if (found.length > 1) {
    throw new ConflictError(`${found.length} ${words.noun}s begin with ${beginning}`, {
      detail: found
        .slice(0, 10)
        .map(({ id }) => id)
        .join("\n"),
      remedy: "Give more of the ID.",
    });
  }
  const [only] = found;
  if (only === undefined) {
    throw new NotFoundError(`There is no ${words.noun} ${JSON.stringify(wanted)}`, {
      suggestion: words.list,
    });
  }
  return only;
}
