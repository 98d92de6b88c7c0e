import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Address, addressOf } from "../../../src/notify/model/address.ts";
import { parseState, stateText } from "../../../src/notify/state/format.ts";
import {
  assertSameTarget,
  type KnownRecord,
  newState,
  type PendingWrite,
  RECORD_ORIGINS,
  type RoutingState,
  stateTarget,
} from "../../../src/notify/state/state.ts";
import { TARGET, thrownAtOnce } from "./state-fixture.ts";

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
const known = fc
  .record({ id: text, fingerprint: fc.string(), origin: fc.constantFrom(...RECORD_ORIGINS), time })
  .chain((record) =>
    fc
      .record(
        {
          requestId: text,
          owners: fc.array(text),
          fields: fc.dictionary(fc.constantFrom("metadata.url", "secrets.a"), fc.string(), {
            noNullPrototype: true,
          }),
        },
        optional,
      )
      .map((more): KnownRecord => ({ ...record, ...more })),
  );
const pending = fc
  .record({
    fingerprint: fc.string(),
    key: text,
    attempt: fc.integer({ min: 1, max: 9 }),
    idsBefore: fc.array(text),
    started: time,
    phase: fc.constantFrom("intent" as const, "unknown" as const),
  })
  .chain((begun) =>
    fc
      .record(
        {
          horizon: time,
          requestId: text,
          ends: fc.array(text),
          owners: fc.array(text),
          update: fc.record(
            {
              id: text,
              mask: fc.array(text),
              origin: fc.constantFrom(...RECORD_ORIGINS),
              from: address,
            },
            { requiredKeys: ["id", "mask", "origin"] },
          ),
        },
        optional,
      )
      .map((more): PendingWrite => ({ ...begun, ...more })),
  );
const state: fc.Arbitrary<RoutingState> = fc
  .record({
    lineage: text,
    serial: fc.nat(),
    target: fc.record({ origin: text, basePath: fc.string(), project: text }),
    salt: text,
    records: fc.array(fc.tuple(address, known)).map((entries) => new Map(entries)),
    pending: fc.array(fc.tuple(address, pending)).map((entries) => new Map(entries)),
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
      records: new Map([["topic/a", { id: "1", fingerprint: "", origin: "created", time: TIME }]]),
    });
    for (let length = 0; length < whole.trimEnd().length; length += 1) {
      expect(thrown(whole.slice(0, length))).toMatchObject({
        name: "UsageError",
        message: expect.stringMatching(/^state\.json is (?:empty|not valid JSON)/u),
      });
    }
  });

  const TIME = "2026-08-20T12:00:00.000Z";
  const with_ = (fields: object) =>
    JSON.stringify({ ...JSON.parse(stateText(newState(TARGET, "l", "s"))), ...fields });
  const record = { id: "1", fingerprint: "", origin: "created", time: TIME };

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
    [with_({ salt: "" }), "without salt", /is damaged: salt: /u],
    [
      with_({ records: { topic: record } }),
      "with an odd address",
      /damaged: line 1: records > topic: /u,
    ],
    [with_({ records: { "topic/a/b": record } }), "with a long one", /> topic\/a\/b: /u],
    [
      with_({ records: { "topic/a": { ...record, id: "" } } }),
      "with no id",
      /records > topic\/a > id: /u,
    ],
    [
      with_({ pending: { "topic/a": { phase: "done" } } }),
      "with an odd create",
      /pending > topic\/a > /u,
    ],
  ])("%s is refused: %s", (source, _, message) => {
    const error = thrown(source);
    expect(error).toMatchObject({ name: "UsageError", message: expect.stringMatching(message) });
    expect(error).toHaveProperty("facts.done", "The state was not changed, and nothing was sent.");
  });

  it.each(["topic/%zz", "topic/100%", "topic/a%2fb"])(
    "names the line of the address %s, which no resource has",
    (address) => {
      const { records, ...whole } = JSON.parse(with_({ records: { [address]: record } }));
      const error = thrown(JSON.stringify({ ...whole, records }, undefined, 1));
      expect(error).toMatchObject({ exit: "usage" });
      expect(error.message).toBe(
        `state.json is damaged: line 14: records > ${address}: not a valid address`,
      );
    },
  );

  it("loses the fields of an unknown name", () => {
    const odd = with_({
      bodies: ["secret"],
      records: { "topic/a": { ...record, body: "secret" } },
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
