import fc from "fast-check";
import { type Address, addressParts } from "../../../src/notify/model/address.ts";
import {
  missingResources,
  RESOURCE_KINDS,
  type Resource,
  type ResourceKind,
} from "../../../src/notify/model/resource.ts";
import type {
  DestinationPart,
  RoutingModel,
  TopicPart,
} from "../../../src/notify/model/routing.ts";
import {
  type LiveRecord,
  type LiveRouting,
  matchingRecords,
} from "../../../src/notify/plan/live.ts";
import type { Plan } from "../../../src/notify/plan/plan.ts";
import type { FingerprintOf } from "../../../src/notify/plan/plan-resource.ts";
import type { KnownRecord, PendingCreate } from "../../../src/notify/state/state.ts";

/** What is known, as the planner sees it. */
export interface Known {
  readonly records: ReadonlyMap<Address, KnownRecord>;
  readonly pending: ReadonlyMap<Address, PendingCreate>;
}

/** Everything that a plan is made from. */
export interface PlanWorld {
  readonly model: RoutingModel;
  readonly state: Known;
  readonly live: LiveRouting;
}

/** The body in full, for a service and a state that hide nothing. */
export const fingerprintOf: FingerprintOf = (step, ids) => {
  if ("name" in step) return JSON.stringify([step.name, "part" in step ? step.part : null]);
  return JSON.stringify([step.kind, [...ids], "event" in step ? step.event : null]);
};

/** A record that a state knows. */
export function knownRecord(id: string, more: Partial<KnownRecord> = {}): KnownRecord {
  return { id, fingerprint: "", origin: "created", time: "2026-08-01T00:00:00Z", ...more };
}

/** A create whose outcome is open. */
export function pendingCreate(idsBefore: readonly string[] = []): PendingCreate {
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
      .map((topics) => ({ destinations: new Map(destinations), topics: new Map(topics) }));
  });

function list<Record>(fields: fc.Arbitrary<Record>): fc.Arbitrary<(Record & { id: string })[]> {
  return fc
    .uniqueArray(fc.tuple(ids, fields), { maxLength: 4, selector: ([id]) => id })
    .map((records) => records.map(([id, rest]) => ({ id, ...rest })));
}

const lives: fc.Arbitrary<LiveRouting> = fc.record({
  destinations: list(fc.record({ name: names, type: types, metadata })),
  topics: list(fc.record({ name: names })),
  eventRoutes: list(fc.record({ topicId: ids, eventType: events })),
  destinationRoutes: list(fc.record({ topicId: ids, destinationId: ids })),
});

const origins = fc.constantFrom("created", "adopted", "reconciled", "imported" as const);

/** A state that may be right, stale or mistaken, of the routing and of things that it forgot. */
function states(model: RoutingModel): fc.Arbitrary<Known> {
  const known = missingResources(model).map(({ address }) => address);
  const others: Address[] = [
    "topic/z",
    "destination/z",
    "event-route/a/z",
    "destination-route/a/z",
  ];
  const address = fc.constantFrom(...known, ...others);
  const record = fc.record({ id: ids, origin: origins, fingerprint: fc.constantFrom("", "other") });
  return fc.record({
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
  const lists = { ...live };
  const at = new Map(plan.items.map((item) => [item.address, item]));
  const idsNow = () =>
    new Map(
      plan.items.flatMap(({ address, ...item }): [Address, string][] => {
        const id = records.get(address)?.id ?? ("id" in item ? item.id : undefined);
        return id === undefined ? [] : [[address, id]];
      }),
    );
  const settle = (step: Resource, id: string, origin: KnownRecord["origin"]) => {
    records.set(
      step.address,
      knownRecord(id, { origin, fingerprint: fingerprintOf(step, endsOf(step)) }),
    );
    pending.delete(step.address);
  };
  const endsOf = (step: Resource) => {
    const now = idsNow();
    return new Map(
      endAddresses(step).flatMap((end): [Address, string][] => {
        const id = now.get(end);
        return id === undefined ? [] : [[end, id]];
      }),
    );
  };
  for (const { address, step, ...item } of plan.items) {
    if (item.action === "adopt" && step) settle(step, item.id, "adopted");
    if (item.action === "prune") {
      records.delete(address);
      remove(lists, addressParts(address).kind, item.id);
    }
    if (item.action === "reconcile" && step === undefined) pending.delete(address);
    if (!step || !["create", "missing", "reconcile"].includes(item.action)) continue;
    // Behind something that stops the run.
    const ends = endAddresses(step).map((end) => at.get(end)?.action);
    if (ends.some((end) => end === "conflict" || end === "ambiguous")) continue;
    const before = item.action === "reconcile" ? (pending.get(address)?.idsBefore ?? []) : [];
    const found = matchingRecords(lists, step, endsOf(step)).filter(
      ({ id }) => !before.includes(id),
    );
    if (found.length > 1) continue;
    const [one] = found;
    if (one) settle(step, one.id, "reconciled");
    else {
      count += 1;
      add(lists, step, { id: `new-${count}`, ...bodyOf(step, endsOf(step)) });
      settle(step, `new-${count}`, "created");
    }
  }
  return { model, state: { records, pending }, live: lists };
}

const LISTS = {
  destination: "destinations",
  topic: "topics",
  "event-route": "eventRoutes",
  "destination-route": "destinationRoutes",
} as const satisfies Record<ResourceKind, keyof LiveRouting>;

type Lists = { -readonly [Name in keyof LiveRouting]: LiveRouting[Name] };

function add(lists: Lists, { kind }: Resource, record: LiveRecord): void {
  Object.assign(lists, { [LISTS[kind]]: [...lists[LISTS[kind]], record] });
}

function remove(lists: Lists, kind: ResourceKind, gone: string): void {
  Object.assign(lists, { [LISTS[kind]]: lists[LISTS[kind]].filter(({ id }) => id !== gone) });
}

function endAddresses(step: Resource): Address[] {
  if ("name" in step) return [];
  const topic: Address = `topic/${step.topic}`;
  return "event" in step ? [topic] : [topic, `destination/${step.destination}`];
}

function bodyOf(step: Resource, ends: ReadonlyMap<Address, string>): object {
  if ("part" in step) return { name: step.name, ...step.part };
  if ("name" in step) return { name: step.name };
  const [topicId, destinationId] = endAddresses(step).map((end) => ends.get(end));
  return "event" in step ? { topicId, eventType: step.event } : { topicId, destinationId };
}

/** The kinds in the order of creation. */
export const KINDS = Object.keys(RESOURCE_KINDS) as ResourceKind[];
