import { describe, expect, it } from "vitest";
import { createUnknownFields, selectFields } from "../../src/ui/fields.ts";
import { valueAt } from "../../src/values/json.ts";

const PROVIDER = {
  name: "hubspot",
  support: { read: true, search: { operators: { equals: true } } },
  labels: { "amp.dev/tier": "one", amp: { "dev/tier": "two" } },
  metadata: {
    input: [{ name: "workspace", prompt: "Which?" }, { name: "region" }, { displayName: "x" }],
  },
  media: null,
};

describe("selectFields", () => {
  it("keeps the order of the fields and the shape of the value", () => {
    expect(
      JSON.stringify(selectFields(PROVIDER, ["support.search.operators.equals", "name"])),
    ).toBe('{"support":{"search":{"operators":{"equals":true}}},"name":"hubspot"}');
  });

  it("omits fields that a record does not have", () => {
    expect(selectFields(PROVIDER, ["name", "nme", "support.write", "media", "media.icon"])).toEqual(
      {
        name: "hubspot",
        media: null,
      },
    );
  });

  it("joins fields of the same parent, the whole parent winning", () => {
    const value = { group: { groupRef: "a", groupName: "b", id: 1 } };
    expect(selectFields(value, ["group.id", "group.groupRef"])).toEqual({
      group: { id: 1, groupRef: "a" },
    });
    expect(selectFields(value, ["group.id", "group"])).toEqual(value);
    expect(selectFields(value, ["group", "group.id"])).toEqual(value);
  });

  it("selects the field of each item of a list", () => {
    expect(selectFields(PROVIDER, ["metadata.input.name"])).toEqual({
      metadata: { input: [{ name: "workspace" }, { name: "region" }, {}] },
    });
    expect(selectFields([{ id: 1, x: 2 }, { id: 3 }], ["id"])).toEqual([{ id: 1 }, { id: 3 }]);
  });

  it("reads a key with dots as a key first, then as a path", () => {
    expect(selectFields(PROVIDER, ["labels.amp.dev/tier"])).toEqual({
      labels: { "amp.dev/tier": "one" },
    });
  });

  it("knows a field called __proto__ only where it is one", () => {
    const hostile: unknown = JSON.parse('{"__proto__":{"polluted":true},"id":1}');
    expect(JSON.stringify(selectFields(hostile, ["__proto__.polluted"]))).toBe(
      '{"__proto__":{"polluted":true}}',
    );
    expect(
      selectFields({ id: 1 }, ["__proto__", "__proto__.toString", "constructor.name"]),
    ).toEqual({});
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});

describe("valueAt", () => {
  it("reads a nested value, or one for each item of a list", () => {
    expect(valueAt(PROVIDER, "support.search.operators.equals")).toBe(true);
    expect(valueAt(PROVIDER, "metadata.input.name")).toEqual(["workspace", "region"]);
    expect(valueAt(PROVIDER, "labels.amp.dev/tier")).toBe("one");
    expect(valueAt(PROVIDER, "support.toString")).toBeUndefined();
    expect(valueAt("text", "length")).toBeUndefined();
  });
});

describe("fields that no item has", () => {
  function refusal(items: readonly unknown[], fields: readonly string[]) {
    const unknownFields = createUnknownFields(fields);
    unknownFields.add(items);
    return unknownFields.warnings()[0];
  }

  it("accept a field that at least one item has", () => {
    expect(refusal([{ id: 1 }, { id: 2, group: { id: 3 } }], ["id", "group.id"])).toBeUndefined();
    expect(refusal([{ id: null }], ["id"])).toBeUndefined();
  });

  it("lists what there is, at the level of the mistake", () => {
    expect(refusal([PROVIDER], ["name", "nam"])).toBe(
      '--fields: no item has a field "nam". Did you mean name? Available: name, support, labels, metadata, media.',
    );
    expect(refusal([{ a: 1 }, PROVIDER], ["support.search.operatrs"])).toBe(
      '--fields: no item has a field "support.search.operatrs". Did you mean support.search.operators? Available: support.search.operators.',
    );
    expect(refusal([{ id: 1 }, { name: 2 }], ["nme"])).toMatch(
      /Did you mean name\? Available: id, name\.$/u,
    );
    expect(refusal([{ id: 1 }], ["zzzzz"])).toMatch(/"zzzzz"\. Available: id\.$/u);
    expect(refusal(["text"], ["nme"])).toMatch(/The result has no fields\.$/u);
  });

  it("says nothing about an empty list", () => {
    expect(refusal([], ["anything"])).toBeUndefined();
  });
});
