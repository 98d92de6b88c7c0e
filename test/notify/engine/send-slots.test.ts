import { describe, expect, it } from "vitest";
import { createSendSlots } from "../../../src/notify/engine/write.ts";

describe("slots", () => {
  it("are given in the order of asking, so many at once", async () => {
    const slots = createSendSlots(2);
    const begun: number[] = [];
    const asked = [1, 2, 3, 4].map(async (name) => {
      if (await slots.take()) begun.push(name);
    });
    await Promise.all(asked.slice(0, 2));
    expect(begun).toEqual([1, 2]);
    slots.release();
    await asked[2];
    expect(begun).toEqual([1, 2, 3]);
    slots.release();
    await asked[3];
    expect(begun).toEqual([1, 2, 3, 4]);
  });

  it("send away all who wait once they are closed, and all who come then", async () => {
    const slots = createSendSlots(1);
    expect(await slots.take()).toBe(true);
    const waiting = slots.take();
    slots.close();
    slots.release();
    expect(await waiting).toBe(false);
    expect(await slots.take()).toBe(false);
  });
});
