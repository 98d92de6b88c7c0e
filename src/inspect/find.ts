import { ConflictError, NotFoundError } from "../errors.ts";

/** What is said of the things of a list, and by what else than their ids they are found. */
interface MatchOptions<Item> {
  readonly noun: string;
  /** The command that lists them. */
  readonly list: string;
  /** What people call an item, and how several of the same name are told apart. */
  readonly names?: (item: Item) => readonly (string | null | undefined)[];
  readonly describe?: (item: Item) => string | undefined;
}

/**
 * One of a list by its id, by the beginning of it (a table on a narrow terminal shortens ids), or by
 * a name or a part of one, in whatever case.
 * @throws {NotFoundError} where there is none
 * @throws {ConflictError} where it fits several
 */
export function findByIdOrName<Item extends { id: string }>(
  items: readonly Item[],
  wanted: string,
  listing: MatchOptions<Item>,
): Item {
  const { noun, list } = listing;
  const exact = items.find(({ id }) => id === wanted);
  if (exact !== undefined) return exact;
  const beginning = wanted.replace(/(…|\.\.\.)$/u, "").trim();
  const byId = beginning === "" ? [] : items.filter(({ id }) => id.startsWith(beginning));
  const found = byId.length > 0 ? byId : matchesByName(items, beginning, listing);
  const [only] = found;
  if (only === undefined) {
    throw new NotFoundError(`There is no ${noun} ${JSON.stringify(wanted)}`, { suggestion: list });
  }
  if (found.length === 1) return only;
  const fit = byId.length > 0 ? "begin with" : "go by";
  throw new ConflictError(`${found.length} ${noun}s ${fit} ${beginning}`, {
    detail: matchList(found, listing),
    remedy: byId.length > 0 ? "Give more of the ID." : "Give the ID of one.",
  });
}

/** Those of that very name; where there are none, those with it in theirs. */
function matchesByName<Item>(
  items: readonly Item[],
  wanted: string,
  { names }: MatchOptions<Item>,
): Item[] {
  const plain = wanted.toLowerCase();
  if (names === undefined || plain === "") return [];
  const fits = (does: (name: string) => boolean) =>
    items.filter((item) => names(item).some((name) => name && does(name.toLowerCase())));
  const same = fits((name) => name === plain);
  return same.length > 0 ? same : fits((name) => name.includes(plain));
}

const MAX_LISTED = 10;

function matchList<Item extends { id: string }>(
  found: readonly Item[],
  { describe }: MatchOptions<Item>,
): string {
  const lines = found.slice(0, MAX_LISTED).map((item) => {
    const more = describe?.(item);
    return more ? `${item.id}  ${more}` : item.id;
  });
  const left = found.length - lines.length;
  return [...lines, ...(left > 0 ? [`and ${left} more`] : [])].join("\n");
}
