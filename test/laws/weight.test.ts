import { describe, expect, it } from "vitest";
import { grown, limits, weigh } from "./weigh.ts";

describe("the weight of amp", () => {
  it("has no figure that grew: see npm run weigh", async () => {
    const { figures } = await weigh();
    expect(grown(figures, limits())).toEqual([]);
  });

  it("is seen where it grows", () => {
    const most = { "files of src": 10, "own options of amp listen": 18 };
    expect(grown({ "files of src": 10, "own options of amp listen": 17 }, most)).toEqual([]);
    expect(grown({ "files of src": 11, "own options of amp ask": 12 }, most)).toEqual([
      "files of src: 11, at most 10",
      "own options of amp ask: 12, at most 10",
    ]);
  });
});
