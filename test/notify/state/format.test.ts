import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Address, addressOf, recordKey } from "../../../src/notify/model/address.ts";
import { parseState, stateText } from "../../../src/notify/state/format.ts";
import {
  assertSameTarget,
  type Entry,
  type LeftEntry,
  type Mark,
  newState,
  type Pending,
  type RoutingState,
  stateTarget,
} from "../../../src/notify/state/state.ts";
import { entryOf, TARGET, thrownAtOnce } from "./state-fixture.ts";

const name = fc.oneof(
  fc.constantFrom("__proto__", "constructor", "a/b", "%2F", "toString", "é👩‍👩‍👧"),
  fc.string({ minLength: 1, unit: "binary" }),
);
const address: fc.Arbitrary<Address> = fc.oneof(
  name.map((one) => addressOf("destination", one)),
  name.map((one) => addressOf("topic", one)),
  fc.tuple(name, name).map(([topic, event]) => addressOf("event-route", topic, event)),
  fc.tuple(name, name).map(([topic, to]) => addressOf("destination-route", topic, to)),
);
const time = fc
  .date({ noInvalidDate: true, min: new Date(0), max: new Date("2100-01-01") })
  .map((date) => date.toISOString());
const text = fc.string({ minLength: 1, unit: "binary" });
const optional = { requiredKeys: [] as [] };
const moment = fc.record({ time, serviceTime: time }, { requiredKeys: ["time"] });
const digests = fc.dictionary(
  fc.constantFrom("name", "metadata.url", "secrets.a"),
  fc.tuple(text, text),
  {
    noNullPrototype: true,
  },
);
const pending: fc.Arbitrary<Pending> = fc
  .tuple(
    fc.constantFrom("create" as const, "update" as const, "delete" as const),
    moment,
    fc.record(
      {
        fields: fc.dictionary(fc.constantFrom("metadata.url"), text, { noNullPrototype: true }),
        name: text,
        idempotencyKey: text,
        before: fc.array(text),
        since: time,
        created: fc.constant(true as const),
        requestId: text,
      },
      optional,
    ),
  )
  .map(([op, at, more]): Pending => ({ op, ...at, ...more }));
const entry: fc.Arbitrary<Entry> = fc
  .tuple(
    fc.record({
      owner: fc.constantFrom("nameless" as const, "person" as const, "file:crm" as const),
      made: fc.constantFrom("amp" as const, "found" as const),
      fields: digests,
    }),
    moment,
    fc.record(
      {
        id: text,
        alsoIn: fc.array(text),
        key: fc.array(fc.string()),
        madeAt: moment,
        requestId: text,
        rotating: time,
        pending,
      },
      optional,
    ),
  )
  .map(([own, at, more]): Entry => ({ ...own, ...at, ...more }));
const left: fc.Arbitrary<LeftEntry> = fc
  .tuple(entry, address)
  .map(([one, at]): LeftEntry => ({ ...one, address: at }));
const mark: fc.Arbitrary<Mark> = fc
  .tuple(fc.constantFrom("deleted" as const, "forgotten" as const), moment)
  .map(([was, at]): Mark => ({ was, ...at }));
const mapOf = <Key, Value>(key: fc.Arbitrary<Key>, value: fc.Arbitrary<Value>) =>
  fc.array(fc.tuple(key, value)).map((all) => new Map(all));
const idKey = fc
  .tuple(fc.constantFrom("topic" as const, "event-route" as const), text)
  .map(([kind, id]) => recordKey(kind, id));
const state: fc.Arbitrary<RoutingState> = fc
  .record({
    lineage: text,
    serial: fc.nat(),
    target: fc.record({ origin: text, basePath: fc.string(), project: text }),
    key: text,
    entries: mapOf(address, entry),
    left: mapOf(idKey, left),
    marks: mapOf(idKey, mark),
  })
  .chain((base) =>
    fc.record({ lists: fc.boolean() }, optional).map((more) => ({ ...base, ...more })),
  );

const thrown = (source: string) => thrownAtOnce(() => parseState(source, "state.json"));

describe("the text of a state", () => {
  it("is read back unchanged, whatever the names", () => {
    fc.assert(
      fc.property(state, (one) => {
        expect(parseState(stateText(one), "x")).toEqual(one);
      }),
    );
  });

  it("is refused in any other version", () => {
    const text = stateText({ ...newState(TARGET, "l", "s"), serial: 1 });
    for (const version of [0, 2, 4, "1"]) {
      const other = text.replace('"version": 1', `"version": ${JSON.stringify(version)}`);
      expect(() => parseState(other, "state.json")).toThrow(
        `state.json has version ${JSON.stringify(version)} of the state format`,
      );
    }
  });

  it("has format, version and serial at the top", () => {
    const head = stateText(newState(TARGET, "l", "s"))
      .split("\n")
      .slice(0, 5);
    expect(head.map((line) => line.trim())).toEqual([
      "{",
      '"format": "amp-routing-state",',
      '"version": 1,',
      '"lineage": "l",',
      '"serial": 0,',
    ]);
  });

  it("is refused if it is truncated at any position", () => {
    const whole = stateText({
      ...newState(TARGET, "l", "s"),
      entries: new Map([["topic/a", entryOf("1")]]),
    });
    for (let length = 0; length < whole.trimEnd().length; length += 1) {
      expect(thrown(whole.slice(0, length))).toMatchObject({
        name: "UsageError",
        message: expect.stringMatching(/^state\.json is (?:empty|not valid JSON)/u),
      });
    }
  });

  const with_ = (fields: object) =>
    JSON.stringify({ ...JSON.parse(stateText(newState(TARGET, "l", "s"))), ...fields });
  const known = entryOf("1");

  it.each<[string, string, RegExp]>([
    ["", "of nothing", /is empty$/u],
    ['{"version":1,"terraform_version":"1.9"}', "of another program", /not an amp routing state/u],
    ["null", "of nothing in JSON", /not an amp routing state/u],
    ["[]", "of a list", /not an amp routing state/u],
    [with_({ version: 5 }), "of a later version", /has version 5 of/u],
    [with_({ journal: "j" }), "without its journal", /^The journal of state\.json is missing$/u],
    [with_({ version: "1" }), "of an odd version", /has version "1" of/u],
    [with_({ version: undefined }), "of no version", /has version undefined of/u],
    [with_({ serial: -1 }), "with an odd serial", /is damaged: serial: /u],
    [with_({ target: "acme" }), "without a target", /is damaged: target: /u],
    [with_({ key: "" }), "without its key", /is damaged: key: /u],
    [
      with_({ entries: { topic: known } }),
      "with an odd address",
      /damaged: line 1: entries > topic: /u,
    ],
    [with_({ entries: { "topic/a/b": known } }), "with a long one", /> topic\/a\/b: /u],
    [
      with_({ entries: { "topic/a": { ...known, id: "" } } }),
      "with no id",
      /entries > topic\/a > id: /u,
    ],
    [
      with_({ entries: { "topic/a": { ...known, pending: { op: "done" } } } }),
      "with an odd write",
      /entries > topic\/a > pending > op: /u,
    ],
    [
      with_({ entries: { "topic/a": { ...known, owner: "file:" } } }),
      "with an odd owner",
      /entries > topic\/a > owner: not an owner$/u,
    ],
    [
      with_({ left: { "topic 1": known } }),
      "with a left one without address",
      /left > topic 1 > address: /u,
    ],
    [
      with_({ marks: { "topic 1": { was: "moved" } } }),
      "with an odd mark",
      /marks > topic 1 > was: /u,
    ],
  ])("%s is refused: %s", (source, _, message) => {
    const error = thrown(source);
    expect(error).toMatchObject({ name: "UsageError", message: expect.stringMatching(message) });
    expect(error).toHaveProperty("facts.done", "The state was not changed, and nothing was sent.");
  });

  it.each(["topic/%zz", "topic/100%", "topic/a%2fb"])(
    "names the line of the address %s, which no resource has",
    (address) => {
      const { entries, ...whole } = JSON.parse(with_({ entries: { [address]: known } }));
      const source = JSON.stringify({ ...whole, entries }, undefined, 1);
      const line = source.split("\n").findIndex((one) => one.includes(address)) + 1;
      const error = thrown(source);
      expect(error).toMatchObject({ exit: "usage" });
      expect(error.message).toBe(
        `state.json is damaged: line ${line}: entries > ${address}: not a valid address`,
      );
    },
  );

  it("loses the fields of an unknown name", () => {
    const odd = with_({
      bodies: ["secret"],
      entries: { "topic/a": { ...known, body: "secret" } },
    });
    expect(stateText(parseState(odd, "x"))).not.toContain("secret");
  });
});

describe("the target of a state", () => {
  it("is made from base URL and project", () => {
    expect(stateTarget("https://api.example.test:443/v1/", "acme")).toEqual(TARGET);
    expect(stateTarget("http://127.0.0.1:4010", "acme")).toEqual({
      origin: "http://127.0.0.1:4010",
      basePath: "",
      project: "acme",
    });
  });

  it.each([{ origin: "https://staging.example.test" }, { basePath: "/v2" }, { project: "other" }])(
    "is refused if it differs in %j, with both names",
    (difference) => {
      const production = newState(TARGET, "l", "s");
      assertSameTarget(production, { ...TARGET });
      const other = { ...TARGET, ...difference };
      expect(() => assertSameTarget(production, other)).toThrow(
        "The state belongs to project acme of https://api.example.test/v1",
      );
      try {
        assertSameTarget(production, other);
      } catch (error) {
        expect(error).toMatchObject({
          name: "ConflictError",
          facts: {
            detail: `This command targets project ${other.project} of ${other.origin}${other.basePath}.`,
          },
        });
      }
    },
  );
});
