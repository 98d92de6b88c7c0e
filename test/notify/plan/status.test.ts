import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Address, addressOf } from "../../../src/notify/model/address.ts";
import type { RoutingModel } from "../../../src/notify/model/routing.ts";
import { unmanagedRoutesOf } from "../../../src/notify/plan/beyond.ts";
import type { LiveRouting } from "../../../src/notify/plan/live.ts";
import { fingerprintOf } from "../../../src/notify/plan/plan-change.ts";
import { routingStatus, type StatusInput } from "../../../src/notify/plan/status.ts";
import type { KnownRecord } from "../../../src/notify/state/state.ts";
import { STATUS_COLUMNS, STATUS_TALLY, statusReason } from "../../../src/notify/status.ts";
import { KINDS, type Known, knownRecord, pendingCreate, planWorlds } from "./plan-worlds.ts";

const LIVE: LiveRouting = {
  destination: [{ id: "d1", name: "ops", type: "webhook", metadata: { url: "u" } }],
  topic: [{ id: "t1", name: "life" }],
  "event-route": [{ id: "r1", topicId: "t1", eventType: "e" }],
  "destination-route": [{ id: "r2", topicId: "t1", destinationId: "d1" }],
};

const RECORDS = new Map<Address, KnownRecord>([
  ["destination/ops", knownRecord("d1")],
  ["topic/life", knownRecord("t1", { origin: "adopted" })],
  ["event-route/life/e", knownRecord("r1")],
  ["destination-route/life/ops", knownRecord("r2")],
]);

const MODEL: RoutingModel = {
  destinations: new Map([
    ["ops", { kind: "new", type: "webhook", metadata: { url: "u" }, secrets: {} }],
  ]),
  topics: new Map([["life", { events: ["e"], destinations: ["ops"] }]]),
};

function known(records: ReadonlyMap<Address, KnownRecord> = RECORDS, more: Partial<Known> = {}) {
  return { salt: "salt", records, pending: new Map(), ...more };
}

/** Status, ids and note of each address. */
function status(input: Partial<StatusInput>): Record<string, string> {
  const rows = routingStatus({
    model: undefined,
    state: undefined,
    live: LIVE,
    ...input,
  });
  return Object.fromEntries(
    rows.map(({ address, status: is, id, ids, note }) => [
      address,
      [is, ids?.join(",") ?? id, note].filter(Boolean).join(" | "),
    ]),
  );
}

const IN_PLACE = {
  "destination/ops": "in_place | d1",
  "topic/life": "in_place | t1",
  "event-route/life/e": "in_place | r1",
  "destination-route/life/ops": "in_place | r2",
};

describe("routingStatus without a file", () => {
  it("reports a listed resource as in place", () => {
    expect(status({ state: known() })).toEqual(IN_PLACE);
    expect(Object.keys(status({ state: known() }))).toEqual(Object.keys(IN_PLACE));
  });

  it("says that the service cannot be checked", () => {
    const found = status({ state: known(), live: undefined });
    expect(found["topic/life"]).toBe("in_place | t1 | from the state: this service has no lists");
  });

  it("reports a deleted resource as missing", () => {
    const found = status({ state: known(), live: { ...LIVE, "event-route": [] } });
    expect(found).toEqual({
      ...IN_PLACE,
      "event-route/life/e": "missing | r1 | no longer listed",
    });
  });

  it("reports the changed fields of a resource", () => {
    const rows = routingStatus({
      model: undefined,
      state: known(),
      live: {
        destination: [{ id: "d9", name: "ops" }],
        topic: [{ id: "t1", name: "renamed" }],
        "event-route": [{ id: "r1", topicId: "t1", eventType: "other" }],
        "destination-route": [],
      },
    });
    expect(rows.map(({ address, status: is, id, note }) => [address, is, id, note])).toEqual([
      ["destination/ops", "missing", "d1", "no longer listed; it exists with another ID"],
      ["destination/ops", "unmanaged", "d9", undefined],
      ["topic/life", "changed", "t1", 'renamed to "renamed"'],
      ["event-route/life/e", "changed", "r1", "now connects other resources"],
      ["destination-route/life/ops", "missing", "r2", "no longer listed"],
    ]);
  });

  it("does not judge a route of a topic that it does not know", () => {
    const records = new Map([...RECORDS].filter(([address]) => address !== "topic/life"));
    expect(status({ state: known(records) })).toMatchObject({
      "topic/life": "unmanaged | t1",
      "event-route/life/e": "in_place | r1",
    });
  });

  it("gives a record with neither name nor ID an address all the same", () => {
    const live = { ...LIVE, topic: [...LIVE.topic, { id: "" }] };
    const rows = status({ state: known(RECORDS), live });
    expect(Object.keys(rows)).toContain("topic/?");
  });

  it("does not call duplicated what only may be the resource", () => {
    const nameless = [{ id: "d8" }, { id: "d9" }];
    for (const destination of [nameless, nameless.slice(0, 1)]) {
      const found = status({ model: MODEL, live: { ...LIVE, destination } });
      const ids = destination.map(({ id }) => id).join(",");
      expect(found["destination/ops"]).toBe(
        `unknown | ${ids} | may be one of these; the list does not show which`,
      );
    }
  });

  it("shows unknown, duplicated and unmanaged resources", () => {
    const pending = new Map<Address, ReturnType<typeof pendingCreate>>([
      ["event-route/life/f", pendingCreate()],
    ]);
    const found = status({
      state: known(RECORDS, { pending }),
      live: {
        destination: [...LIVE.destination, { id: "d2", name: "a/b" }, { id: "d3" }],
        topic: [...LIVE.topic, { id: "t2", name: "twice" }, { id: "t3", name: "twice" }],
        "event-route": [
          ...LIVE["event-route"],
          { id: "r3", topicId: "t1", eventType: "e" },
          { id: "r4", topicId: "t2", eventType: "e" },
          { id: "r5", topicId: "t8" },
        ],
        "destination-route": [
          ...LIVE["destination-route"],
          { id: "r6", topicId: "t8", destinationId: "d8" },
        ],
      },
    });
    expect(found).toEqual({
      ...IN_PLACE,
      "event-route/life/e": "duplicated | r1,r3",
      "event-route/life/f": "unknown | create started, outcome unknown",
      "destination/a%2Fb": "unmanaged | d2",
      "destination/d3": "unmanaged | d3 | has no name",
      "topic/twice": "duplicated | t2,t3",
      "event-route/twice/e": "unmanaged | r4",
      "event-route/t8/?": "unmanaged | r5 | its topic does not exist",
      "destination-route/t8/d8":
        "unmanaged | r6 | its topic does not exist, its destination does not exist",
    });
  });

  it("shows a possible outcome in the row of its create, and only once", () => {
    const pending = new Map<Address, ReturnType<typeof pendingCreate>>([
      ["event-route/life/f", pendingCreate()],
    ]);
    const routes = [...LIVE["event-route"], { id: "r9", topicId: "t1", eventType: "f" }];
    const live = { ...LIVE, "event-route": routes };
    const found = status({ state: known(RECORDS, { pending }), live });
    expect(found).toEqual({
      ...IN_PLACE,
      "event-route/life/f": "unknown | r9 | create started; this may be its result",
    });
  });
});

describe("routingStatus with a file", () => {
  it("shows resources that are missing, and those that only the service has", () => {
    const found = status({ model: MODEL, live: { ...LIVE, topic: [], "event-route": [] } });
    expect(found).toEqual({
      "destination/ops": "in_place | d1 | not in the state yet",
      "topic/life": "missing | to be created",
      "event-route/life/e": "missing | to be created",
      "destination-route/life/ops": "missing | to be created",
      "destination-route/t1/ops": "unmanaged | r2 | its topic does not exist",
    });
  });

  it("shows resources that were changed at the service", () => {
    const rows = routingStatus({
      model: MODEL,
      state: known(
        new Map(RECORDS).set(
          "destination/ops",
          knownRecord("d1", {
            fingerprint: fingerprintOf({ salt: "salt" }, DESTINATION, new Map()),
          }),
        ),
      ),
      live: {
        ...LIVE,
        destination: [{ id: "d1", name: "ops", type: "webhook", metadata: { url: "v" } }],
      },
    });
    expect(rows[0]).toMatchObject({
      address: "destination/ops",
      status: "changed",
      origin: "created",
      differences: [{ field: "metadata.url", wanted: "u", found: "v" }],
    });
  });

  it.each([
    [["mine"], "no longer in the file"],
    [["mine", "c"], "no longer in the file; declared by c"],
    [["c", "d"], "declared by c, d"],
    [[], "not in the file"],
  ])("tells of a resource that %j own, and the file does not name: %s", (owners, note) => {
    const empty = { name: "mine", destinations: new Map(), topics: new Map() };
    const records = new Map([...RECORDS].map(([at, record]) => [at, { ...record, owners }]));
    expect(status({ model: empty, state: known(records) })).toMatchObject({
      "destination/ops": `in_place | d1 | ${note}`,
      "topic/life": `in_place | t1 | ${note}`,
    });
  });
});

const DESTINATION = {
  kind: "destination",
  address: "destination/ops",
  names: ["ops"],
  content: { type: "webhook", metadata: { url: "u" } },
  secrets: {},
} as const;

describe("routingStatus of anything", () => {
  it("leaves out no record of the service, and has each row once", () => {
    fc.assert(
      fc.property(planWorlds, fc.boolean(), ({ model, state, live }, hasFile) => {
        const rows = routingStatus({
          model: hasFile ? model : undefined,
          state,
          live,
        });
        const told = new Set(
          rows.flatMap(({ kind, id, ids = [] }) => [id, ...ids].map((one) => `${kind} ${one}`)),
        );
        for (const kind of KINDS) {
          for (const { id } of live[kind]) expect(told).toContain(`${kind} ${id}`);
        }
        const managed = rows.filter((row) => row.status !== "unmanaged" && !isStranger(row));
        const addresses = managed.map(({ address }) => address);
        expect(new Set(addresses).size).toBe(addresses.length);
      }),
      { numRuns: 600 },
    );
  });
});

/** Several of one natural key that nobody knows may have the name of something that is known. */
function isStranger({ status: is, origin }: { status: string; origin?: string }): boolean {
  return is === "duplicated" && origin === undefined;
}

describe("the columns of a status", () => {
  const rows = routingStatus({
    model: MODEL,
    state: known(),
    live: { ...LIVE, "event-route": [] },
  });

  it("show the status of each resource", () => {
    const cells = rows.map((row) =>
      Object.values(STATUS_COLUMNS).map((column) =>
        typeof column === "string" ? row[column] : column(row),
      ),
    );
    expect(cells).toContainEqual([
      { text: "event-route/life/e", kind: "address" },
      { text: "missing", tone: "bad", raw: "missing" },
      { text: "r1", kind: "id" },
      { text: "no longer listed", wraps: true },
    ]);
    const counts = Object.entries(STATUS_TALLY).map(([status, isSo]) => [
      status,
      rows.filter(isSo).length,
    ]);
    expect(counts.filter(([, count]) => count !== 0)).toEqual([["missing", 1]]);
    expect(STATUS_TALLY).not.toHaveProperty("in place");
  });

  it("count resources that are not in the file separately", () => {
    const unmanaged = {
      address: addressOf("topic", "other"),
      kind: "topic",
      status: "unmanaged",
    } as const;
    const managed = rows.filter(({ status: is }) => is !== "unmanaged").length;
    expect(statusReason([...rows, unmanaged])).toBe(`1 of ${managed} missing: event-route/life/e`);
  });
});

describe("unmanagedRoutesOf", () => {
  it("counts a route at a managed topic also where its own note says more", () => {
    const stray = { id: "r9", topicId: "t1", destinationId: "gone" };
    const live = { ...LIVE, "destination-route": [...LIVE["destination-route"], stray] };
    const rows = routingStatus({ model: undefined, state: known(), live });
    expect(rows.find(({ id }) => id === "r9")?.note).toBe("its destination does not exist");
    expect(unmanagedRoutesOf(rows).map(({ id }) => id)).toEqual(["r9"]);
  });
});
