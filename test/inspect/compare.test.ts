import fc from "fast-check";
import { applyPatch } from "rfc6902";
import { describe, expect, it } from "vitest";
import { compareRecords, withoutIdentity } from "../../src/inspect/compare.ts";

/** Names that the package refuses to apply a patch to; it makes one. */
const REFUSED = new Set(["__proto__", "constructor", "prototype"]);
/** Names that JSON Pointer and JavaScript have their own meaning for. */
const key = fc.oneof(
  fc.constantFrom("a", "b", "a/b", "m~n", "", "toString", "0", "config", "objects"),
  fc.string({ maxLength: 4 }).filter((text) => !REFUSED.has(text)),
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
  it("makes a patch of add, remove and replace that leads from one to the other", async () => {
    await fc.assert(
      fc.asyncProperty(record, record, async (before, after) => {
        const { changes, patch } = await compareRecords(before, after);
        for (const { op } of patch) expect(["add", "remove", "replace"]).toContain(op);
        const patched = structuredClone(before);
        const failures = applyPatch(patched, structuredClone(patch) as never).filter(Boolean);
        expect(failures).toEqual([]);
        expect(patched).toEqual(after);
        expect(changes.length > 0).toBe(patch.length > 0);
      }),
    );
  });

  it("finds no difference between a read that is not paused and one of which that is not said", async () => {
    const reading = (more: object) => ({
      config: { content: { read: { objects: { deals: { objectName: "deals", ...more } } } } },
    });
    const between = async (one: object, other: object) =>
      (await compareRecords(reading(one), reading(other))).changes;
    expect(await between({}, { disabled: false })).toEqual([]);
    expect(await between({ disabled: false }, {})).toEqual([]);
    expect(await between({}, { disabled: true })).toHaveLength(1);
    expect(await between({ disabled: true }, { disabled: false })).toHaveLength(1);
    expect(await between({}, { other: false })).toHaveLength(1);
  });

  it("finds nothing different in the same, in another order of keys", async () => {
    await fc.assert(
      fc.asyncProperty(record, async (one) => {
        const turned = Object.fromEntries(Object.entries(one).reverse());
        expect(await compareRecords(one, turned)).toEqual({ changes: [], patch: [] });
      }),
    );
  });

  it("says in which object and field a difference is", async () => {
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
    const { changes } = await compareRecords(before, after);
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

  it("names each object where all of them are new, and each field of other parts", async () => {
    const content = {
      read: { objects: { a: { schedule: "1" }, "b/c~d": {} } },
      proxy: { enabled: true },
    };
    const { changes, patch } = await compareRecords({}, { config: { content } });
    expect(patch).toHaveLength(1);
    const { changes: later } = await compareRecords(
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

  it("takes a list as one value, however long", async () => {
    const long = Array.from({ length: 20_000 }, (_, at) => at);
    const { patch } = await compareRecords({ list: long }, { list: long.toReversed() });
    expect(patch).toHaveLength(1);
    expect(patch[0]).toMatchObject({ op: "replace", path: "/list" });
  });

  it("refuses a record of more values than any service sends", async () => {
    const huge = Object.fromEntries(Array.from({ length: 60_000 }, (_, at) => [`f${at}`, at]));
    await expect(compareRecords({ id: "x" }, huge)).rejects.toThrow("more than 50000 values");
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
