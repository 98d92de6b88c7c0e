import { ConflictError, NotFoundError } from "../errors.ts";
import type { SuggestedCommand } from "../values/suggested-command.ts";
import { joined } from "../view/view.ts";

/** The words for the items of a list in messages, and the names that find them. */
interface MatchOptions<Item> {
  readonly noun: string;
  /** The command that lists the items. */
  readonly list: SuggestedCommand;
  readonly names?: (item: Item) => readonly (string | null | undefined)[];
  /** A text that distinguishes items of one name. */
  readonly describe?: (item: Item) => string | undefined;
}

/**
 * The item of a list with this ID, with an ID that begins with this text (a narrow terminal
 * shortens IDs), or with this name or a part of it. The case of letters does not matter for names.
 * @throws {NotFoundError} where no item matches
 * @throws {ConflictError} where several items match
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
    throw new NotFoundError(`No ${noun} matches ${JSON.stringify(wanted)}`, { suggestion: list });
  }
  if (found.length === 1) return only;
  throw new ConflictError(`${found.length} ${noun}s match ${JSON.stringify(beginning)}`, {
    detail: matchList(found, listing),
    remedy:
      byId.length > 0 ? "Type more of the ID." : "Run the command again with one of these IDs.",
  });
}

/** The items with exactly this name, or else those whose name contains it. */
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
  const lines = found.slice(0, MAX_LISTED).map((item) => joined([item.id, describe?.(item)], "  "));
  const left = found.length - lines.length;
  return [...lines, left > 0 && `and ${left} more`].filter(Boolean).join("\n");
}
