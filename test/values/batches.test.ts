import { expect, it } from "vitest";
import { allItems } from "../../src/values/batches.ts";

it("collects a list whose one batch has more items than a function may have arguments", async () => {
  const items = Array.from({ length: 150_000 }, (_, at) => at);
  expect(await allItems(items)).toHaveLength(items.length);
  async function* batches() {
    yield items;
    yield [-1];
  }
  expect((await allItems(batches())).at(-1)).toBe(-1);
});
