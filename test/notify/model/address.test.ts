import fc from "fast-check";
import { expect, it } from "vitest";
import { addressOf, addressParts } from "../../../src/notify/model/address.ts";

it("splits an address into its names", () => {
  const names = fc.oneof(fc.string(), fc.constantFrom("a/b", "a%2Fb", "%25", "%", "/"));
  fc.assert(
    fc.property(names, names, (one, other) => {
      expect(addressParts(addressOf("topic", one))).toEqual({ kind: "topic", names: [one] });
      expect(addressParts(addressOf("event-route", one, other))).toEqual({
        kind: "event-route",
        names: [one, other],
      });
      expect(addressParts(addressOf("destination-route", one, other)).names).toEqual([one, other]);
    }),
  );
});
