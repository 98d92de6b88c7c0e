import fc from "fast-check";
import { expect, it } from "vitest";
import {
  fingerprint,
  sameFingerprint,
  UNKNOWN_FINGERPRINT,
} from "../../../src/notify/state/fingerprint.ts";
import { Secret } from "../../../src/secrets/secret.ts";

const body = {
  name: "ops",
  type: "webhook",
  metadata: { url: "https://a.test", headers: { b: "1" } },
};

it("a fingerprint stays the same from run to run", () => {
  expect(fingerprint("salt", body)).toBe(
    "d6841ab0854eb65033510efcf4f1ceca5a66f545538c0b6a608675a586569179",
  );
});

it("a fingerprint does not depend on the order of fields, nor on fields that are not sent", () => {
  const turned = {
    metadata: { headers: { b: "1" }, url: "https://a.test" },
    secrets: undefined,
    type: "webhook",
    name: "ops",
  };
  expect(fingerprint("salt", turned)).toBe(fingerprint("salt", body));
});

it("a fingerprint differs if salt, values, names, lists or types differ", () => {
  const bodies = [
    body,
    { ...body, name: "op" },
    { ...body, list: ["a", "b"] },
    { ...body, list: ["b", "a"] },
  ];
  const odd = [{ a: "1" }, { a: 1 }, { a: null }, {}, [], ["a"], [["a"]], { a: ["a"] }, "a", '"a"'];
  const prints = [...bodies, ...odd].flatMap((each) => [
    fingerprint("salt", each),
    fingerprint("pepper", each),
  ]);
  expect(new Set(prints).size).toBe(prints.length);
});

it("a fingerprint counts secrets by their value, and reveals none", () => {
  const one = { secrets: { password: new Secret("hunter2") } };
  const other = { secrets: { password: new Secret("hunter3") } };
  expect(fingerprint("salt", one)).not.toBe(fingerprint("salt", other));
  expect(fingerprint("salt", one)).toBe(fingerprint("salt", { secrets: { password: "hunter2" } }));
  expect(fingerprint("salt", one)).toMatch(/^[\da-f]{64}$/u);
});

it("a fingerprint is the same for equal JSON, and for no other", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
      const parsed: unknown = JSON.parse(JSON.stringify(a));
      expect(fingerprint("salt", a)).toBe(fingerprint("salt", parsed));
      const equal = fingerprint("salt", a) === fingerprint("salt", b);
      if (equal) expect(a).toEqual(b);
    }),
  );
});

it("a fingerprint of an unknown body agrees with every other", () => {
  expect(sameFingerprint(UNKNOWN_FINGERPRINT, "a")).toBe(true);
  expect(sameFingerprint("a", "a")).toBe(true);
  expect(sameFingerprint("a", "b")).toBe(false);
});
