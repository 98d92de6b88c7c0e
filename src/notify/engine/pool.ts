/**
 * Works through the items in order, up to `width` at once, as long as each says to go on. What was
 * begun is finished in any case.
 * @returns the items that were not begun
 * @throws what the first one threw, when all that was begun is finished
 */
export async function runPool<Item>(
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

/** Leave for so many at once. */
export interface SendSlots {
  /**
   * Resolves once there is room, in the order of asking.
   * @returns false once it is closed: nobody may begin any more
   */
  take(): Promise<boolean>;
  /** Makes room for another one. */
  giveBack(): void;
  /** Sends away all who wait, and who come later. */
  close(): void;
}

/** Room for `width` at once. */
export function createSendSlots(width: number): SendSlots {
  const waiting: ((isFree: boolean) => void)[] = [];
  let free = width;
  let isClosed = false;
  return {
    take: () => {
      if (isClosed) return Promise.resolve(false);
      if (free === 0) return new Promise((resolve) => waiting.push(resolve));
      free -= 1;
      return Promise.resolve(true);
    },
    giveBack: () => {
      const next = waiting.shift();
      if (next) next(true);
      else free += 1;
    },
    close: () => {
      isClosed = true;
      for (const answer of waiting.splice(0)) answer(false);
    },
  };
}
