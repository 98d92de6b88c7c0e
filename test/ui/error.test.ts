import { describe, expect, it, onTestFinished, vi } from "vitest";
import {
  AuthError,
  type ErrorFacts,
  NotFoundError,
  PartialError,
  RejectedError,
  ServiceError,
  UsageError,
} from "../../src/errors.ts";
import { forgetSecrets, registerSecret } from "../../src/secrets/secret.ts";
import { errorJson, renderError } from "../../src/ui/error.ts";
import { type Paint, unpainted } from "../../src/ui/paint.ts";
import { suggest } from "../../src/values/suggested-command.ts";
import { HOSTILE } from "./hostile.ts";
import { NOW } from "./list-fixture.ts";

function shown(error: unknown, width = 80, paint: Paint = unpainted): string {
  return `\n${renderError(error, { paint, width, now: NOW })}`;
}

const REFUSED = new RejectedError("The service refused the topic (422)", {
  status: 422,
  issues: [
    {
      in: "body",
      name: "name",
      value: "ops alerts",
      detail: "only letters, digits and dashes are allowed",
      flag: "--name",
    },
  ],
  done: "Nothing was created.",
  suggestion: suggest("notify topics create", ["ops-alerts"]),
  requestId: "89eb1ffb-55d1",
});

it("keeps its own words where a secret is the same word, and hides the secret in texts and data", () => {
  onTestFinished(forgetSecrets);
  for (const word of ["detail", "issues", "flag", "remedy"]) registerSecret(word);
  const error = new RejectedError("Refused", {
    detail: "The detail is hidden",
    remedy: "Fix it.",
    issues: [{ flag: "--name", name: "name", value: 5, detail: "must be text" }],
    data: { detail_of: 1 },
    problem: { my_remedy: "x" },
  });
  const text = shown(error);
  expect(text).toContain("The [redacted] is hidden");
  expect(text).toContain("--name 5: must be text");
  expect(text).toContain("Fix it.");
  expect(errorJson(error).error).toMatchObject({
    detail: "The [redacted] is hidden",
    remedy: "Fix it.",
    issues: [{ flag: "--name", detail: "must be text" }],
    "[redacted]_of": 1,
    problem: { "my_[redacted]": "x" },
  });
});

it("names the key within an option that several inputs share, and no value where none was given", () => {
  const issues = [
    { flag: "--metadata", name: "metadata.region", value: null, detail: "is required" },
    { flag: "--secret", name: "secrets.awsKeyId", value: "[redacted]", detail: "is required" },
    { flag: "--metadata", name: "metadata", value: 5, detail: "must be an object" },
    { flag: "--name", name: "name.first", value: "x", detail: "is refused" },
  ];
  const text = shown(new RejectedError("Refused (422)", { issues }));
  expect(text).toContain("--metadata region: is required\n");
  expect(text).toContain("--secret awsKeyId: is required\n");
  expect(text).toContain("--metadata 5: must be an object\n");
  expect(text).toContain('--name "x": is refused\n');
});

describe("an error at a terminal", () => {
  it("names the option, what was done, what to try and the request", () => {
    expect(shown(REFUSED)).toMatchInlineSnapshot(`
      "
      ✗ The service refused the topic (422)
        --name "ops alerts": only letters, digits and dashes are allowed
        Nothing was created.
        Try: amp notify topics create ops-alerts
        Request ID: 89eb1ffb-55d1
      "
    `);
  });

  it("shows no value for an input that the service reports as null", () => {
    const issues = [
      { in: "body", name: "metadata.url", flag: "--url", value: null, detail: "required" },
    ];
    const error = new ServiceError("Refused (422)", { issues });
    expect(shown(error)).toContain("  --url: required\n");
  });

  it("shows all facts in the order of use, within the width", () => {
    const facts: ErrorFacts = {
      detail: "Upstream said no.",
      title: "Not shown beside a detail",
      causes: [
        "Upstream said no.",
        "the quota of this project is used up until the end of the month, as agreed",
      ],
      remedy: "Ask for a higher quota.",
      done: "It was not sent again.",
      suggestion: [
        suggest("notify state resolve", ["a"], { id: { placeholder: "id" } }),
        suggest("notify state resolve", ["a"], { notCreated: true }),
      ],
      href: "https://docs.example.com/problems/quota-exceeded-and-what-to-do-about-it-in-the-long-run",
      retryAfter: "2026-08-01T12:05:00Z",
      requestId: "89eb1ffb#87715 it's",
      issues: [
        { in: "query", name: "groupRef", value: { a: [1] } },
        { name: "metadata.url", detail: "must begin with https://" },
        { in: "body", detail: "no JSON" },
        { value: "x".repeat(200), flag: "--url" },
        { detail: "nameless" },
      ],
    };
    expect(shown(new ServiceError("The service is busy", facts))).toMatchInlineSnapshot(`
      "
      ✗ The service is busy
        groupRef (query) {"a":[1]}: not accepted
        metadata.url: must begin with https://
        body: no JSON
        --url "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…: not
        accepted
        nameless
        Upstream said no.
        Cause: the quota of this project is used up until the end of the month, as
        agreed
        It was not sent again.
        Ask for a higher quota.
        Try: amp notify state resolve a --id <id>
             amp notify state resolve a --not-created
        Try again in 5 min, after 12:05:00.
        See https://docs.example.com/problems/quota-exceeded-and-what-to-do-about-it-in-the-long-run
        Request ID: '89eb1ffb#87715 it'\\''s'
      "
    `);
  });

  it("shows the title where the service gives no detail", () => {
    expect(shown(new ServiceError("Failed", { title: "Quota exceeded" }))).toContain(
      "Quota exceeded",
    );
  });

  it("gives each contact for support a line where a terminal would break an address", () => {
    const [supportEmail, supportUrl] = [
      "help@example.com",
      `https://example.com/${"a".repeat(45)}`,
    ];
    const error = new RejectedError("Refused", { problem: { supportEmail, supportUrl } });
    expect(shown(error)).toContain(`  Support: ${supportEmail}\n  Support: ${supportUrl}\n`);
  });

  it("shows what a problem document has for the reader and for support", () => {
    const facts: ErrorFacts = {
      title: "Quota exceeded",
      type: "https://errors.example/quota",
      issues: [
        { in: "body", name: "name", detail: "taken", remedy: "Choose another.", requestId: "i 1" },
      ],
      problem: {
        instance: "/errors/1",
        supportEmail: "help@example.com",
        supportPhone: "+1 555",
        supportUrl: "https://help.example",
        context: { limit: 5, of: { plan: "free\u001b[2J" }, list: ["a", "b"] },
      },
      requestId: "r-1",
    };
    const error = new RejectedError("Refused", facts);
    expect(shown(error)).toMatchInlineSnapshot(`
      "
      ✗ Refused
        name (body): taken. Choose another. (request ID 'i 1')
        Quota exceeded
        Problem type: https://errors.example/quota
        Context: limit = 5 · of = {"plan":"free\\u001b[2J"} · list = a, b
        Support: help@example.com · +1 555 · https://help.example
        Instance: /errors/1
        Request ID: r-1
      "
    `);
    expect(errorJson(error).error).toMatchObject({
      problem: facts.problem,
      issues: facts.issues,
      type: facts.type,
    });
    expect(shown(new RejectedError("R", { ...facts, detail: "Why" }))).not.toContain(
      "Problem type",
    );
    expect(shown(new RejectedError("R", { type: "about:blank" }))).toBe("\n✗ R\n");
  });

  it("keeps the context of a problem short", () => {
    const context = Object.fromEntries(
      Array.from({ length: 20 }, (_, at) => [`key${at}`, "x".repeat(500)]),
    );
    const text = shown(new RejectedError("Refused", { problem: { context } }));
    expect(text.length).toBeLessThan(1_400);
    expect(text).toContain("and 12 more");
  });

  it("folds suggested commands so that a shell still accepts them", () => {
    const address = `event-route/${"long-".repeat(12)}/x`;
    const suggestion = suggest("notify state resolve", [address], { notCreated: true });
    expect(shown(new PartialError("Stopped", { suggestion }), 60)).toBe(
      `\n✗ Stopped\n  Try: amp notify state resolve \\\n         ${address} \\\n         --not-created\n`,
    );
  });

  it("indents wrapped lines below the mark", () => {
    const error = new PartialError(
      "event-route/customer-lifecycle/connection.error: no answer within 30 s",
      { detail: "If it exists:   one\nIf it does not: two" },
    );
    expect(shown(error, 40)).toMatchInlineSnapshot(`
      "
      ✗ event-route/customer-lifecycle/connect
        ion.error: no answer within 30 s
        If it exists:   one
        If it does not: two
      "
    `);
  });

  it("says to try again if the time of a retry has passed or cannot be read", () => {
    for (const [retryAfter, told] of [
      ["soon", "soon"],
      ["2026-08-01T11:00:00Z", "11:00:00"],
    ] as const) {
      expect(shown(new ServiceError("busy", { retryAfter }))).toContain(`Try again after ${told}.`);
    }
  });

  it("shows the time of a retry by the reader's clock, with the day if it is not today", () => {
    vi.stubEnv("TZ", "Asia/Kolkata");
    onTestFinished(() => void vi.unstubAllEnvs());
    const told = (retryAfter: string) => shown(new ServiceError("busy", { retryAfter }));
    expect(told("2026-08-01T13:00:05Z")).toContain("again in 1 h, after 18:30:05.");
    expect(told("2026-08-01T12:00:09Z")).toContain("again in 9 s, after 17:30:09.");
    expect(told("2026-08-01T18:30:00Z")).toContain("in 6 h 30 min, after 2026-08-02 00:00:00.");
  });

  it("names the request by the service's name and amp's own, once where they are the same", () => {
    const told = (facts: ErrorFacts) => shown(new ServiceError("busy", facts));
    expect(told({ requestId: "r1", clientRequestId: "c1" })).toBe(
      "\n✗ busy\n  Request ID: r1\n  Client request ID: c1\n",
    );
    expect(told({ requestId: "c1", clientRequestId: "c1" })).toBe("\n✗ busy\n  Request ID: c1\n");
    expect(told({ clientRequestId: "c1" })).toBe("\n✗ busy\n  Client request ID: c1\n");
  });

  it("keeps what only support reads of a 404 for --debug, and says nothing twice", () => {
    const facts: ErrorFacts = {
      status: 404,
      detail: 'There is no project "acmee".',
      problem: { instance: "urn:1", context: { id: "acmee" }, supportEmail: "help@example.com" },
      ...{ requestId: "r1", clientRequestId: "c1" },
    };
    const error = (more: ErrorFacts = {}) =>
      new NotFoundError('Could not list the topics: project "acmee" not found (404)', {
        ...facts,
        ...more,
      });
    const [first] = shown(error()).trim().split("\n");
    expect(shown(error())).toBe(`\n${first}\n  Request ID: r1\n`);
    expect(shown(error({ detail: "Not Found" }))).toBe(`\n${first}\n  Request ID: r1\n`);
    const told = { detail: "It was archived.", requestId: "" };
    expect(shown(error(told))).toContain(`${told.detail}\n  Client request ID: c1\n`);
    const whole = renderError(error(), { paint: unpainted, width: 80, now: NOW, debug: true });
    for (const part of [facts.detail, "id = acmee", "help@", "urn:1", "ID: r1", "ID: c1"]) {
      expect(whole).toContain(part);
    }
    expect(errorJson(error()).error).toMatchObject(facts);
  });

  it("calls anything else a bug, and says how to report it", () => {
    expect(shown(new TypeError("x is not a function"))).toMatchInlineSnapshot(`
      "
      ✗ Unexpected error: x is not a function
        This is a bug in amp. Please report it with the output of the same command
        with --debug.
      "
    `);
    for (const thrown of [undefined, "text", { a: 1 }, new Error("")]) {
      expect(shown(thrown)).toContain("bug in amp");
    }
  });

  it.each(Object.entries(HOSTILE))("escapes control characters in %s", (_name, text) => {
    const facts: ErrorFacts = {
      detail: text,
      causes: [text],
      remedy: text,
      done: text,
      suggestion: suggest("apps get", [text]),
      href: text,
      retryAfter: text,
      requestId: text,
      issues: [{ in: text, name: text, value: text, detail: text }],
    };
    for (const error of [new AuthError(text, facts), new Error(text)]) {
      const told = renderError(error, { paint: unpainted, width: 60, now: NOW });
      expect(told.replaceAll("\n", "")).not.toMatch(/\p{Cc}/u);
      expect(told).not.toMatch(/\u202e|\u2066|\u200b|[\u{e0000}-\u{e007f}]/u);
      expect(told).not.toMatch(/^\s*::|##\[|##vso\[/imu);
    }
  });
});

describe("an error as JSON", () => {
  it("has every known fact and no empty fields", () => {
    expect(errorJson(REFUSED)).toEqual({
      error: {
        code: "rejected",
        message: "The service refused the topic (422)",
        exitCode: 6,
        status: 422,
        issues: REFUSED.facts.issues,
        suggestion: "amp notify topics create ops-alerts",
        requestId: "89eb1ffb-55d1",
        done: "Nothing was created.",
      },
    });
    expect(errorJson(new UsageError("no"))).toEqual({
      error: { code: "usage", message: "no", exitCode: 2 },
    });
  });

  it("adds further data, which replaces nothing", () => {
    const error = new PartialError("some", {
      status: 500,
      data: { created: ["a"], message: "other", status: 1, code: "x" },
    });
    expect(errorJson(error)).toEqual({
      error: { code: "partial", message: "some", exitCode: 9, status: 500, created: ["a"] },
    });
  });

  it("gives a bug its own code", () => {
    const { error } = errorJson(new TypeError("x"));
    expect(error).toMatchObject({ code: "unexpected", exitCode: 1 });
    expect(error.message).toContain("x");
    expect(error.remedy).toContain("--debug");
  });
});
