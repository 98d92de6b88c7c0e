import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { fieldTree } from "../../src/api/schemas/field-tree.ts";
import { anyObject, field, map, openObject, optional } from "../../src/api/schemas/shape.ts";
import { explainedRecords, fieldAt, withInner } from "../../src/inspect/explained-records.ts";

const records = explainedRecords();
const all = records.flatMap(withInner);

describe("the fields of the service's records", () => {
  it.each(records.map((record) => [record.path, record] as const))(
    "%s: each has a meaning and a source",
    (_path, record) => {
      const silent = withInner(record).filter(({ meaning, source }) => !meaning || !source);
      expect(silent.map(({ path }) => path)).toEqual([]);
    },
  );

  it("are all found by their paths", () => {
    const lost = all.filter(({ path }) => fieldAt(records, path)?.path !== path);
    expect(lost.map(({ path }) => path)).toEqual([]);
    expect(all.length).toBeGreaterThan(200);
  });

  it("have meanings of one form: no capital, no full stop, short enough to read in a list", () => {
    const odd = all.filter(({ meaning }) => !/^[a-z0-9]/u.test(meaning) || /\.$/u.test(meaning));
    expect(odd.map(({ path, meaning }) => `${path}: ${meaning}`)).toEqual([]);
    const long = all.filter(({ meaning }) => meaning.length > 120);
    expect(long.map(({ path }) => path)).toEqual([]);
  });

  it("have a source that the specification has, or the live platform", () => {
    const parts = new Set(all.map(({ source }) => source));
    expect([...parts].sort()).toEqual([
      "platform",
      "spec 1",
      "spec 2.1",
      "spec 2.2",
      "spec 2.3",
      "spec 2.4",
      "spec 2.5",
    ]);
  });
});

describe("a path", () => {
  it.each([
    ["installation", "installation"],
    ["Installations", "installation"],
    ["apps", "provider-app"],
    ["providerApp.scopes", "provider-app.scopes"],
    ["event routes", "event-route"],
    ["logs", "log-entry"],
    ["progress", "backfill-progress"],
    ["connection.STATUS", "connection.status"],
    [
      "installation.config.content.read.objects.contact.schedule",
      "installation.config.content.read.objects.*.schedule",
    ],
    [
      "installation.config.content.read.objects.contact",
      "installation.config.content.read.objects.*",
    ],
    ["provider.metadata.input[0].name", "provider.metadata.input.name"],
    ["provider.metadata.input.0.name", "provider.metadata.input.name"],
  ])("%s leads to %s", (typed, path) => {
    expect(fieldAt(records, typed)?.path).toBe(path);
  });

  it.each(["", ".", "nothing", "installation.nothing", "installation.id.more", "installation.*"])(
    "%j leads nowhere",
    (typed) => {
      expect(fieldAt(records, typed)).toBeUndefined();
    },
  );
});

describe("the types of fields", () => {
  const shape = openObject({
    flags: optional(map(z.boolean()), "flags"),
    limits: optional(z.array(z.int()), "limits", "platform"),
    free: optional(anyObject, "free"),
    names: field(map(z.array(z.string())), "names"),
  });
  const record = field(shape, "a record", "spec 9");

  it("are words, with what the schema says of each", () => {
    expect(fieldTree(record).fields).toEqual([
      expected("flags", "map of boolean", "flags"),
      { ...expected("limits", "list of integer", "limits"), source: "platform" },
      expected("free", "object", "free"),
      { ...expected("names", "map of list of string", "names"), required: true },
    ]);
  });

  it("are not shared by fields that share a schema", () => {
    const one = z.string();
    const two = openObject({ a: field(one, "first"), b: field(one, "second") });
    expect(fieldTree(two).fields.map(({ meaning }) => meaning)).toEqual(["first", "second"]);
  });

  function expected(path: string, type: string, meaning: string) {
    return { path, type, meaning, required: false, source: "spec 9", fields: [] };
  }
});
