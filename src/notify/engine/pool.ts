/**
 * Works through items in order, up to `width` in parallel, until one says to stop. Work that has
 * begun is finished in any case.
 * @returns the items that were not begun
 * @throws {unknown} the first error, once all work that has begun is finished
 */
export async function runPool<Item>(
  items: readonly Item[],
  width: number,
  work: (item: Item) => Promise<"continue" | "stop">,
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

interface SendSlots {
  /**
   * Resolves once a slot is free, in the order of asking.
   * @returns false once the slots are closed: nothing may be sent any more
   */
  take(): Promise<boolean>;
  release(): void;
  /** Refuses a slot to all that wait for one, or ask later. */
  close(): void;
}

/** Creates `width` slots. */
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
    release: () => {
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
