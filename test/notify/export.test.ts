import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MISTAKE_WORDS } from "../../src/api/catalogue/mistakes.ts";
import { ConflictError } from "../../src/errors.ts";
import { exportRouting } from "../../src/notify/export.ts";
import { eventProblem } from "../../src/notify/model/names.ts";
import type { RouteKind } from "../../src/notify/model/resource.ts";
import type { LiveRouting } from "../../src/notify/plan/live.ts";
import { suggest } from "../../src/values/suggested-command.ts";
import { obeyedInData } from "../commands/hostile-service.ts";
import { HOSTILE } from "../ui/hostile.ts";
import { errorsIn, reading } from "./file/reading.ts";
import { makePlan, seen } from "./plan/seen.ts";

const NOTHING: LiveRouting = {
  destination: [],
  topic: [],
  "event-route": [],
  "destination-route": [],
};

function list<Fields>(fields: fc.Arbitrary<Fields>): fc.Arbitrary<(Fields & { id: string })[]> {
  return fc
    .uniqueArray(fc.tuple(IDS, fields), { maxLength: 4, selector: ([id]) => id })
    .map((records) => records.map(([id, rest]) => ({ id, ...rest })));
}

const IDS = fc.constantFrom("1", "2", "3", "4", "5");
const NAMES = fc.constantFrom("a", "b", "c");

/** Whatever a service may list. */
const lists: fc.Arbitrary<LiveRouting> = fc.record({
  destination: list(
    fc.record({
      name: NAMES,
      type: fc.constant("webhook"),
      metadata: fc.constantFrom({}, { url: "u" }, { url: "v" }, { url: "u", more: true }),
    }),
  ),
  topic: list(fc.record({ name: NAMES })),
  "event-route": list(fc.record({ topicId: IDS, eventType: fc.constantFrom("e1", "e2") })),
  "destination-route": list(fc.record({ topicId: IDS, destinationId: IDS })),
});

/** A routing without the routes whose ends are not listed, which is not exported. */
function withoutLooseRoutes(live: LiveRouting): LiveRouting {
  const isListed = (kind: "topic" | "destination", id: string | null | undefined) =>
    !id || live[kind].some((one) => one.id === id);
  const keep = (kind: RouteKind) =>
    live[kind].filter(
      ({ topicId, destinationId }) =>
        isListed("topic", topicId) && isListed("destination", destinationId),
    );
  return {
    ...live,
    "event-route": keep("event-route"),
    "destination-route": keep("destination-route"),
  };
}

describe("exportRouting", () => {
  it("writes a live routing as a routing file, in one order", async () => {
    const live: LiveRouting = {
      destination: [
        {
          id: "d_2",
          name: "stream",
          type: "kinesis",
          metadata: { streamName: "amp", region: "eu-central-1" },
        },
        { id: "d_1", name: "ops", type: "webhook", metadata: { url: "https://a.example.com" } },
      ],
      topic: [{ id: "t_1", name: "lifecycle" }],
      "event-route": [
        { id: "r_2", topicId: "t_1", eventType: "installation.deleted" },
        { id: "r_1", topicId: "t_1", eventType: "installation.created" },
      ],
      "destination-route": [{ id: "r_3", topicId: "t_1", destinationId: "d_2" }],
    };
    const { text, warnings } = await exportRouting(live, "acme");
    const unset = "Set these variables first: STREAM_AWS_KEY_ID, STREAM_AWS_SECRET_KEY.";
    expect(warnings).toEqual([unset]);
    expect(text).toMatchInlineSnapshot(`
      "# The notification routing that should exist, by name. Order does not matter.
      # Secrets are references: env:NAME or file:PATH.
      # STREAM_AWS_KEY_ID must be set.
      # STREAM_AWS_SECRET_KEY must be set.

      version: 1
      project: acme
      destinations:
        ops:
          type: webhook
          metadata:
            url: https://a.example.com
        stream:
          type: kinesis
          metadata:
            streamName: amp
            region: eu-central-1
          secrets:
            awsKeyId: env:STREAM_AWS_KEY_ID
            awsSecretKey: env:STREAM_AWS_SECRET_KEY
      topics:
        lifecycle:
          events:
            - installation.created
            - installation.deleted
          destinations:
            - stream
      "
    `);
    const other = { ...live, destination: live.destination.toReversed() };
    expect((await exportRouting(other, "acme")).text).toBe(text);
  });

  it.each(["destination", "topic"] as const)("is refused with a %s without an ID", async (kind) => {
    const empty = { destination: [], topic: [], "event-route": [], "destination-route": [] };
    const records = [
      { id: "1", name: "audit" },
      { id: "", name: "ops" },
    ];
    const live: LiveRouting = { ...empty, [kind]: records };
    await expect(exportRouting(live)).rejects.toMatchObject({
      exit: "conflict",
      message: `The service listed 1 ${kind} without an ID`,
    });
  });

  it("warns of what a file cannot hold, and leaves out nothing else", async () => {
    const live: LiveRouting = {
      destination: [
        { id: "d_1", name: "twin", type: "webhook", metadata: { url: "u" } },
        { id: "d_2", name: "twin", type: "webhook", metadata: { url: "v" } },
        { id: "d_3", name: null, type: "webhook", metadata: {} },
        { id: "d_4", name: "__proto__", type: "webhook", metadata: {} },
        { id: "d_5", name: "withoutType" },
        { id: "d_6", name: "hidden", type: "x", metadata: { headers: { token: "[redacted]" } } },
      ],
      topic: [{ id: "t_1", name: "d_1" }, { id: "t_2" }],
      "event-route": [
        { id: "r_1", topicId: "t_1", eventType: "e" },
        { id: "r_2", topicId: "t_1", eventType: "e" },
        { id: "r_4", topicId: "t_2" },
        { id: "r_7", topicId: "t_1", eventType: "a,b" },
      ],
      "destination-route": [
        { id: "r_5", topicId: "t_2", destinationId: "d_2" },
        { id: "r_6", topicId: "t_2" },
      ],
    };
    const { text, warnings } = await exportRouting(live);
    expect(warnings).toEqual([
      'The destination "d_1" is referenced by its ID: several are named "twin".',
      'The destination "d_2" is referenced by its ID: several are named "twin".',
      'The destination "d_3" is referenced by its ID: it has no name.',
      'The destination "d_4" is referenced by its ID: it has no name.',
      'The topic "t_2" is referenced by its ID: it has no name.',
      'Destination "withoutType" is referenced by its ID: the service returned no type.',
      'Event route "r_2" is a duplicate; left out.',
      'Event route "r_4" does not say what it connects; left out.',
      'Event route "r_7": "a,b" is not a valid event type: it has a comma or a space; left out.',
      'Destination route "r_6" does not say what it connects; left out.',
      "Set these variables first: HIDDEN_HEADERS_TOKEN.",
    ]);
    expect(text).toContain("# HIDDEN_HEADERS_TOKEN must be set.\n");
    for (const warning of warnings.slice(0, -1)) expect(text).toContain(`# ${warning}\n`);
    const { model } = await reading(text, { env: { HIDDEN_HEADERS_TOKEN: "t" } });
    expect([...model.destinations.keys()]).toEqual([
      "d_1",
      "d_2",
      "d_3",
      "d_4",
      "hidden",
      "withoutType",
    ]);
    expect(model.topics.get("t_2")).toEqual({ id: "t_2", events: [], destinations: ["d_2"] });
  });

  it.each([
    ["event-route", { id: "r_1", topicId: "t_9", eventType: "e" }, "topic t_9"],
    ["destination-route", { id: "r_1", topicId: "t_1", destinationId: "d_9" }, "destination d_9"],
  ])("refuses lists that lack an end of an %s", async (kind, route, end) => {
    const live = { ...NOTHING, topic: [{ id: "t_1", name: "lifecycle" }], [kind]: [route] };
    const refusal = await exportRouting(live).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(ConflictError);
    expect(refusal).toMatchObject({
      message: `The lists are incomplete: ${end} of ${kind.replace("-", " ")} r_1 is not listed`,
      facts: { suggestion: suggest("notify routes delete", ["r_1"]) },
    });
  });

  it("writes a variable for each hidden value, and never what is shown in its place", async () => {
    const metadata = { apiKey: "[redacted]", nested: { url: "https://a.test/?t=[redacted]" } };
    const record = { id: "d_1", name: "ops", type: "x", metadata };
    const { text, warnings } = await exportRouting({ ...NOTHING, destination: [record] });
    expect(text).toContain("apiKey: env:OPS_API_KEY");
    expect(text).toContain("url: env:OPS_NESTED_URL");
    expect(text).not.toContain("[redacted]");
    expect(warnings).toEqual(["Set these variables first: OPS_API_KEY, OPS_NESTED_URL."]);
  });

  it("gives no record the name of another", async () => {
    const { text } = await exportRouting({
      ...NOTHING,
      topic: [{ id: "b" }, { id: "x", name: "b" }, { id: "b-2" }, { id: "__proto__" }],
    });
    const { model } = await reading(text);
    expect([...model.topics].map(([name, { id }]) => [name, id])).toEqual([
      ["b", undefined],
      ["b-2", "b"],
      ["b-2-2", "b-2"],
      ["unnamed", "__proto__"],
    ]);
  });

  it("writes hostile names without changing the file's structure", async () => {
    const name = "a\n# b\rtopics: {}\u2028c: d";
    const { text } = await exportRouting({
      ...NOTHING,
      topic: [
        { id: name, name: "" },
        { id: "t", name },
      ],
    });
    const { model } = await reading(text);
    expect([...model.topics.keys()].sort()).toEqual([name, `${name}-2`]);
  });

  it.each(Object.entries(HOSTILE))("writes nothing that is obeyed: %s", async (_, name) => {
    const { text } = await exportRouting(
      {
        destination: [{ id: "d", name, type: name, metadata: { [name]: name, list: [name] } }],
        topic: [{ id: name, name: "" }],
        "event-route": [{ id: "r", topicId: name, eventType: name }],
        "destination-route": [{ id: name, destinationId: "d" }],
      },
      name,
    );
    expect(obeyedInData(text)).toEqual([]);
    // Half a character has no UTF-8, so a file with one is refused.
    if (!name.isWellFormed()) return;
    const { model, project } = await reading(text);
    expect(project).toBe(name);
    expect(model.destinations.get(name)).toMatchObject({
      type: name,
      metadata: { [name]: name, list: [name] },
    });
    const events = eventProblem(name) === undefined ? [name] : [];
    expect([...model.topics.values()]).toMatchObject([{ id: name, events }]);
  });

  it("names what its file must be allowed", async () => {
    const { warnings, text } = await exportRouting({
      destination: [
        { id: "d", name: "ops", type: "webhook", metadata: { url: "http://hooks.acme.com/a" } },
      ],
      topic: [],
      "event-route": [],
      "destination-route": [],
    });
    const said = "The service has what amp otherwise refuses: read the file with --allow http.";
    expect(warnings).toEqual([said]);
    const hidden = { url: "[redacted]" };
    const masked = { id: "d", name: "ops", type: "webhook", metadata: hidden };
    const lists = { destination: [masked], topic: [], "event-route": [], "destination-route": [] };
    expect((await exportRouting(lists)).warnings.join()).not.toContain("--allow");
    expect((await reading(text, { allow: ["http"] })).model.destinations.size).toBe(1);
    expect(await errorsIn(text)).toContain("(or pass --allow http)");
  });

  it("writes a file that changes nothing where it came from", async () => {
    await fc.assert(
      fc.asyncProperty(lists, async (any) => {
        const live = withoutLooseRoutes(any);
        const env = new Proxy<Record<string, string>>({}, { get: () => "value" });
        const allow = MISTAKE_WORDS;
        const { model } = await reading((await exportRouting(live)).text, { env, allow });
        const { items } = makePlan({ model, state: undefined, seen: seen(live) });
        const others = items.filter(({ action }) => action !== "in_place" && action !== "adopt");
        // Routes that are doubled already, it cannot mend.
        expect(others.filter((item) => !("ids" in item) || !item.resource)).toEqual([]);
        expect(others.every(({ kind }) => kind.endsWith("-route"))).toBe(true);
      }),
      { numRuns: 200 },
    );
  });
});
