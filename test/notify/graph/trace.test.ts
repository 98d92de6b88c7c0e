import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EVENT_TYPES } from "../../../src/api/catalogue/events.ts";
import { graphOf } from "../../../src/notify/graph/graph.ts";
import { partsOfLists, partsOfModel } from "../../../src/notify/graph/load.ts";
import { traceEvent } from "../../../src/notify/graph/trace.ts";
import type { RoutingModel } from "../../../src/notify/model/routing.ts";
import { graphModels, liveOf } from "./graph-models.ts";

const ASKED = ["connection.error", "read.backfill.done", "my.event", "installation.creatd"];

/** Every path of an event, found by walking each route by itself. */
function walk({ topics }: RoutingModel, event: string): string[] {
  const paths = new Set<string>();
  for (const [topic, { events, destinations }] of topics) {
    for (const routed of events) {
      for (const destination of routed === event ? destinations : []) {
        paths.add(`${topic} -> ${destination}`);
      }
    }
  }
  return [...paths].sort();
}

function pathsOf({ topics }: ReturnType<typeof traceEvent>): string[] {
  return topics
    .flatMap((topic) => topic.destinations.map(({ name }) => `${topic.name} -> ${name}`))
    .sort();
}

describe("traceEvent", () => {
  it("agrees with a walk along every route, of a file and of the same routing at the service", () => {
    fc.assert(
      fc.property(graphModels, fc.constantFrom(...ASKED), (model, event) => {
        const expected = walk(model, event);
        const live = partsOfLists(liveOf(model), () => {});
        for (const parts of [partsOfModel(model), live]) {
          const trace = traceEvent({ graph: graphOf(parts), source: {} }, event);
          expect(pathsOf(trace)).toEqual(expected);
          expect(trace.reachesNoDestination).toBe(expected.length === 0);
          const ends = new Set(expected.map((path) => path.split(" -> ")[1]));
          expect(new Set(trace.destinations)).toEqual(ends);
          expect(trace.destinations).toHaveLength(ends.size);
        }
      }),
    );
  });

  it.each([
    { events: ["connection.error"], to: ["ops"], reason: undefined },
    { events: ["connection.error"], to: [], reason: "no-destination" },
    { events: ["read.backfill.done"], to: ["ops"], reason: "no-topic" },
  ])("says of connection.error with $events and $to: $reason", ({ events, to, reason }) => {
    const graph = graphOf({
      topics: [{ name: "topic", events, destinations: to }],
      destinations: [{ name: "ops" }],
    });
    expect(traceEvent({ graph, source: {} }, "connection.error").reason).toBe(reason);
  });

  it("finds the nearest of the known events, and of those that are routed", () => {
    const graph = graphOf({
      topics: [{ name: "topic", events: ["billing.invoice"], destinations: [] }],
      destinations: [],
    });
    const near = (event: string) => traceEvent({ graph, source: {} }, event);
    expect(near("conection.error")).toMatchObject({
      known: false,
      reason: "unknown-event",
      nearest: "connection.error",
    });
    expect(near("biling.invoice").nearest).toBe("billing.invoice");
    expect(near("zzz").nearest).toBeUndefined();
    for (const known of EVENT_TYPES) expect(near(known).nearest).toBeUndefined();
  });

  it.each(["connection.*", "all"])("refuses %s, which means several events", (pattern) => {
    const graph = graphOf({ topics: [], destinations: [] });
    expect(() => traceEvent({ graph, source: {} }, pattern)).toThrow("means several event types");
  });
});
