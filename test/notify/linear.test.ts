import { Session } from "node:inspector/promises";
import { setFlagsFromString } from "node:v8";
import { afterAll, beforeAll, expect, test } from "vitest";
import { checkRouting } from "../../src/notify/checks/check.ts";
import { readRoutingFile } from "../../src/notify/file/read.ts";
import { graphOf } from "../../src/notify/graph/graph.ts";
import { partsOfModel } from "../../src/notify/graph/load.ts";
import type { Address } from "../../src/notify/model/address.ts";
import type { LiveRecord } from "../../src/notify/model/resource.ts";
import { ownResources, type RoutingModel } from "../../src/notify/model/routing.ts";
import { drawnPlanPage } from "../../src/notify/pages/diagram.ts";
import { planPage } from "../../src/notify/pages/plan.ts";
import type { LiveRouting } from "../../src/notify/plan/live.ts";
import { planJson } from "../../src/notify/plan/plan-document.ts";
import type { PlanInput } from "../../src/notify/plan/planning.ts";
import { NO_CHOICES } from "../../src/notify/plan/table.ts";
import { type Entry, ownerOf } from "../../src/notify/state/state.ts";
import { makePlan, seen } from "./plan/seen.ts";

// Optimised code counts no calls.
beforeAll(() => {
  setFlagsFromString("--no-turbofan");
  setFlagsFromString("--no-maglev");
});
afterAll(() => {
  setFlagsFromString("--turbofan");
  setFlagsFromString("--maglev");
});

const SIZE = 60;

/** Calls of functions of amp for twice the work. A single quadratic part makes them four times. */
const MOST_GROWTH = 2.3;

/** The parts of src whose calls grow more than the work. */
async function growing(workOf: (size: number) => () => unknown): Promise<string[]> {
  const works = [SIZE, SIZE, 2 * SIZE].map(workOf);
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
  const callsOf = async (work: () => unknown) => {
    await work();
    const { result } = await session.post("Profiler.takePreciseCoverage");
    return new Map(
      result.flatMap(({ url, functions }) => {
        const file = /\/src\/(.*\.ts)/u.exec(url)?.[1];
        return file === undefined
          ? []
          : functions.flatMap(({ functionName, ranges }) =>
              ranges.map(({ count, startOffset: at }) => [`${file} ${functionName} ${at}`, count]),
            );
      }) as [string, number][],
    );
  };
  const counts: Map<string, number>[] = [];
  for (const work of works) counts.push(await callsOf(work));
  // V8 begins to count a function once it was called a few times, so the first counts nothing.
  const [, few = new Map<string, number>(), many = few] = counts;
  session.disconnect();
  expect(few.size).toBeGreaterThan(100);
  return [...many].flatMap(([part, count]) => {
    const before = few.get(part) ?? 0;
    return count > MOST_GROWTH * Math.max(before, SIZE) ? `${part}: ${before}, then ${count}` : [];
  });
}

const EVENTS = ["installation.created", "installation.deleted", "connection.error"];

function routing(
  topics: number,
  { name = "mine", prefix = "t", first = 0, renamed = false } = {},
): RoutingModel {
  const names = Array.from({ length: topics }, (_, at) => `${prefix}-${first + at}`);
  const metadata = { url: "https://hooks.acme.com/amp" };
  return {
    name,
    destinations: new Map(
      names.map((name) => [
        `d-${name}`,
        {
          kind: "new",
          type: "webhook",
          metadata,
          secrets: {},
          ...(renamed ? { renamedFrom: `d-old-${name}` } : {}),
        },
      ]),
    ),
    topics: new Map(
      names.map((name) => [
        name,
        {
          events: EVENTS,
          destinations: [`d-${name}`],
          ...(renamed ? { renamedFrom: `old-${name}` } : {}),
        },
      ]),
    ),
  };
}

const idOf = (address: Address) => `id of ${address}`;

/** The records of a routing at the service. */
function listed(...models: RoutingModel[]): LiveRouting {
  const own = models.flatMap(ownResources);
  const of = (kind: string) =>
    own
      .filter((one) => one.kind === kind)
      .map(({ address, names: [first, second], content }): LiveRecord => {
        const id = idOf(address);
        const topicId = idOf(`topic/${first}`);
        if (kind === "event-route") return { id, topicId, eventType: second };
        if (kind === "destination-route") {
          return { id, topicId, destinationId: idOf(`destination/${second}`) };
        }
        return { id, name: first, ...content };
      });
  return {
    destination: of("destination"),
    topic: of("topic"),
    "event-route": of("event-route"),
    "destination-route": of("destination-route"),
  };
}

function known(model: RoutingModel): NonNullable<PlanInput["state"]> {
  const entries = ownResources(model).map(({ address }): [Address, Entry] => {
    const facts = { made: "amp", fields: {}, time: "2026-08-01T00:00:00Z" } as const;
    return [address, { id: idOf(address), owner: ownerOf(model), ...facts }];
  });
  return { key: "key", entries: new Map(entries), left: new Map(), marks: new Map() };
}

const WORLDS: Record<string, (size: number) => PlanInput> = {
  "new resources": (size) => ({ model: routing(size), state: undefined, seen: seen(listed()) }),
  "resources in place": (size) => ({
    model: routing(size),
    state: known(routing(size)),
    seen: seen(listed(routing(size))),
  }),
  "resources in place, without lists": (size) => ({
    model: routing(size),
    state: known(routing(size)),
    seen: seen(undefined),
  }),
  "resources to adopt": (size) => ({
    model: routing(size),
    state: undefined,
    seen: seen(listed(routing(size))),
  }),
  "new routes at topics that another routing routes": (size) => ({
    model: {
      ...routing(size),
      topics: new Map(
        [...routing(size).topics].map(([name, topic]) => [
          name,
          { ...topic, events: ["read.completed"] },
        ]),
      ),
    },
    state: known(routing(size, { name: "other" })),
    seen: seen(listed(routing(size))),
  }),
  "unmanaged routes at its topics": (size) => ({
    model: {
      ...routing(size),
      topics: new Map(
        [...routing(size).topics].map(([name, topic]) => [name, { ...topic, events: [] }]),
      ),
    },
    state: undefined,
    seen: seen(listed(routing(size))),
  }),
  "resources that were removed from the file": (size) => ({
    model: routing(1),
    state: known(routing(size)),
    seen: seen(listed(routing(size))),
  }),
  "resources to prune": (size) => ({
    model: routing(1),
    state: known(routing(size)),
    seen: seen(listed(routing(size))),
    choices: { ...NO_CHOICES, prune: true },
  }),
  "resources to rename": (size) => ({
    model: routing(size, { renamed: true }),
    state: known(routing(size, { prefix: "old-t" })),
    seen: seen(listed(routing(size, { prefix: "old-t" }))),
  }),
  "missing resources": (size) => ({
    model: routing(size),
    state: known(routing(size)),
    seen: seen(listed()),
  }),
};

test.each(Object.entries(WORLDS))("a plan of %s takes linear work", async (_, worldOf) => {
  const parts = await growing((size) => {
    const input = worldOf(size);
    return () => {
      const plan = makePlan(input);
      planPage(planJson(plan));
      // A setup has one topic.
      for (const live of [input.seen.live, undefined]) drawnPlanPage(plan, routing(1), { live });
    };
  });
  expect(parts).toEqual([]);
});

function fileOf(topics: number): string {
  const model = routing(topics);
  return JSON.stringify({
    version: 1,
    destinations: Object.fromEntries(
      [...model.destinations].map(([name, { kind: _, ...part }]) => [name, part]),
    ),
    topics: Object.fromEntries(
      [...model.topics].map(([name, topic], at) => [
        name,
        at % 2 === 0 ? { ...topic, destinations: [] } : topic,
      ]),
    ),
    forbid: [{ event: "connection.error", topic: "*" }],
  });
}

test("reading and checking a file takes linear work", async () => {
  const parts = await growing((size) => {
    const text = fileOf(size);
    return async () => {
      const content = await readRoutingFile(text, "routing.yaml", {
        read: () => Promise.resolve(""),
        variable: () => "",
        allow: [],
      } as never);
      const graph = graphOf(partsOfModel(content.model));
      const { findings } = await checkRouting(
        { graph, source: { file: "routing.yaml" }, content: content as never },
        { require: [], rule: [], skip: [] },
      );
      expect(findings.length).toBeGreaterThan(size);
    };
  });
  expect(parts).toEqual([]);
});
