import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareRecords, withoutIdentity } from "../../src/inspect/installation-diff.ts";

/** Names that JavaScript has its own meaning for. */
const key = fc.oneof(
  fc.constantFrom("a", "b", "", "toString", "__proto__", "0", "config", "objects"),
  fc.string({ maxLength: 4 }),
);
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, true, false, 0, 1, "", "x"),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(key, tie("value"), { maxKeys: 4, noNullPrototype: true }),
  ),
})).value;
const record = fc.dictionary(key, json, { maxKeys: 5, noNullPrototype: true });

describe("comparing records", () => {
  it("finds a difference exactly where two records differ", () => {
    fc.assert(
      fc.property(record, record, (before, after) => {
        const changes = compareRecords(before, after);
        expect(changes.length > 0).toBe(!isDeepStrictEqual(before, after));
        for (const { change, before: was, after: is } of changes) {
          expect(change).toBe(
            was === undefined ? "added" : is === undefined ? "removed" : "changed",
          );
          expect(was).not.toEqual(is);
        }
      }),
    );
  });

  it("finds no difference between a read that is not paused and one of which that is not said", () => {
    const reading = (more: object) => ({
      config: { content: { read: { objects: { deals: { objectName: "deals", ...more } } } } },
    });
    const between = (one: object, other: object) => compareRecords(reading(one), reading(other));
    expect(between({}, { disabled: false })).toEqual([]);
    expect(between({ disabled: false }, {})).toEqual([]);
    expect(between({}, { disabled: true })).toHaveLength(1);
    expect(between({ disabled: true }, { disabled: false })).toHaveLength(1);
    expect(between({}, { other: false })).toHaveLength(1);
  });

  it("finds nothing different in the same, in another order of keys", () => {
    fc.assert(
      fc.property(record, (one) => {
        const turned = Object.fromEntries(Object.entries(one).reverse());
        expect(compareRecords(one, turned)).toEqual([]);
      }),
    );
  });

  it("says in which object and field a difference is", () => {
    const config = (objects: object) => ({ config: { content: { read: { objects } } } });
    const contacts = { schedule: "0 * * * *", selectedFields: { email: true } };
    const before = { healthStatus: "healthy", connection: {}, ...config({ contacts, deals: {} }) };
    const after = {
      healthStatus: "unhealthy",
      connection: { status: "working" },
      ...config({
        contacts: { schedule: "@daily", selectedFields: {} },
        leads: { schedule: "@hourly" },
      }),
    };
    const changes = compareRecords(before, after);
    expect(changes).toEqual(
      expect.arrayContaining([
        {
          area: "installation",
          field: "healthStatus",
          change: "changed",
          before: "healthy",
          after: "unhealthy",
        },
        { area: "connection", field: "status", change: "added", after: "working" },
        {
          area: "read",
          object: "contacts",
          field: "schedule",
          change: "changed",
          before: "0 * * * *",
          after: "@daily",
        },
        {
          area: "read",
          object: "contacts",
          field: "selectedFields.email",
          change: "removed",
          before: true,
        },
        { area: "read", object: "deals", field: "", change: "removed", before: {} },
        {
          area: "read",
          object: "leads",
          field: "",
          change: "added",
          after: { schedule: "@hourly" },
        },
      ]),
    );
    expect(changes).toHaveLength(6);
  });

  it("names each object where all of them are new, and each field of other parts", () => {
    const content = {
      read: { objects: { a: { schedule: "1" }, "b/c~d": {} } },
      proxy: { enabled: true },
    };
    const changes = compareRecords({}, { config: { content } });
    const later = compareRecords(
      { config: { content } },
      {
        config: {
          content: {
            ...content,
            read: { objects: { ...content.read.objects, "b/c~d": { x: 1 } } },
          },
        },
      },
    );
    expect(later).toEqual([
      { area: "read", object: "b/c~d", field: "x", change: "added", after: 1 },
    ]);
    expect(changes).toEqual([
      { area: "read", object: "a", field: "", change: "added", after: { schedule: "1" } },
      { area: "read", object: "b/c~d", field: "", change: "added", after: {} },
      { area: "config", field: "content.proxy.enabled", change: "added", after: true },
    ]);
  });

  it("takes a list as one value, however long", () => {
    const long = Array.from({ length: 20_000 }, (_, at) => at);
    expect(compareRecords({ list: long }, { list: long.toReversed() })).toMatchObject([
      { field: "list", change: "changed" },
    ]);
  });

  it("refuses a record of more values than any service sends", () => {
    const huge = Object.fromEntries(Array.from({ length: 60_000 }, (_, at) => [`f${at}`, at]));
    expect(() => compareRecords({ id: "x" }, huge)).toThrow("more than 50000 values");
  });

  it("leaves out what always differs between two installations, and nothing else", () => {
    const part = { id: "1", createTime: "t", status: "working" };
    const record = {
      ...{
        id: "1",
        createTime: "t",
        createdBy: "c",
        updateTime: "t",
        group: {},
        healthStatus: "h",
      },
      connection: { ...part, consumer: {}, group: {} },
      config: { ...part, revisionId: "r", createdBy: "c", content: { id: 1 } },
      later: { id: "kept" },
    };
    expect(withoutIdentity(record)).toEqual({
      healthStatus: "h",
      connection: { status: "working" },
      config: { status: "working", content: { id: 1 } },
      later: { id: "kept" },
    });
  });
});
