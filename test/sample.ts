/** Whether all is tried, also what takes long and what a busy machine disturbs: `npm run test:all`. */
export const isWhole = process.env.AMP_TEST_ALL !== undefined;

/**
 * The part of a list that one of many similar tests tries, for example a command: together they try
 * all of it, in turn. `npm run test:all` has each try the whole list.
 * @param nth the place of the test among its like
 * @param size the number of items to try
 */
export function sampleFor<Item>(nth: number, size: number, items: readonly Item[]): Item[] {
  if (isWhole || size >= items.length) return [...items];
  const first = (nth * size) % items.length;
  return [...items, ...items].slice(first, first + size);
}
