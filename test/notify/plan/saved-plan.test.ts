import { describe, expect, it } from "vitest";
import { ConflictError, UsageError } from "../../../src/errors.ts";
import type { NewDestination, RoutingModel } from "../../../src/notify/model/routing.ts";
import { NO_CHOICES } from "../../../src/notify/plan/choices.ts";
import { makePlan } from "../../../src/notify/plan/make-plan.ts";
import {
  checkPlanned,
  checkSavedPlan,
  type PlanBasis,
  readSavedPlan,
  savedPlanText,
} from "../../../src/notify/plan/saved-plan.ts";
import { Secret } from "../../../src/secrets/secret.ts";
import { suggest } from "../../../src/values/suggested-command.ts";
import { lifecycle } from "../model/routings.ts";

const part: NewDestination = {
  kind: "new",
  type: "slack",
  metadata: { url: "https://hooks.slack.com/hush" },
  secrets: {
    a: new Secret("hush", { from: "env", name: "A" }),
    b: new Secret("hush"),
  },
};

const model: RoutingModel = {
  destinations: new Map([...lifecycle.destinations, ["chat", part]]),
  topics: lifecycle.topics,
};

const basis: PlanBasis = {
  model,
  state: { lineage: "l", serial: 4 },
  target: { origin: "https://api.example.com", basePath: "/v1", project: "acme" },
  choices: NO_CHOICES,
  location: "./state",
};

const AGAIN = suggest("notify plan", [], { f: "routing.yaml", out: "plan.json" });
const plan = makePlan({ model, state: undefined, live: undefined });
const saved = (more: Partial<PlanBasis> = {}) =>
  readSavedPlan(savedPlanText(plan, { ...basis, ...more }), "plan.json", AGAIN);

function changed(change: Partial<NewDestination>): RoutingModel {
  return {
    ...model,
    destinations: new Map(model.destinations).set("chat", { ...part, ...change }),
  };
}

describe("a saved plan", () => {
  it("holds as long as nothing moves, whatever the order of the file", () => {
    expect(() => checkSavedPlan(saved(), basis)).not.toThrow();
    const turned: RoutingModel = {
      destinations: new Map([...model.destinations].reverse()),
      topics: new Map(
        [...model.topics].map(([name, topic]) => [
          name,
          { ...topic, events: [...topic.events, ...topic.events].reverse() },
        ]),
      ),
    };
    expect(() => checkSavedPlan(saved(), { ...basis, model: turned })).not.toThrow();
    expect(() => checkPlanned(saved(), plan)).not.toThrow();
  });

  it("holds no body and no secret", () => {
    const text = savedPlanText(plan, basis);
    expect(text).not.toMatch(/hush|hooks|metadata/u);
  });

  it.each<readonly [why: string, said: string, change: Partial<PlanBasis>]>([
    ["another project", "it is for project acme", { target: { ...basis.target, project: "b" } }],
    ["another service", "it is for project", { target: { ...basis.target, origin: "https://b" } }],
    ["a state saved since", "state has changed", { state: { lineage: "l", serial: 5 } }],
    ["another state", "it was made with another state", { state: { lineage: "m", serial: 4 } }],
    [
      "a lost state",
      "it was made with another state, and there is none at ./state",
      { state: undefined },
    ],
    ["another file", "the routing file has changed", { model: lifecycle }],
    ["another type", "the routing file has changed", { model: changed({ type: "webhook" }) }],
    ["other metadata", "the routing file has changed", { model: changed({ metadata: {} }) }],
    ["other secrets", "the routing file has changed", { model: changed({ secrets: {} }) }],
    ["another name", "it is for a routing without a name", { model: { ...model, name: "b" } }],
    ["--prune", "it was made without --prune", { choices: { ...NO_CHOICES, prune: true } }],
  ])("is refused for %s", (_why, said, change) => {
    const check = () => checkSavedPlan(saved(), { ...basis, ...change });
    expect(check).toThrow(ConflictError);
    expect(check).toThrow(said);
  });

  it("holds over a state of which nothing was saved, however often that is begun anew", () => {
    const never = saved({ state: { lineage: "one", serial: 0 } });
    const again = { ...basis, state: { lineage: "two", serial: 0 } };
    expect(() => checkSavedPlan(never, again)).not.toThrow();
    expect(() => checkSavedPlan(never, { ...basis, state: undefined })).not.toThrow();
    expect(() => checkSavedPlan(never, basis)).toThrow(ConflictError);
  });

  it("is refused where something else would be done now", () => {
    const live = {
      destination: [],
      topic: [{ id: "t_1", name: "customer-lifecycle" }],
      "event-route": [],
      "destination-route": [],
    };
    const now = makePlan({ model, state: undefined, live });
    const check = () => checkPlanned(saved(), now);
    expect(check).toThrow(ConflictError);
    expect(check).toThrow(/existing resources have changed since: topic\/customer-lifecycle$/u);
  });

  it.each(["", "{}", "[]", "{", '{"format":"amp-routing-plan","version":2}'])(
    "is refused where it is none: %j",
    (text) => {
      expect(() => readSavedPlan(text, "plan.json", AGAIN)).toThrow(UsageError);
    },
  );
});
