import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Config } from "../../src/api/schemas/installation.ts";
import { configBlocks, readsNothing } from "../../src/inspect/config-blocks.ts";

function config(content: object): Config {
  return { content } as Config;
}

describe("a config that reads nothing", () => {
  it("is one that was reported, and whose parts are all empty", () => {
    expect(readsNothing(undefined)).toBe(false);
    expect(readsNothing({} as Config)).toBe(false);
    expect(readsNothing(config({}))).toBe(true);
    expect(readsNothing(config({ provider: "salesforce", read: { objects: {} } }))).toBe(true);
    expect(readsNothing(config({ read: { objects: { contact: {} } } }))).toBe(false);
    expect(readsNothing(config({ write: { objects: { contact: {} } } }))).toBe(false);
    expect(readsNothing(config({ somethingNew: ["x"] }))).toBe(false);
  });

  it("may have a proxy that is not enabled", () => {
    expect(readsNothing(config({ proxy: { enabled: false } }))).toBe(true);
    expect(readsNothing(config({ proxy: { enabled: true } }))).toBe(false);
    expect(readsNothing(config({ proxy: {} }))).toBe(true);
  });

  it("has nothing on its page", () => {
    const value = fc.constantFrom(null, "", "x", 0, false, [], ["x"], {}, { a: "" }, { a: 1 });
    const objects = fc.dictionary(fc.constantFrom("contact", "account"), value, { maxKeys: 2 });
    const maps = fc.oneof(value, fc.record({ objects, more: value }, { requiredKeys: [] }));
    const read = fc.record(
      { objects: fc.dictionary(fc.constant("contact"), fc.constantFrom({}, null)), more: value },
      { requiredKeys: [] },
    );
    const content = fc.record(
      { provider: value, read, write: maps, subscribe: maps, other: value },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(content, (parts) => {
        const blocks = configBlocks(config(parts), undefined);
        expect(readsNothing(config(parts))).toBe(blocks.every(({ kind }) => kind === "text"));
      }),
      { numRuns: 500 },
    );
  });
});
