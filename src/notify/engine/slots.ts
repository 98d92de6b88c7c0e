/** Leave for so many at once. */
export interface Slots {
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
export function createSlots(width: number): Slots {
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
