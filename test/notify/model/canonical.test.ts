import { describe, expect, it } from "vitest";
import {
  canonical,
  isHidden,
  isSame,
  normalizedName,
} from "../../../src/notify/model/canonical.ts";
import { REDACTED, Secret } from "../../../src/secrets/secret.ts";

const URL = "https://hooks.acme.com/a/b?x=1";

describe("spelling does not count", () => {
  it.each<[string, unknown, unknown]>([
    ["the case of scheme and host", URL, "HTTPS://Hooks.Acme.Com/a/b?x=1"],
    ["the case of the host of another scheme", "amqp://Mq.example/v", "amqp://mq.example/v"],
    ["the default port", URL, "https://hooks.acme.com:443/a/b?x=1"],
    ["a slash at the end", URL, "https://hooks.acme.com/a/b/?x=1"],
    ["a slash after the host", "https://a.example", "https://a.example/"],
    ["needless percent-encoding", URL, "https://hooks.acme.com/%61/b?x=%31"],
    ["percent-encoding in small letters", "https://a.example/%c3%a4%2f", "https://a.example/ä%2F"],
    ["blanks around a text", "us-east-1", " us-east-1 "],
    ["how a letter is composed", "caf\u00e9", "cafe\u0301"],
    ["the order of a list of texts, which is a set", ["a", "b"], ["b", "a"]],
    ["the order of fields", { a: 1, b: { c: 2, d: 3 } }, { b: { d: 3, c: 2 }, a: 1 }],
    ["a field that is absent, or null", { a: 1 }, { a: 1, b: null, c: undefined }],
    ["a field with an empty object", { a: 1 }, { a: 1, headers: {}, deep: { deeper: null } }],
    ["nothing at all", undefined, { headers: null }],
  ])("%s", (_, one, other) => {
    expect(isSame(one, other)).toBe(true);
  });

  it.each<[string, unknown, unknown]>([
    ["another host", URL, "https://other.acme.com/a/b?x=1"],
    ["another scheme", URL, "http://hooks.acme.com/a/b?x=1"],
    ["another port", URL, "https://hooks.acme.com:8443/a/b?x=1"],
    ["another path", URL, "https://hooks.acme.com/a/c?x=1"],
    ["the case of a path", URL, "https://hooks.acme.com/a/B?x=1"],
    ["a path of one part, with an encoded slash", URL, "https://hooks.acme.com/a%2Fb?x=1"],
    ["another query", URL, "https://hooks.acme.com/a/b?x=2"],
    ["no query", URL, "https://hooks.acme.com/a/b"],
    ["another user", "https://u@a.example", "https://v@a.example"],
    ["another password", "https://u:p@a.example", "https://u:q@a.example"],
    ["another fragment", `${URL}#a`, `${URL}#b`],
    ["the case of a text", "us-east-1", "US-EAST-1"],
    ["a slash at the end of a text", "logs", "logs/"],
    ["the order of a list of objects", [{ a: 1 }, { b: 2 }], [{ b: 2 }, { a: 1 }]],
    ["the order of a list of numbers", [1, 2], [2, 1]],
    ["a text twice in a list", ["a"], ["a", "a"]],
    ["a number as a text", 5, "5"],
    ["false, and nothing", { a: false }, {}],
    ["an empty text, and nothing", { a: "" }, {}],
    ["an empty list, and nothing", { a: [] }, {}],
    ["a further field", { a: 1 }, { a: 1, b: 2 }],
    ["the case of a field", { Team: 1 }, { team: 1 }],
  ])("but this does: %s", (_, one, other) => {
    expect(isSame(one, other)).toBe(false);
  });
});

it("a secret counts by its value", () => {
  expect(canonical(new Secret("hunter2"))).toBe(canonical("hunter2"));
  expect(isSame(new Secret("hunter2"), new Secret("hunter3"))).toBe(false);
  expect(isSame({ key: new Secret("hunter2") }, { key: new Secret("hunter3") })).toBe(false);
});

it.each<[string, unknown, boolean]>([
  ["a redacted text", `Bearer ${REDACTED}`, true],
  ["stars", "https://hooks.acme.com/***", true],
  ["bullets, in an object", { headers: { token: "•••" } }, true],
  ["an ellipsis, in a list", ["a", "ab…"], true],
  ["a text", "a*b", false],
  ["nothing", null, false],
])("%s in place of a value: %s %s", (_, value, expected) => {
  expect(isHidden(value)).toBe(expected);
});

it("compares names without case, blanks around them, and how letters are composed", () => {
  expect(normalizedName(" Caf\u00e9")).toBe(normalizedName("cafe\u0301"));
  expect(normalizedName("ops-2")).not.toBe(normalizedName("ops"));
});
