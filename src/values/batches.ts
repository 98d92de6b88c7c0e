/** A list at hand, or in batches as they come: it may be longer than memory. */
type LongList<Item> = readonly Item[] | AsyncIterable<readonly Item[]>;

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

/** The items of a list, in memory. */
export async function allItems<Item>(list: LongList<Item>): Promise<Item[]> {
  const all: Item[] = [];
  // Not as arguments of `push`, which are limited: a list that was sorted is one batch.
  for await (const batch of batchesOf(list)) for (const item of batch) all.push(item);
  return all;
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

/** A line on a terminal that says what amp does, until another text replaces it. */
interface WorkingLine {
  show(text: string): void;
  end(): void;
}

/** The part of a reporter that shows what amp does. */
interface Showing {
  working(text: string): () => void;
}

/** Creates the line; nothing is shown before the first text. */
export function workingLine(report: Showing): WorkingLine {
  let end = () => {};
  return {
    show: (text) => {
      // The new text begins before the old one ends, so that the line stays.
      const next = report.working(text);
      end();
      end = next;
    },
    end: () => end(),
  };
}

/**
 * Creates the line that says how far the reading of a long list has come.
 * @param does what amp does, for example "Counting the installations"
 * @param of the number that is counted up to, where it is known
 */
export function countingLine(report: Showing, does: string, of?: number) {
  const line = workingLine(report);
  const end = of === undefined ? "so far" : `of ${of}`;
  return { show: (count: number) => line.show(`${does}: ${count} ${end}`), end: line.end };
}

/** The batches of a long list, with a line that says how many of its items have been read. */
export async function* countedBatches<Item>(
  list: LongList<Item>,
  report: Showing,
  does: string,
): AsyncGenerator<readonly Item[]> {
  const progress = countingLine(report, does);
  let count = 0;
  try {
    for await (const batch of batchesOf(list)) {
      yield batch;
      count += batch.length;
      progress.show(count);
    }
  } finally {
    progress.end();
  }
}

/** Two lists as one; the second is asked for when the first has been read. */
export async function inTurn<Item>(
  first: LongList<Item>,
  next: () => Promise<LongList<Item>>,
): Promise<LongList<Item>> {
  if (Symbol.asyncIterator in first) return batchesInTurn(first, next);
  const second = await next();
  return Symbol.asyncIterator in second ? batchesAfter(first, second) : [...first, ...second];
}

async function* batchesInTurn<Item>(
  first: AsyncIterable<readonly Item[]>,
  next: () => Promise<LongList<Item>>,
): AsyncGenerator<readonly Item[]> {
  yield* first;
  yield* batchesOf(await next());
}

/** The items at hand come with the first batch: a reader that stops there ends the download. */
async function* batchesAfter<Item>(
  items: readonly Item[],
  batches: AsyncIterable<readonly Item[]>,
): AsyncGenerator<readonly Item[]> {
  let before = items;
  for await (const batch of batches) {
    yield [...before, ...batch];
    before = [];
  }
  if (before.length > 0) yield before;
}
