import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Address } from "../../../src/notify/model/address.ts";
import { dependenciesOf, type RoutingModel } from "../../../src/notify/model/routing.ts";
import { NO_CHOICES } from "../../../src/notify/plan/choices.ts";
import { indexLive } from "../../../src/notify/plan/live.ts";
import { makePlan } from "../../../src/notify/plan/make-plan.ts";
import type { Plan, PlanItem } from "../../../src/notify/plan/plan.ts";
import { applyPlan, KINDS, type PlanWorld, planWorlds } from "./plan-worlds.ts";

const RUNS = { numRuns: 600 };

function planOf(world: PlanWorld): Plan {
  return makePlan({ ...world, choices: { ...NO_CHOICES, prune: true, recreate: true } });
}

/** Whether applying would be refused as it is. */
function stops({ items }: Plan): boolean {
  return items.some(({ action }) => action === "conflict");
}

function knownIds({ items }: Plan): Map<Address, string> {
  return new Map(
    items.flatMap((item): [Address, string][] =>
      item.action === "in_place" || item.action === "adopt" ? [[item.address, item.id]] : [],
    ),
  );
}

describe("a plan, whatever the routing, the state and the service are", () => {
  it("creates nothing of which the list shows the natural key", () => {
    let creates = 0;
    fc.assert(
      fc.property(planWorlds, (world) => {
        const plan = planOf(world);
        const ids = knownIds(plan);
        for (const { action, resource } of plan.items) {
          if (!resource || action !== "create") continue;
          creates += 1;
          expect(indexLive(world.live).matches(resource, ids)).toEqual([]);
        }
      }),
      RUNS,
    );
    expect(creates).toBeGreaterThan(RUNS.numRuns);
  });

  it("has each address once, and each record at one address", () => {
    fc.assert(
      fc.property(planWorlds, (world) => {
        const { items } = planOf(world);
        const addresses = items.map(({ address }) => address);
        expect(new Set(addresses).size).toBe(addresses.length);
        const taken = items.flatMap((item) =>
          item.action === "in_place" || item.action === "adopt" ? [`${item.kind} ${item.id}`] : [],
        );
        expect(new Set(taken).size).toBe(taken.length);
      }),
      RUNS,
    );
  });

  it("treats as in place or adoptable only what the list shows", () => {
    fc.assert(
      fc.property(planWorlds, (world) => {
        const plan = planOf(world);
        const ids = knownIds(plan);
        for (const item of plan.items) {
          if (item.action !== "in_place" && item.action !== "adopt") continue;
          expect(world.live[item.kind].map(({ id }) => id)).toContain(item.id);
          const { resource } = item;
          if (resource === undefined || dependenciesOf(resource).length === 0) continue;
          // One that connects what it should, not what once had the same names.
          if (!dependenciesOf(resource).every((dependency) => ids.has(dependency))) continue;
          expect(
            indexLive(world.live)
              .matches(resource, ids)
              .map(({ id }) => id),
          ).toContain(item.id);
        }
      }),
      RUNS,
    );
  });

  it("is the same in every order of resources", () => {
    fc.assert(
      fc.property(planWorlds, (world) => {
        expect(planOf(reversed(world))).toEqual(planOf(world));
      }),
      RUNS,
    );
  });

  it("changes nothing when it is applied again", () => {
    let quiet = 0;
    fc.assert(
      fc.property(planWorlds, (world) => {
        const first = planOf(world);
        if (stops(first)) return;
        // A route that does not lead where the state says is in doubt until its ends are known anew.
        if (first.kept.some(({ differences }) => differences !== undefined)) return;
        const after = applyPlan(world, first);
        const second = planOf(after);
        const hadOpen = first.items.some(({ action }) => action === "unknown");
        // Only what was begun can turn out to be something else, or something to delete.
        if (hadOpen && stops(second)) return;
        const last = hadOpen ? planOf(applyPlan(after, second)) : second;
        // Several things that may have come of it: nobody can tell which.
        if (last.items.some(({ action }) => action === "unknown")) return;
        quiet += 1;
        expect(last.items.filter(({ action }) => action !== "in_place")).toEqual([]);
      }),
      { numRuns: 2_000 },
    );
    expect(quiet).toBeGreaterThan(100);
  });

  it("deletes only what this state made for this routing alone, in the order of deletion, and nothing that is in use", () => {
    let pruned = 0;
    fc.assert(
      fc.property(planWorlds, (world) => {
        const { items } = planOf(world);
        const deleted = items.filter(isPrune);
        pruned += deleted.length;
        const order = deleted.map(({ kind }) => KINDS.indexOf(kind));
        expect(order).toEqual(order.toSorted((a, b) => b - a));
        const gone = new Set(deleted.map(({ kind, id }) => `${kind} ${id}`));
        for (const { address, kind, id } of deleted) {
          const record = world.state.records.get(address);
          expect(["created", "reconciled"]).toContain(record?.origin);
          expect(record?.owners).toEqual([world.model.name]);
          for (const item of items) {
            if (item.action === "in_place" || item.action === "adopt") {
              expect(`${item.kind} ${item.id}`).not.toBe(`${kind} ${id}`);
            }
          }
          for (const route of world.live["event-route"]) {
            if (kind === "topic" && route.topicId === id) {
              expect(gone).toContain(`event-route ${route.id}`);
            }
          }
          for (const route of world.live["destination-route"]) {
            const end = kind === "topic" ? route.topicId : route.destinationId;
            if ((kind === "topic" || kind === "destination") && end === id) {
              expect(gone).toContain(`destination-route ${route.id}`);
            }
          }
        }
      }),
      RUNS,
    );
    expect(pruned).toBeGreaterThan(RUNS.numRuns / 20);
  });

  it("settles unfinished creates first, also of resources not in the routing", () => {
    fc.assert(
      fc.property(planWorlds, (world) => {
        const { items } = planOf(world);
        const wanted = new Map(items.map(({ address, action }) => [address, action]));
        for (const address of world.state.pending.keys()) {
          // What the routing calls existing is settled by its word.
          if (wanted.get(address) === "in_place" || wanted.get(address) === "conflict") {
            expect(items.find((item) => item.address === address)?.resource).toBeUndefined();
          } else expect(wanted.get(address)).toBe("unknown");
        }
      }),
      RUNS,
    );
  });
});

type Prune = Extract<PlanItem, { action: "delete" }>;

function isPrune(item: PlanItem): item is Prune {
  return item.action === "delete";
}

function reversed({ model, state, live }: PlanWorld): PlanWorld {
  return {
    model: {
      ...model,
      destinations: turned(model.destinations),
      topics: new Map(
        [...model.topics].reverse().map(([name, { events, destinations, ...part }]) => [
          name,
          {
            ...part,
            events: [...events, ...events].reverse(),
            destinations: [...destinations].reverse(),
          },
        ]),
      ),
    } satisfies RoutingModel,
    state: { ...state, records: turned(state.records), pending: turned(state.pending) },
    live: {
      destination: live.destination.toReversed(),
      topic: live.topic.toReversed(),
      "event-route": live["event-route"].toReversed(),
      "destination-route": live["destination-route"].toReversed(),
    },
  };
}

function turned<Key, Value>(map: ReadonlyMap<Key, Value>): Map<Key, Value> {
  return new Map([...map].reverse());
}
