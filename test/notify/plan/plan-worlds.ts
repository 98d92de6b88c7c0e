import fc from "fast-check";
import { type Address, addressParts } from "../../../src/notify/model/address.ts";
import type { LiveRecord, ResourceKind } from "../../../src/notify/model/resource.ts";
import {
  type DestinationPart,
  ownResources,
  type Resource,
  type RoutingModel,
  type TopicPart,
} from "../../../src/notify/model/routing.ts";
import { indexLive, type LiveRouting } from "../../../src/notify/plan/live.ts";
import type { Plan } from "../../../src/notify/plan/plan.ts";
import { fingerprintOf } from "../../../src/notify/plan/plan-change.ts";
import type { KnownRecord, PendingWrite } from "../../../src/notify/state/state.ts";

/** What is known, as the planner sees it. */
export interface Known {
  readonly salt: string;
  readonly records: ReadonlyMap<Address, KnownRecord>;
  readonly pending: ReadonlyMap<Address, PendingWrite>;
}

/** Everything that a plan is made from. */
export interface PlanWorld {
  readonly model: RoutingModel;
  readonly state: Known;
  readonly live: LiveRouting;
}

/** A record that a state knows. */
export function knownRecord(id: string, more: Partial<KnownRecord> = {}): KnownRecord {
  return { id, fingerprint: "", origin: "created", time: "2026-08-01T00:00:00Z", ...more };
}

/** A create whose outcome is open. */
export function pendingCreate(idsBefore: readonly string[] = []): PendingWrite {
  const time = "2026-08-01T00:00:00Z";
  return { fingerprint: "", key: "k", attempt: 1, idsBefore, started: time, phase: "unknown" };
}

const names = fc.constantFrom("a", "b", "c");
const events = fc.constantFrom("e1", "e2");
const ids = fc.constantFrom("1", "2", "3", "4", "5");
const metadata = fc.constantFrom({}, { url: "u" }, { url: "v" }, { url: "u", more: true });
const types = fc.constantFrom("webhook", "kinesis");

const parts: fc.Arbitrary<DestinationPart> = fc.oneof(
  { weight: 1, arbitrary: ids.map((id): DestinationPart => ({ kind: "existing", id })) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("new" as const),
      type: types,
      metadata,
      secrets: fc.constant({}),
    }),
  },
);

const models: fc.Arbitrary<RoutingModel> = fc
  .uniqueArray(fc.tuple(names, parts), { minLength: 1, maxLength: 3, selector: ([name]) => name })
  .chain((destinations) => {
    const topic: fc.Arbitrary<TopicPart> = fc.record(
      {
        id: ids,
        events: fc.array(events, { maxLength: 3 }),
        destinations: fc.array(fc.constantFrom(...destinations.map(([name]) => name)), {
          maxLength: 3,
        }),
      },
      { requiredKeys: ["events", "destinations"] },
    );
    return fc
      .uniqueArray(fc.tuple(names, topic), { maxLength: 3, selector: ([name]) => name })
      .map((topics) => ({
        name: "mine",
        destinations: new Map(destinations),
        topics: new Map(topics),
      }));
  });

function list<Record>(fields: fc.Arbitrary<Record>): fc.Arbitrary<(Record & { id: string })[]> {
  return fc
    .uniqueArray(fc.tuple(ids, fields), { maxLength: 4, selector: ([id]) => id })
    .map((records) => records.map(([id, rest]) => ({ id, ...rest })));
}

const lives: fc.Arbitrary<LiveRouting> = fc.record({
  destination: list(fc.record({ name: names, type: types, metadata })),
  topic: list(fc.record({ name: names })),
  "event-route": list(fc.record({ topicId: ids, eventType: events })),
  "destination-route": list(fc.record({ topicId: ids, destinationId: ids })),
});

const origins = fc.constantFrom("created", "adopted", "reconciled", "imported" as const);

const owners = fc.constantFrom(["mine"], ["mine"], ["mine"], ["mine", "other"], ["other"], []);

/** A state that may be right, stale or mistaken, of the routing and of things that it forgot. */
function states(model: RoutingModel): fc.Arbitrary<Known> {
  const known = ownResources(model).map(({ address }) => address);
  const others: Address[] = [
    "topic/z",
    "destination/z",
    "event-route/a/z",
    "destination-route/a/z",
  ];
  const address = fc.constantFrom(...known, ...others);
  const record = fc.record({
    id: ids,
    origin: origins,
    fingerprint: fc.constantFrom("", "other"),
    owners,
  });
  return fc.record({
    salt: fc.constant("salt"),
    records: fc
      .array(fc.tuple(address, record), { maxLength: 6 })
      .map(
        (entries) => new Map(entries.map(([at, { id, ...more }]) => [at, knownRecord(id, more)])),
      ),
    pending: fc
      .array(fc.tuple(address, fc.array(ids, { maxLength: 2 })), { maxLength: 2 })
      .map((entries) => new Map(entries.map(([at, before]) => [at, pendingCreate(before)]))),
  });
}

/** Any routing, any state, any service. */
export const planWorlds: fc.Arbitrary<PlanWorld> = models.chain((model) =>
  fc.record({ model: fc.constant(model), state: states(model), live: lives }),
);

/** No id is given twice. */
let count = 0;

/** Applies a plan to a service that never fails, as the engine is meant to. */
export function applyPlan({ model, state, live }: PlanWorld, plan: Plan): PlanWorld {
  const records = new Map(state.records);
  const pending = new Map(state.pending);
  const lists: Lists = { ...live };
  const at = new Map(plan.items.map((item) => [item.address, item]));
  const idsNow = () =>
    new Map(
      plan.items.flatMap(({ address, ...item }): [Address, string][] => {
        const id = records.get(address)?.id ?? ("id" in item ? item.id : undefined);
        return id === undefined ? [] : [[address, id]];
      }),
    );
  const settle = (resource: Resource, id: string, origin: KnownRecord["origin"]) => {
    records.set(
      resource.address,
      knownRecord(id, { origin, fingerprint: fingerprintOf(state, resource, endsOf(resource)) }),
    );
    pending.delete(resource.address);
  };
  const endsOf = (resource: Resource) => {
    const now = idsNow();
    return new Map(
      endAddresses(resource).flatMap((end): [Address, string][] => {
        const id = now.get(end);
        return id === undefined ? [] : [[end, id]];
      }),
    );
  };
  for (const { address, resource, ...item } of plan.items) {
    if (item.action === "adopt" && resource) settle(resource, item.id, "adopted");
    if (item.action === "update" && resource) {
      change(lists, resource, item.id);
      settle(resource, item.id, records.get(address)?.origin ?? "adopted");
    }
    const record = records.get(address);
    if (item.action === "release" && record) {
      records.set(address, { ...record, owners: item.owners });
    }
    if (item.action === "delete") {
      records.delete(address);
      remove(lists, addressParts(address).kind, item.id);
    }
    if (item.action === "unknown" && resource === undefined) pending.delete(address);
    if (!resource || !["create", "unknown"].includes(item.action)) continue;
    // Behind something that stops the run.
    const ends = endAddresses(resource).map((end) => at.get(end)?.action);
    if (ends.some((end) => end === "conflict")) continue;
    const before = item.action === "unknown" ? (pending.get(address)?.idsBefore ?? []) : [];
    const found = indexLive({ ...lists })
      .matches(resource, endsOf(resource))
      .filter(({ id }) => !before.includes(id));
    if (found.length > 1) continue;
    const [one] = found;
    if (one) settle(resource, one.id, "reconciled");
    else {
      count += 1;
      add(lists, resource, { id: `new-${count}`, ...bodyOf(resource, endsOf(resource)) });
      settle(resource, `new-${count}`, "created");
    }
  }
  return { model, state: { ...state, records, pending }, live: lists };
}

type Lists = { -readonly [Kind in ResourceKind]: readonly LiveRecord[] };

function add(lists: Lists, { kind }: Resource, record: LiveRecord): void {
  lists[kind] = [...lists[kind], record];
}

/** Changes the metadata of a record as an update does: what the routing does not name is left. */
function change(lists: Lists, { kind, content }: Resource, id: string): void {
  const metadata = content.metadata as object;
  lists[kind] = lists[kind].map((one) =>
    one.id === id ? { ...one, metadata: { ...one.metadata, ...metadata } } : one,
  );
}

function remove(lists: Lists, kind: ResourceKind, gone: string): void {
  lists[kind] = lists[kind].filter(({ id }) => id !== gone);
}

// What follows is told without amp's own table of resources: it would agree with itself.

function endAddresses({ kind, names: [first, second] }: Resource): Address[] {
  const topic: Address = `topic/${first}`;
  if (kind === "event-route") return [topic];
  return kind === "destination-route" ? [topic, `destination/${second}`] : [];
}

function bodyOf(resource: Resource, ends: ReadonlyMap<Address, string>): object {
  const { kind, names, content } = resource;
  const [topicId, destinationId] = endAddresses(resource).map((end) => ends.get(end));
  if (kind === "event-route") return { topicId, eventType: names[1] };
  if (kind === "destination-route") return { topicId, destinationId };
  return { name: names[0], ...content };
}

/** The kinds in the order of creation. */
export const KINDS = ["destination", "topic", "event-route", "destination-route"] as const;
