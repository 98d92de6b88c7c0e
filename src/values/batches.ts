/** A list at hand, or in batches as they come: it may be longer than memory. */
export type LongList<Item> = readonly Item[] | AsyncIterable<readonly Item[]>;

/** Whether a result arrives in batches. */
export function isBatches(result: unknown): result is AsyncIterable<readonly unknown[]> {
  return typeof result === "object" && result !== null && Symbol.asyncIterator in result;
}

/** The items of a list in batches, whether or not it is at hand. */
export function batchesOf<Item>(
  list: LongList<Item>,
): AsyncIterable<readonly Item[]> | Iterable<readonly Item[]> {
  return Symbol.asyncIterator in list ? list : [list];
}

/** A list with each item changed, as it comes. */
export function mapList<Item, Changed>(
  list: LongList<Item>,
  change: (item: Item) => Changed,
): readonly Changed[] | AsyncIterable<readonly Changed[]> {
  return Symbol.asyncIterator in list ? mapBatches(list, change) : list.map(change);
}

async function* mapBatches<Item, Changed>(
  list: AsyncIterable<readonly Item[]>,
  change: (item: Item) => Changed,
): AsyncGenerator<readonly Changed[]> {
  for await (const batch of list) yield batch.map(change);
}
