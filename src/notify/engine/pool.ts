/**
 * Works through the items in order, up to `width` at once, as long as each says to go on. What was
 * begun is finished in any case.
 * @returns the items that were not begun
 * @throws what the first one threw, when all that was begun is finished
 */
export async function workThrough<Item>(
  items: readonly Item[],
  width: number,
  work: (item: Item) => Promise<"on" | "stop">,
): Promise<readonly Item[]> {
  let next = 0;
  let stopped = false;
  const failures: unknown[] = [];

  async function worker(): Promise<void> {
    while (!stopped && next < items.length) {
      const item = items[next] as Item;
      next += 1;
      try {
        if ((await work(item)) === "stop") stopped = true;
      } catch (error) {
        stopped = true;
        failures.push(error);
      }
    }
  }

  await Promise.all(Array.from({ length: width }, worker));
  if (failures.length > 0) throw failures[0];
  return items.slice(next);
}
