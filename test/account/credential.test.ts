import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseBaseUrl } from "../../src/account/base-url.ts";
import { credentialForOrigin, jwtExpiry, parseSecret } from "../../src/account/credential.ts";
import {
  SANDBOX_CREDENTIAL,
  SANDBOX_PROFILE,
  type StoredCredential,
} from "../../src/account/profiles.ts";
import { AuthError, UsageError } from "../../src/errors.ts";
import { SANDBOX_API_KEY, SANDBOX_DEFAULTS } from "../../src/sandbox/defaults.ts";
import { Secret } from "../../src/secrets/secret.ts";

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

describe("credentialForOrigin", () => {
  const key: StoredCredential = {
    kind: "api-key",
    secret: new Secret("hidden"),
    origin: "https://api.example.com",
  };

  it("gives a key for the origin that it was saved for", () => {
    expect(credentialForOrigin("production", { origin: "https://api.example.com" }, key)).toBe(key);
  });

  it.each([
    "https://api.example.com:8443",
    "http://api.example.com",
    "https://api.example.com.evil.example",
  ])("gives none for %s, and names both", (origin) => {
    const ask = () => credentialForOrigin("production", { origin }, key);
    expect(ask).toThrow(AuthError);
    expect(ask).toThrow(`The API key of profile production cannot be used for ${origin}`);
    try {
      ask();
    } catch (error) {
      expect((error as AuthError).facts.detail).toBe("It was saved for https://api.example.com.");
    }
  });

  it("refuses a profile without a saved credential", () => {
    expect(() => credentialForOrigin("production", key, undefined)).toThrow(AuthError);
  });
});

it("the built-in profile is that of the sandbox", () => {
  const { host, port, project, org, integration } = SANDBOX_DEFAULTS;
  const baseUrl = `http://${host}:${port}/v1`;
  expect(SANDBOX_PROFILE).toEqual({ baseUrl, credential: "api-key", project, org, integration });
  expect(SANDBOX_CREDENTIAL.secret.reveal()).toBe(SANDBOX_API_KEY);
  expect(SANDBOX_CREDENTIAL.origin).toBe(parseBaseUrl(baseUrl).origin);
});
