import { describe, expect, it } from "vitest";
import { EVENT_TYPES } from "../../../src/api/catalogue/events.ts";
import { graphOf } from "../../../src/notify/graph/graph.ts";
import { partsOfLists, partsOfModel } from "../../../src/notify/graph/load.ts";
import type { LiveRouting } from "../../../src/notify/plan/live.ts";
import { reading } from "../file/reading.ts";

const FILE = `version: 1
destinations:
  ops: { type: webhook, metadata: { url: https://hooks.acme.com/amp } }
  old: { id: dst_1 }
  spare: { type: s3, metadata: { bucket: b } }
topics:
  trouble: { events: [connection.error, my.event], destinations: [ops, old, ops] }
  lifecycle: { events: [installation.deleted, installation.created], destinations: [ops] }
  unheard: { events: [installation.created, write.async.done] }
  hungry: { destinations: [spare] }
`;

const readFile = () => reading(FILE, { allow: ["incomplete"] });

const LIVE: LiveRouting = {
  destination: [
    { id: "dst_1", name: "ops", type: "webhook" },
    { id: "dst_2", name: "ops", type: "slack" },
    { id: "dst_3", name: "archive" },
  ],
  topic: [{ id: "top_1", name: "lifecycle" }, { id: "top_2" }],
  "event-route": [
    { id: "evr_1", topicId: "top_1", eventType: "installation.created" },
    { id: "evr_2", topicId: "top_2", eventType: "of another, kind" },
    { id: "evr_3", topicId: "gone", eventType: "installation.created" },
  ],
  "destination-route": [
    { id: "dsr_1", topicId: "top_1", destinationId: "dst_1" },
    { id: "dsr_2", topicId: "top_1", destinationId: "dst_2" },
    { id: "dsr_3", topicId: "top_1", destinationId: "gone" },
  ],
};

describe("the graph of a routing file", () => {
  it("shows the topics and destinations of each event type", async () => {
    const { events } = graphOf(partsOfModel((await readFile()).model));
    expect(events).toEqual([
      {
        name: "installation.created",
        known: true,
        topics: ["lifecycle", "unheard"],
        destinations: ["ops"],
        reachesNoDestination: false,
      },
      {
        name: "installation.deleted",
        known: true,
        topics: ["lifecycle"],
        destinations: ["ops"],
        reachesNoDestination: false,
      },
      {
        name: "write.async.done",
        known: true,
        topics: ["unheard"],
        destinations: [],
        reachesNoDestination: true,
      },
      {
        name: "connection.error",
        known: true,
        topics: ["trouble"],
        destinations: ["old", "ops"],
        reachesNoDestination: false,
      },
      {
        name: "my.event",
        known: false,
        topics: ["trouble"],
        destinations: ["old", "ops"],
        reachesNoDestination: false,
      },
    ]);
  });

  it("says of topics and destinations what flows through them, and which are not connected", async () => {
    const { topics, destinations } = graphOf(partsOfModel((await readFile()).model));
    expect(
      topics.map(({ name, reachesNoDestination, receivesNoEvents }) => [
        name,
        reachesNoDestination,
        receivesNoEvents,
      ]),
    ).toEqual([
      ["hungry", false, true],
      ["lifecycle", false, false],
      ["trouble", false, false],
      ["unheard", true, false],
    ]);
    expect(topics[2]).toMatchObject({
      events: ["connection.error", "my.event"],
      destinations: ["old", "ops"],
    });
    expect(destinations).toEqual([
      {
        name: "old",
        id: "dst_1",
        topics: ["trouble"],
        events: ["connection.error", "my.event"],
        receivesNoEvents: false,
      },
      {
        name: "ops",
        type: "webhook",
        topics: ["lifecycle", "trouble"],
        events: ["installation.created", "installation.deleted", "connection.error", "my.event"],
        receivesNoEvents: false,
      },
      // A topic leads to it, but nothing flows into the topic.
      { name: "spare", type: "s3", topics: ["hungry"], events: [], receivesNoEvents: true },
    ]);
  });

  it("lists the known event types that no topic receives", async () => {
    const { unrouted, events } = graphOf(partsOfModel((await readFile()).model));
    const routed = events.map(({ name }) => name);
    expect(unrouted).toEqual(EVENT_TYPES.filter((name) => !routed.includes(name)));
    expect(graphOf({ topics: [], destinations: [] }).unrouted).toEqual(EVENT_TYPES);
  });
});

describe("the graph of a live routing", () => {
  it("connects records by their IDs, and names those without a unique name by their ID", () => {
    const warnings: string[] = [];
    const graph = graphOf(partsOfLists(LIVE, (warning) => warnings.push(warning)));
    expect(graph.topics.map(({ name, id, destinations }) => [name, id, destinations])).toEqual([
      ["lifecycle", "top_1", ["dst_1", "dst_2"]],
      ["top_2", "top_2", []],
    ]);
    expect(graph.destinations.map(({ name, type }) => [name, type])).toEqual([
      ["archive", undefined],
      ["dst_1", "webhook"],
      ["dst_2", "slack"],
    ]);
    expect(graph.events.map(({ name, known }) => [name, known])).toEqual([
      ["installation.created", true],
      ["of another, kind", false],
    ]);
    expect(warnings).toEqual([
      'The destination "dst_1" is referenced by its ID: several are named "ops".',
      'The destination "dst_2" is referenced by its ID: several are named "ops".',
      'The topic "top_2" is referenced by its ID: it has no name.',
      'Route "evr_3" refers to a resource that is not listed; left out.',
      'Route "dsr_3" refers to a resource that is not listed; left out.',
    ]);
  });
});

describe("the position of a part", () => {
  it.each([
    ["destination/old", "4:3"],
    ["topic/lifecycle", "8:3"],
    ["event-route/lifecycle/installation.created", "8:47"],
    ["destination-route/trouble/old", "7:72"],
    ["event-route/unheard/connection.error", "9:3"],
    ["topic/nosuch", "6:1"],
  ] as const)("of %s is %s", async (address, expected) => {
    const { line, column } = (await readFile()).positionOf(address);
    expect(`${line}:${column}`).toBe(expected);
  });

  it("of an event type that a pattern means is that of the pattern", async () => {
    const text =
      "version: 1\ntopics:\n  all:\n    events:\n      - my.event\n      - connection.*\n";
    const { positionOf } = await reading(text);
    expect(positionOf("event-route/all/connection.error")).toEqual({ line: 6, column: 9 });
  });
});
