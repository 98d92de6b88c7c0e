import { describe, expect, it } from "vitest";
import type { Metadata } from "../../../src/notify/model/metadata.ts";
import type { LiveRecord } from "../../../src/notify/model/resource.ts";
import { type Resource, resourceAt } from "../../../src/notify/model/routing.ts";
import { differencesOf } from "../../../src/notify/plan/diff.ts";
import { Secret } from "../../../src/secrets/secret.ts";

function destination(metadata: Metadata, type = "webhook"): Resource {
  const secrets = { password: new Secret("hunter2") };
  const content = { type, metadata };
  return { kind: "destination", address: "destination/ops", names: ["ops"], content, secrets };
}

function found(metadata: LiveRecord["metadata"], type: string | null = "webhook"): LiveRecord {
  return { id: "d1", name: "ops", type, metadata };
}

describe("a destination is as wanted", () => {
  it.each<readonly [why: string, wanted: Metadata, found: LiveRecord]>([
    ["where it is the same", { url: "u", list: [{ a: 1 }] }, found({ url: "u", list: [{ a: 1 }] })],
    ["in another order", { a: { b: 1, c: 2 } }, found({ a: { c: 2, b: 1 } })],
    ["with defaults of the service", { a: { b: 1 } }, found({ a: { b: 1, more: 2 }, other: true })],
    ["where the service leaves out what is empty", { headers: {}, note: null }, found({})],
    ["where the service sends null for it", { headers: {} }, found({ headers: null })],
    ["where the answer is redacted", { token: "a" }, found({ token: "[redacted]" })],
    ["where the service tells no type", { url: "u" }, found({ url: "u" }, null)],
    ["where the service tells no metadata", { url: "u" }, found(undefined)],
    ["where the service tells nothing", { url: "u" }, { id: "d1" }],
  ])("%s", (_why, wanted, record) => {
    expect(differencesOf(destination(wanted), record)).toEqual([]);
  });
});

describe("a destination differs", () => {
  it.each<
    readonly [wanted: Metadata, found: LiveRecord, field: string, value: unknown, other: unknown]
  >([
    [{ url: "u" }, found({ url: "u/" }), "metadata.url", "u", "u/"],
    [{ url: "u" }, found({}), "metadata.url", "u", undefined],
    [{ a: { b: 1 } }, found({ a: { b: "1" } }), "metadata.a.b", 1, "1"],
    [{ a: [1, 2] }, found({ a: [2, 1] }), "metadata.a", [1, 2], [2, 1]],
    [{ a: { b: 1 } }, found({ a: 1 }), "metadata.a", { b: 1 }, 1],
    [{ toString: "a" }, found({}), "metadata.toString", "a", undefined],
    [{}, found({}, "slack"), "type", "webhook", "slack"],
    [{}, { id: "d1", name: "other" }, "name", "ops", "other"],
  ])("%j from %j", (metadata, record, field, wanted, value) => {
    expect(differencesOf(destination(metadata), record)).toEqual([{ field, wanted, found: value }]);
  });

  it("with the URLs of both, without the parts that may be secret", () => {
    const url = "https://a.b/amp";
    const record = found({ url: `${url}?password=hunter2hunter&v=2` });
    expect(differencesOf(destination({ url }), record)).toEqual([
      { field: "metadata.url", wanted: url, found: `${url}?password=[redacted]&v=2` },
    ]);
  });

  it.each<readonly [wanted: Metadata, found: Metadata, type: string]>([
    [{ headers: { "X-Key": "hush" } }, { headers: { "X-Key": "hush2" } }, "webhook"],
    [{ headers: { "X-Key": "hush" } }, {}, "webhook"],
    [{ url: "https://u:hush@a.b" }, { url: "https://a.b" }, "webhook"],
    [{ url: "https://a.b" }, { url: "https://u:hush@a.b" }, "webhook"],
    [{ list: ["https://u:hush@a.b"] }, { list: [] }, "webhook"],
    [{ deep: { url: "https://u:hush@a.b" } }, { deep: 1 }, "webhook"],
    [{ password: "hush" }, {}, "webhook"],
    [{ url: "https://hooks.slack.com/hush" }, { url: "https://hooks.slack.com/hush2" }, "slack"],
  ])("without telling what opens something: %j from %j", (wanted, record, type) => {
    const differences = differencesOf(destination(wanted, type), found(record, type));
    expect(differences).toHaveLength(1);
    expect(JSON.stringify(differences)).not.toContain("hush");
    expect(JSON.stringify(differences)).toContain("[redacted]");
  });

  it("a wanted resource does not differ in fields that only the record has", () => {
    const wanted = destination({ url: "u", a: { b: 1 }, no: {} });
    const record = found({
      url: "u",
      a: { b: 1, c: 2 },
      headers: { x: "hush" },
      empty: {},
      no: {},
    });
    expect(differencesOf(wanted, record)).toEqual([]);
  });
});

describe("of other things", () => {
  it("a topic differs by its name, and a route not at all", () => {
    const topic = resourceAt("topic/t");
    expect(differencesOf(topic, { id: "1", name: "t" })).toEqual([]);
    expect(differencesOf(topic, { id: "1", name: "u" })).toEqual([
      { field: "name", wanted: "t", found: "u" },
    ]);
    const route = resourceAt("event-route/t/e");
    expect(differencesOf(route, { id: "1", topicId: "x", eventType: "y" })).toEqual([]);
  });
});
