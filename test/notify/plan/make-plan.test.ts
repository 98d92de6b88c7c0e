import { describe, expect, it } from "vitest";
import type { Address } from "../../../src/notify/model/address.ts";
import {
  type DestinationPart,
  ownResources,
  type RoutingModel,
  type TopicPart,
} from "../../../src/notify/model/routing.ts";
import { NO_CHOICES } from "../../../src/notify/plan/choices.ts";
import { isBlocker } from "../../../src/notify/plan/conflicts.ts";
import type { LiveRouting } from "../../../src/notify/plan/live.ts";
import { makePlan, makePlanUntil, type PlanInput } from "../../../src/notify/plan/make-plan.ts";
import { lostId } from "../../../src/notify/plan/plan.ts";
import { fingerprintOf } from "../../../src/notify/plan/plan-change.ts";
import { itemDocument } from "../../../src/notify/plan/vocabulary.ts";
import type { KnownRecord } from "../../../src/notify/state/state.ts";
import { Secret } from "../../../src/secrets/secret.ts";
import { type Known, knownRecord, pendingCreate } from "./plan-worlds.ts";

const webhook: DestinationPart = {
  kind: "new",
  type: "webhook",
  metadata: { url: "u" },
  secrets: {},
};

function model(
  destinations: Readonly<Record<string, DestinationPart>> = { ops: webhook },
  topics: Readonly<Record<string, TopicPart>> = { life: { events: ["e"], destinations: ["ops"] } },
): RoutingModel {
  return {
    destinations: new Map(Object.entries(destinations)),
    topics: new Map(Object.entries(topics)),
  };
}

const EMPTY: LiveRouting = {
  destination: [],
  topic: [],
  "event-route": [],
  "destination-route": [],
};

const LIVE: LiveRouting = {
  destination: [{ id: "d1", name: "ops", type: "webhook", metadata: { url: "u" } }],
  topic: [{ id: "t1", name: "life" }],
  "event-route": [{ id: "r1", topicId: "t1", eventType: "e" }],
  "destination-route": [{ id: "r2", topicId: "t1", destinationId: "d1" }],
};

const IDS = new Map<Address, string>([
  ["destination/ops", "d1"],
  ["topic/life", "t1"],
]);

/** The records of what LIVE was made from. */
const MADE = new Map<Address, KnownRecord>(
  ownResources(model()).map((resource, at) => {
    const fingerprint = fingerprintOf({ salt: "salt" }, resource, IDS);
    return [resource.address, knownRecord(["d1", "t1", "r1", "r2"][at] ?? "", { fingerprint })];
  }),
);

function state(
  records: ReadonlyMap<Address, KnownRecord> = MADE,
  more: Partial<Known> = {},
): Known {
  return { salt: "salt", records, pending: new Map(), ...more };
}

/** The actions by address, with the ids. */
function actions(input: Partial<PlanInput>): Record<string, string> {
  const plan = makePlan({ model: model(), state: undefined, live: EMPTY, ...input });
  return Object.fromEntries(
    plan.items.map((item) => {
      if ("previousId" in item) return [item.address, `create, was ${item.previousId}`];
      const ids = "ids" in item ? item.ids.join(",") : "id" in item ? item.id : "";
      return [item.address, `${item.action} ${ids}`.trim()];
    }),
  );
}

const CREATED = {
  "destination/ops": "create",
  "topic/life": "create",
  "event-route/life/e": "create",
  "destination-route/life/ops": "create",
};

const IN_PLACE = {
  "destination/ops": "in_place d1",
  "topic/life": "in_place t1",
  "event-route/life/e": "in_place r1",
  "destination-route/life/ops": "in_place r2",
};

describe("makePlan", () => {
  it("creates resources that neither the state nor the list has, in order", () => {
    expect(actions({})).toEqual(CREATED);
    expect(Object.keys(actions({}))).toEqual(Object.keys(CREATED));
    expect(actions({ live: undefined })).toEqual(CREATED);
  });

  it("adopts what the list shows as it is wanted, its routes too", () => {
    expect(actions({ live: LIVE })).toEqual({
      "destination/ops": "adopt d1",
      "topic/life": "adopt t1",
      "event-route/life/e": "adopt r1",
      "destination-route/life/ops": "adopt r2",
    });
  });

  it("leaves in place what the state made, with lists and without", () => {
    expect(actions({ state: state(), live: LIVE })).toEqual(IN_PLACE);
    expect(actions({ state: state(), live: undefined })).toEqual(IN_PLACE);
  });

  it("reports that a name is taken by another resource", () => {
    const live = {
      ...EMPTY,
      destination: [{ id: "d9", name: "ops", type: "slack", metadata: { url: "https://x.y/z" } }],
    };
    const { items } = makePlan({ model: model(), state: undefined, live });
    expect(items[0]).toMatchObject({
      action: "conflict",
      id: "d9",
      differences: [
        { field: "type", wanted: "webhook", found: "slack" },
        { field: "metadata.url", wanted: "[redacted]", found: "[redacted]" },
      ],
    });
  });

  it("adopts none of several resources with the same name", () => {
    const live = {
      ...LIVE,
      "event-route": [...LIVE["event-route"], { id: "r0", topicId: "t1", eventType: "e" }],
    };
    expect(actions({ live })).toMatchObject({ "event-route/life/e": "conflict r0,r1" });
  });

  it("does not know whose the routes of an ambiguous topic are", () => {
    const live = { ...LIVE, topic: [...LIVE.topic, { id: "t2", name: "life" }] };
    expect(actions({ live })).toMatchObject({
      "topic/life": "conflict t1,t2",
      "event-route/life/e": "conflict r1",
      "destination-route/life/ops": "conflict r2",
    });
  });

  it("plans the update of a changed body, with what differs", () => {
    const wanted = model({ ops: { ...webhook, metadata: { url: "v" } } });
    const differences = [{ field: "metadata.url", wanted: "v", found: "u" }];
    const { items } = makePlan({ model: wanted, state: state(), live: LIVE });
    const fields = ["metadata.url"];
    expect(items[0]).toMatchObject({ action: "update", id: "d1", differences, fields });
    const blind = makePlan({ model: wanted, state: state(), live: undefined });
    expect(blind.items[0]).toMatchObject({ action: "conflict", id: "d1", differences: [] });
  });

  it("leaves a field that was removed from the metadata unchanged, and reports it", () => {
    const live = {
      ...LIVE,
      destination: [
        { id: "d1", name: "ops", type: "webhook", metadata: { url: "u", headers: { a: "b" } } },
      ],
    };
    const { items } = makePlan({
      model: model({ ops: { ...webhook, metadata: { url: "u", more: {} } } }),
      state: state(
        new Map(MADE).set("destination/ops", {
          ...knownRecord("d1", { fingerprint: "other" }),
          fields: { "metadata.url": "1", "metadata.headers": "2" },
        }),
      ),
      live,
    });
    expect(items[0]).toMatchObject({ action: "adopt", id: "d1", keptFields: ["metadata.headers"] });
  });

  it("accepts a change that was already made at the service, unless it has a secret", () => {
    const live = {
      ...LIVE,
      destination: [{ id: "d1", name: "ops", type: "webhook", metadata: { url: "v" } }],
    };
    const changed = { ...webhook, metadata: { url: "v" } };
    const found = { "destination/ops": "adopt d1", "destination-route/life/ops": "in_place r2" };
    expect(actions({ model: model({ ops: changed }), state: state(), live })).toMatchObject(found);
    const secret = { ...changed, secrets: { password: new Secret("x") } };
    const { items } = makePlan({
      model: model({ ops: secret }),
      state: state(),
      live,
    });
    expect(items[0]).toMatchObject({ action: "update", id: "d1", fields: ["secrets.password"] });
  });

  it("judges what was imported, and has no fingerprint, by the list", () => {
    const records = new Map(MADE).set("destination/ops", knownRecord("d1", { origin: "imported" }));
    expect(actions({ state: state(records), live: LIVE })).toEqual(IN_PLACE);
    expect(actions({ state: state(records), live: undefined })).toEqual(IN_PLACE);
    const live = {
      ...LIVE,
      destination: [{ id: "d1", name: "ops", type: "webhook", metadata: { url: "other" } }],
    };
    expect(actions({ state: state(records), live })).toMatchObject({
      "destination/ops": "update d1",
    });
  });

  it("reports a resource that was deleted elsewhere, and its routes, as missing", () => {
    expect(actions({ state: state(), live: EMPTY })).toEqual({
      "destination/ops": "conflict d1",
      "topic/life": "conflict t1",
      "event-route/life/e": "create, was r1",
      "destination-route/life/ops": "create, was r2",
    });
  });

  it("recreates the routes of a deleted topic, even if they still exist", () => {
    expect(actions({ state: state(), live: { ...LIVE, topic: [] } })).toEqual({
      ...IN_PLACE,
      "topic/life": "conflict t1",
      "event-route/life/e": "create, was r1",
      "destination-route/life/ops": "create, was r2",
    });
  });

  it("makes anew without being asked only what is to connect something else now", () => {
    const follows = (live: LiveRouting, known = state()) =>
      makePlan({ model: model(), state: known, live }).items.flatMap((one) =>
        lostId(one) === undefined ? [] : [[one.address, one.action === "create"]],
      );
    expect(follows({ ...LIVE, topic: [], "event-route": [] })).toEqual([
      ["topic/life", false],
      ["event-route/life/e", true],
      ["destination-route/life/ops", true],
    ]);
    expect(follows({ ...LIVE, "event-route": [] })).toEqual([["event-route/life/e", false]]);
    const moved = { ...LIVE, "event-route": [{ id: "r1", topicId: "t8", eventType: "e" }] };
    const elsewhere = new Map(MADE).set(
      "event-route/life/e",
      knownRecord("r1", { fingerprint: "t8" }),
    );
    expect(follows(moved, state(elsewhere))).toEqual([["event-route/life/e", true]]);
  });

  it("does not treat a route of the old topic as one of the new topic", () => {
    const live = { ...LIVE, topic: [{ id: "t5", name: "life" }] };
    expect(actions({ state: state(), live })).toEqual({
      "destination/ops": "in_place d1",
      "topic/life": "adopt t5",
      "event-route/life/e": "create, was r1",
      "destination-route/life/ops": "create, was r2",
    });
  });

  it("adopts a resource that replaced a deleted one", () => {
    const live: LiveRouting = {
      ...LIVE,
      topic: [{ id: "t5", name: "life" }],
      "event-route": [{ id: "r5", topicId: "t5", eventType: "e" }],
      "destination-route": [],
    };
    expect(actions({ state: state(), live })).toEqual({
      "destination/ops": "in_place d1",
      "topic/life": "adopt t5",
      "event-route/life/e": "adopt r5",
      "destination-route/life/ops": "create, was r2",
    });
  });

  it("settles first what was begun, and plans its routes by what is new in the list", () => {
    const records = new Map([...MADE].filter(([address]) => address === "destination/ops"));
    const pending = new Map<Address, ReturnType<typeof pendingCreate>>([
      ["topic/life", pendingCreate()],
    ]);
    expect(actions({ state: state(records, { pending }), live: LIVE })).toMatchObject({
      "topic/life": "unknown",
      "event-route/life/e": "adopt r1",
    });
    const before = new Map<Address, ReturnType<typeof pendingCreate>>([
      ["topic/life", pendingCreate(["t1"])],
    ]);
    expect(actions({ state: state(records, { pending: before }), live: LIVE })).toMatchObject({
      "topic/life": "unknown",
      "event-route/life/e": "create",
    });
  });

  it("settles what was begun for a routing that named more", () => {
    const pending = new Map<Address, ReturnType<typeof pendingCreate>>([
      ["topic/old", { ...pendingCreate(), owners: ["other", "r"] }],
    ]);
    const named = { ...model(), name: "r" };
    const [first] = makePlan({ model: named, state: state(MADE, { pending }), live: LIVE }).items;
    expect(first).toMatchObject({ address: "topic/old", action: "unknown", owners: ["other"] });
  });

  describe("known by id is known", () => {
    it.each([
      ["is left out", {}],
      ["is null", { topicId: null, destinationId: null }],
      ["is empty", { topicId: "" }],
    ])("a route is in place where what it connects %s", (_, odd) => {
      const live: LiveRouting = {
        ...LIVE,
        "event-route": [{ id: "r1", eventType: "e", ...odd }],
        "destination-route": [{ id: "r2", destinationId: "d1", ...odd }],
      };
      expect(actions({ state: state(), live })).toEqual(IN_PLACE);
      const imported = new Map([...MADE].map(([at, one]) => [at, knownRecord(one.id)]));
      expect(actions({ state: state(imported), live })).toEqual(IN_PLACE);
    });

    it("a route or name in another case is in place, with a note", () => {
      const live: LiveRouting = {
        ...LIVE,
        topic: [{ id: "t1", name: "Life" }],
        "event-route": [{ id: "r1", topicId: "T1", eventType: "e" }],
      };
      const { items } = makePlan({ model: model(), state: state(), live });
      expect(items.map(({ action }) => action)).toEqual(Array(4).fill("in_place"));
      expect(items[1]).toMatchObject({
        spelling: [{ field: "name", wanted: "life", found: "Life" }],
      });
      expect(items[2]).toMatchObject({
        spelling: [{ field: "topicId", wanted: "t1", found: "T1" }],
      });
    });

    it("ids that the list has in another case are the same", () => {
      const live: LiveRouting = {
        destination: [{ ...LIVE.destination[0], id: "D1" }],
        topic: [{ id: "T1", name: "life" }],
        "event-route": [{ id: "R1", topicId: "T1", eventType: "e" }],
        "destination-route": [{ id: "R2", topicId: "T1", destinationId: "D1" }],
      };
      expect(actions({ state: state(), live })).toEqual(IN_PLACE);
    });

    it.each([
      ["topic", { id: "t1", name: "other" }, "name", "topic/life"],
      ["event-route", { id: "r1", topicId: "t8", eventType: "e" }, "topicId", "event-route/life/e"],
      [
        "destination-route",
        { id: "r2", topicId: "t1", destinationId: "d9" },
        "destinationId",
        "destination-route/life/ops",
      ],
    ] as const)("a different %s is a conflict", (kind, record, field, address) => {
      const { items } = makePlan({
        model: model(),
        state: state(),
        live: { ...LIVE, [kind]: [record] },
      });
      const item = items.find((one) => one.address === address);
      expect(item).toMatchObject({ action: "conflict", id: record.id, differences: [{ field }] });
    });

    it("a route that may be there already is not made, nor taken", () => {
      const live: LiveRouting = { ...LIVE, "event-route": [{ id: "r1", eventType: "e" }] };
      const found = actions({ live });
      expect(found).toMatchObject({ "event-route/life/e": "conflict r1" });
      // One that the state has by another address is not meant.
      const more = model(undefined, {
        life: { events: ["e"], destinations: ["ops"] },
        more: { events: ["e"], destinations: [] },
      });
      const topic = [...LIVE.topic, { id: "t2", name: "more" }];
      expect(actions({ model: more, state: state(), live: { ...live, topic } })).toMatchObject({
        "event-route/life/e": "in_place r1",
        "event-route/more/e": "create",
      });
    });
  });

  it("trusts an ID in the routing, unless the list contradicts it", () => {
    const wanted = model(
      { ops: { kind: "existing", id: "d1" } },
      { mine: { id: "t1", events: ["e", "f"], destinations: ["ops"] } },
    );
    const found = {
      "destination/ops": "in_place d1",
      "topic/mine": "in_place t1",
      "event-route/mine/f": "create",
    };
    expect(actions({ model: wanted, live: LIVE })).toEqual({
      ...found,
      "event-route/mine/e": "adopt r1",
      "destination-route/mine/ops": "adopt r2",
    });
    expect(actions({ model: wanted, live: undefined })).toMatchObject(found);
    expect(actions({ model: wanted, live: { ...LIVE, topic: [] } })).toMatchObject({
      "topic/mine": "conflict t1",
    });
  });

  it("lets no two names have one record: its routes would be made twice", () => {
    const wanted = model({ ops: webhook, other: { kind: "existing", id: "d1" } }, {});
    expect(actions({ model: wanted, live: LIVE })).toEqual({
      "destination/other": "in_place d1",
      "destination/ops": "conflict d1",
    });
  });

  it("has one conflict where a topic is declared by its name and by its ID", () => {
    const routed = { events: ["e"], destinations: ["ops"] };
    const twice = { again: { ...routed, id: "t1" }, life: routed };
    const { items } = makePlan({
      model: model({ ops: webhook }, twice),
      state: undefined,
      live: LIVE,
    });
    const conflicts = items.map((one) => itemDocument(one)).filter(isBlocker);
    expect(conflicts).toMatchObject([{ address: "topic/life", reason: "declared_twice" }]);
  });
});

describe("a resource that the routing no longer names", () => {
  const nothing = { ...model({}, {}), name: "routing" };
  const choices = { ...NO_CHOICES, prune: true };
  const OWNED = owned("routing");

  function owned(...owners: string[]): Map<Address, KnownRecord> {
    return new Map([...MADE].map(([at, one]) => [at, { ...one, owners }]));
  }

  it("is pruned in the order of deletion", () => {
    const found = actions({ choices, model: nothing, state: state(OWNED), live: LIVE });
    expect(Object.entries(found)).toEqual([
      ["destination-route/life/ops", "delete r2"],
      ["event-route/life/e", "delete r1"],
      ["topic/life", "delete t1"],
      ["destination/ops", "delete d1"],
    ]);
    expect(actions({ choices, model: nothing, state: state(OWNED), live: undefined })).toEqual(
      found,
    );
  });

  it("stays without --prune, and is told from the other resources of the state", () => {
    const plan = makePlan({ model: nothing, state: state(OWNED), live: LIVE });
    expect(plan).toMatchObject({ items: [], kept: [], others: [] });
    expect(plan.removedFromFile.map(({ address }) => address)).toEqual([...MADE.keys()].toSorted());
  });

  it("stays where another routing wants it, or where no owner is known", () => {
    for (const [records, action] of [
      [owned("other"), undefined],
      [owned("other", "routing"), "release t1"],
      [MADE, undefined],
    ] as const) {
      const found = actions({ choices, model: nothing, state: state(records), live: LIVE });
      expect(found["topic/life"]).toBe(action);
      expect(Object.values(found).join(" ")).not.toContain("delete");
    }
    const nameless = { ...nothing, name: undefined };
    const { name: _, ...unnamed } = nameless;
    expect(actions({ choices, model: unnamed, state: state(OWNED), live: LIVE })).toEqual({});
  });

  it("stays where a route uses it that has no owner", () => {
    const records = new Map(OWNED).set("event-route/life/e", knownRecord("r1"));
    const plan = makePlan({ choices, model: nothing, state: state(records), live: LIVE });
    expect(plan.kept).toEqual([{ address: "topic/life", id: "t1", routes: ["r1"] }]);
  });

  it("is kept if it was adopted or imported", () => {
    for (const origin of ["adopted", "imported"] as const) {
      const records = new Map([...OWNED].map(([at, one]) => [at, { ...one, origin }]));
      expect(actions({ choices, model: nothing, state: state(records), live: LIVE })).toEqual({
        "destination/ops": "release d1",
        "topic/life": "release t1",
        "event-route/life/e": "release r1",
        "destination-route/life/ops": "release r2",
      });
    }
  });

  it("stays where others use it, and this is reported", () => {
    const live = {
      ...LIVE,
      "event-route": [...LIVE["event-route"], { id: "r7", topicId: "t1", eventType: "other" }],
    };
    const plan = makePlan({ choices, model: nothing, state: state(OWNED), live });
    expect(plan.kept).toEqual([{ address: "topic/life", id: "t1", routes: ["r7"] }]);
    expect(plan.items.map(({ address }) => address)).toEqual([
      "destination-route/life/ops",
      "event-route/life/e",
      "destination/ops",
    ]);
    // Without lists the state still knows of one that it did not make.
    const records = new Map(OWNED).set(
      "event-route/life/x",
      knownRecord("r8", { origin: "adopted" }),
    );
    const blind = makePlan({
      choices,
      model: nothing,
      state: state(records),
      live: undefined,
    });
    expect(blind.kept).toEqual([{ address: "topic/life", id: "t1", routes: ["r8"] }]);
  });

  it("stays where the service lists its ID as another resource, and is shown as listed", () => {
    const live = {
      ...LIVE,
      topic: [{ id: "t1", name: "billing" }],
      "destination-route": [{ id: "r2", topicId: "t9", destinationId: "d1" }],
    };
    const plan = makePlan({ choices, model: nothing, state: state(OWNED), live });
    expect(plan.kept).toMatchObject([
      { id: "r2", differences: [{ field: "topicId", wanted: "t1", found: "t9" }] },
      { id: "d1", routes: ["r2"] },
      { id: "r1", differences: [{ field: "topic", wanted: "life", found: "billing" }] },
      { id: "t1", differences: [{ field: "name", wanted: "life", found: "billing" }] },
    ]);
    expect(plan.items).toEqual([]);
    const unlisted = makePlan({
      choices,
      model: nothing,
      state: state(OWNED),
      live: { ...LIVE, topic: [] },
    });
    expect(unlisted.items.find(({ kind }) => kind === "topic")).not.toHaveProperty("listed");
  });

  it.each([
    ["an end that neither the state nor the file has", { topic: [], destination: [] }],
    ["an end that the state names otherwise", { topic: ["t1"], destination: ["d1"] }],
  ])("stays where its route connects what the service lists under another name: %s", (_, ends) => {
    const records = new Map<Address, KnownRecord>([
      ["event-route/ghost/e", { ...knownRecord("r1"), owners: ["routing"] }],
      ["destination-route/life/ghost", { ...knownRecord("r2"), owners: ["routing"] }],
      ...ends.topic.map((id) => ["topic/ghost", knownRecord(id)] as const),
      ...ends.destination.map((id) => ["destination/ghost", knownRecord(id)] as const),
    ]);
    const plan = makePlan({ choices, model: nothing, state: state(records), live: LIVE });
    expect(plan.items).toEqual([]);
    expect(plan.kept).toMatchObject([
      { id: "r2", differences: [{ field: "destination", wanted: "ghost", found: "ops" }] },
      { id: "r1", differences: [{ field: "topic", wanted: "ghost", found: "life" }] },
    ]);
  });

  it("is pruned where the file declares the ends of its route by their IDs", () => {
    const wanted = { ...model({ mine: { kind: "existing", id: "d1" } }, {}), name: "routing" };
    const records = new Map<Address, KnownRecord>([
      ["destination-route/life/mine", { ...knownRecord("r2"), owners: ["routing"] }],
    ]);
    const found = actions({ choices, model: wanted, state: state(records), live: LIVE });
    expect(found["destination-route/life/mine"]).toBe("delete r2");
  });

  it("is not deleted under its old name while it has another", () => {
    const wanted = model({ renamed: { kind: "existing", id: "d1" } }, {});
    const found = actions({ choices, model: wanted, state: state(OWNED), live: LIVE });
    expect(found["destination/ops"]).toBeUndefined();
    expect(found["destination/renamed"]).toBe("in_place d1");
  });
});

/** A map that counts how often somebody goes through all of it. */
class CountedMap<Key, Value> extends Map<Key, Value> {
  rounds = 0;
  override [Symbol.iterator](): MapIterator<[Key, Value]> {
    this.rounds += 1;
    return super[Symbol.iterator]();
  }
}

it("goes through the state as often for many new routes without lists as for one", () => {
  const roundsFor = (events: number) => {
    const records = new CountedMap<Address, KnownRecord>([["topic/old", knownRecord("t")]]);
    const names = Array.from({ length: events }, (_, at) => `event.${at}`);
    const topics = { old: { id: "t", events: names, destinations: [] } };
    const state = { records, pending: new Map(), salt: "s", serial: 1 } as never;
    const { items } = makePlan({ model: model({}, topics), state, live: undefined });
    expect(items.filter(({ action }) => action === "create")).toHaveLength(events);
    return records.rounds;
  };
  expect(roundsFor(200)).toBe(roundsFor(1));
});

it("a signal ends the planning of a large routing, and of a small one does not", async () => {
  const planOf = (topics: number) => {
    const names = Array.from({ length: topics }, (_, at) => `t-${at}`);
    const part: TopicPart = { events: ["e"], destinations: [] };
    const wanted = model({}, Object.fromEntries(names.map((name) => [name, part])));
    const interrupt = new AbortController();
    setImmediate(() => interrupt.abort("SIGTERM"));
    return makePlanUntil(interrupt.signal, { model: wanted, state: undefined, live: EMPTY });
  };
  await expect(planOf(2_000)).rejects.toThrow("Terminated");
  expect((await planOf(20)).items).toHaveLength(40);
});
