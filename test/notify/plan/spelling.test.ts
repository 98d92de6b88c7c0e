import { describe, expect, it } from "vitest";
import { isSpelling } from "../../../src/notify/plan/diff.ts";
import { normalizedSpelling } from "../../../src/notify/plan/spelling.ts";
import { REDACTED } from "../../../src/secrets/secret.ts";

const URL = "https://hooks.acme.com/a/b?x=1";

describe("the service's own spelling of a value", () => {
  it.each<[string, unknown, unknown]>([
    ["case of scheme and host", URL, "HTTPS://Hooks.Acme.Com/a/b?x=1"],
    ["default port", URL, "https://hooks.acme.com:443/a/b?x=1"],
    ["slash at the end", URL, "https://hooks.acme.com/a/b/?x=1"],
    ["percent-encoding", URL, "https://hooks.acme.com/%61/b?x=%31"],
    ["percent-encoding in other letters", "https://a.example/%c3%a4%2f", "https://a.example/ä%2F"],
    ["a host of another scheme", "amqp://Mq.example/v", "amqp://mq.example/v"],
    ["case of a text, and blanks", "us-east-1", " US-EAST-1 "],
    ["a number as text", 5, "5"],
    ["a further header", { A: "1" }, { A: "1", B: "2" }],
    ["names of headers in another case, which are not shown", { "X-Team": "a" }, { "x-team": "a" }],
    ["a mask", URL, "https://hooks.acme.com/***"],
    ["a redacted value", { Authorization: "Bearer x" }, { Authorization: REDACTED }],
    ["nothing", URL, undefined],
  ])("%s", (_, sent, listed) => {
    expect(isSpelling(sent, listed)).toBe(true);
  });

  it.each<[string, unknown, unknown]>([
    ["another host", URL, "https://other.acme.com/a/b?x=1"],
    ["another scheme", URL, "http://hooks.acme.com/a/b?x=1"],
    ["another port", URL, "https://hooks.acme.com:8443/a/b?x=1"],
    ["another path", URL, "https://hooks.acme.com/a/B?x=1"],
    ["a path that is encoded as one part", URL, "https://hooks.acme.com/a%2Fb?x=1"],
    ["another query", URL, "https://hooks.acme.com/a/b?x=2"],
    ["no query", URL, "https://hooks.acme.com/a/b"],
    ["another user", "https://u@a.example", "https://v@a.example"],
    ["another text", "logs", "logs-2"],
    ["another order", ["a", "b"], ["b", "a"]],
    ["another header", { A: "1" }, { A: "2" }],
  ])("is not %s", (_, sent, listed) => {
    expect(isSpelling(sent, listed)).toBe(false);
  });
});

it("compares names by their letters, however these are encoded", () => {
  expect(normalizedSpelling(" Caf\u00e9")).toBe(normalizedSpelling("cafe\u0301"));
});
