import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { jwtExpiry, parseSecret } from "../../src/account/credential.ts";
import { UsageError } from "../../src/errors.ts";

describe("parseSecret", () => {
  it("trims spaces around a copied value", () => {
    expect(parseSecret(" \n key-1 \r\n", "AMP_API_KEY").reveal()).toBe("key-1");
    expect(parseSecret("\uFEFFclé", "AMP_API_KEY").reveal()).toBe("clé");
  });

  it.each([
    ["", /is empty/u],
    [" \n", /is empty/u],
    ["hid\nden", /control character/u],
    ["hid\u0000den", /control character/u],
    ["hid\u009fden", /control character/u],
    ["hid…den", /that HTTP headers do not allow/u],
    ["hid👩den", /that HTTP headers do not allow/u],
    ["sgamp_hidden", /another tool/u],
  ])("refuses %j", (text, message) => {
    expect(() => parseSecret(text, "AMP_API_KEY")).toThrow(UsageError);
    expect(() => parseSecret(text, "AMP_API_KEY")).toThrow(message);
    expect(() => parseSecret(text, "AMP_API_KEY")).toThrow(/^AMP_API_KEY /u);
    expect(() => parseSecret(text, "AMP_API_KEY")).not.toThrow(/hid/u);
  });

  it("accepts only characters that a header allows", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        try {
          new Headers({ "X-Api-Key": parseSecret(text, "it").reveal() });
        } catch (error) {
          expect(error).toBeInstanceOf(UsageError);
        }
      }),
    );
  });
});

describe("jwtExpiry", () => {
  const token = (claims: string) => `e30.${Buffer.from(claims).toString("base64url")}.sig`;

  it("reads when a token ends", () => {
    expect(jwtExpiry(token('{"sub":"ü","exp":1767225600}'))).toEqual(
      new Date("2026-01-01T00:00:00Z"),
    );
  });

  it.each([
    "",
    "a.b",
    "a.b.c",
    token("null"),
    token("7"),
    token("{}"),
    token('{"exp":"soon"}'),
    token('{"exp":1e300}'),
  ])("returns nothing for %j", (text) => expect(jwtExpiry(text)).toBeUndefined());
});
