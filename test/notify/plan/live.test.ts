import { describe, expect, it } from "vitest";
import type { Address } from "../../../src/notify/model/address.ts";
import { type Resource, resourceAt } from "../../../src/notify/model/routing.ts";
import { indexLive, type LiveRouting } from "../../../src/notify/plan/live.ts";

const topic = resourceAt("topic/t");
const event = resourceAt("event-route/t/e");
const out = resourceAt("destination-route/t/d");

const LIVE: LiveRouting = {
  destination: [{ id: "1", name: "t" }],
  topic: [{ id: "1", name: "t" }, { id: "2", name: null }, { id: "3" }, { id: "4", name: "" }],
  "event-route": [
    { id: "1", topicId: "1", eventType: "e" },
    { id: "2", topicId: "2", eventType: "e" },
    { id: "3", topicId: "1", eventType: "e" },
    { id: "3", topicId: "1", eventType: "e" },
    { id: "4", topicId: null, eventType: "e" },
  ],
  "destination-route": [
    { id: "1", topicId: "1", destinationId: "9" },
    { id: "2", topicId: "9", destinationId: "1" },
  ],
};

const ids = (entries: readonly (readonly [Address, string])[]) => new Map(entries);
const found = (resource: Resource, ends: ReadonlyMap<Address, string>) =>
  indexLive(LIVE)
    .matches(resource, ends)
    .map(({ id }) => id);

describe("matches", () => {
  it("finds what has a name by it, each kind for itself", () => {
    expect(found(topic, new Map())).toEqual(["1"]);
    expect(found({ ...topic, names: [""] }, new Map())).toEqual([]);
  });

  it("finds routes by what they connect, a record that is listed twice once", () => {
    expect(found(event, ids([["topic/t", "1"]]))).toEqual(["1", "3"]);
    expect(found(event, ids([["topic/t", "2"]]))).toEqual(["2"]);
    const both = ids([
      ["topic/t", "1"],
      ["destination/d", "9"],
    ]);
    expect(found(out, both)).toEqual(["1"]);
  });

  it("finds no route whose ends do not exist yet", () => {
    expect(found(event, new Map())).toEqual([]);
    expect(found(out, ids([["topic/t", "1"]]))).toEqual([]);
  });
});

describe("duplicateIds", () => {
  it("are the records that share a natural key, in order of their IDs", () => {
    const { duplicateIds } = indexLive(LIVE);
    expect(duplicateIds("event-route", "3")).toEqual(["1", "3"]);
    expect(duplicateIds("event-route", "2")).toBeUndefined();
    expect(duplicateIds("event-route", "4")).toBeUndefined();
    expect(duplicateIds("topic", "none")).toBeUndefined();
  });
});
