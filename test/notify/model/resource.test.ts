import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ownResources, type RoutingModel } from "../../../src/notify/model/routing.ts";
import { lifecycle, routings } from "./routings.ts";

const addresses = (model: RoutingModel) => ownResources(model).map(({ address }) => address);

describe("ownResources", () => {
  it("orders destinations and topics before routes", () => {
    expect(addresses(lifecycle)).toEqual([
      "destination/ops-webhook",
      "topic/customer-lifecycle",
      "event-route/customer-lifecycle/installation.created",
      "event-route/customer-lifecycle/installation.deleted",
      "event-route/customer-lifecycle/connection.error",
      "destination-route/customer-lifecycle/ops-webhook",
    ]);
  });

  it("omits resources that are referenced by an ID", () => {
    const model: RoutingModel = {
      destinations: new Map([["archive", { kind: "existing", id: "d_1" }]]),
      topics: new Map([["t", { id: "t_1", events: ["a", "b"], destinations: ["archive"] }]]),
    };
    expect(addresses(model)).toEqual([
      "event-route/t/a",
      "event-route/t/b",
      "destination-route/t/archive",
    ]);
  });

  it("distinguishes names with slashes", () => {
    const events = (topic: string, event: string): RoutingModel => ({
      destinations: new Map(),
      topics: new Map([[topic, { events: [event], destinations: [] }]]),
    });
    expect(addresses(events("a/b", "c")).at(-1)).not.toBe(addresses(events("a", "b/c")).at(-1));
    expect(addresses(events("a%2Fb", "c"))).not.toEqual(addresses(events("a/b", "c")));
  });

  it("refuses a reference to an undeclared resource", () => {
    const model: RoutingModel = {
      destinations: new Map(),
      topics: new Map([["t", { events: [], destinations: ["nowhere"] }]]),
    };
    expect(() => ownResources(model)).toThrow("no destination nowhere");
  });

  it("never has an address twice, and never a route before its ends", () => {
    const order = ["destination", "topic", "event-route", "destination-route"];
    fc.assert(
      fc.property(routings, (model) => {
        const resources = ownResources(model);
        expect(new Set(addresses(model)).size).toBe(resources.length);
        const ranks = resources.map(({ kind }) => order.indexOf(kind));
        expect(ranks).toEqual([...ranks].sort((a, b) => a - b));
      }),
    );
  });

  it("does not depend on order or repetition", () => {
    fc.assert(
      fc.property(routings, (model) => {
        const turned: RoutingModel = {
          destinations: new Map([...model.destinations].reverse()),
          topics: new Map(
            [...model.topics].reverse().map(([name, topic]) => [
              name,
              {
                ...topic,
                events: [...topic.events, ...topic.events].reverse(),
                destinations: [...topic.destinations, ...topic.destinations].reverse(),
              },
            ]),
          ),
        };
        expect(addresses(turned).sort()).toEqual(addresses(model).sort());
      }),
    );
  });
});
