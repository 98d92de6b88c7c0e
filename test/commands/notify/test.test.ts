import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { ROOT } from "../../built.ts";
import { SECRET, startReceiver } from "../../events/webhooks/receivers.ts";
import { run, withoutWaitLines } from "../../harness.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

const ROUTING = `version: 1
destinations:
  ops: { type: webhook, metadata: { url: https://hooks.acme.com/amp } }
  pager: { type: webhook, metadata: { url: https://pager.acme.com/amp } }
  archive:
    type: kinesis
    metadata: { streamName: events, region: us-east-1 }
    secrets: { awsKeyId: env:ARCHIVE_KEY, awsSecretKey: env:ARCHIVE_SECRET }
  old: { id: dst_0a1b2c3d }
topics:
  trouble: { events: [connection.error], destinations: [ops] }
  twice: { events: [connection.error], destinations: [pager, pager] }
  again: { events: [connection.error], destinations: [pager] }
  health: { events: [destination.webhook.disabled], destinations: [pager, archive] }
  kept: { events: [installation.created], destinations: [archive, old] }
`;

const OPEN: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of OPEN.splice(0)) await close();
});

/** Runs cases about {@link ROUTING}, by default as JSON. */
async function cases(text: string, more: readonly string[] = ["--json"], routing = ROUTING) {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, "routing.yaml"), routing);
  writeFileSync(join(cwd, "routing.test.yaml"), `cases:\n${text}`);
  const env = {
    OWN_SECRET: SECRET,
    NO_COLOR: "1",
    AMP_BASE_URL: undefined,
    AMP_API_KEY: undefined,
  };
  const world = { cwd, env, now: new Date(), columns: 80 };
  const outcome = await run(["notify", "test", ...more], { ...world, tty: more.length === 0 });
  expect(outcome.requests).toEqual([]);
  return { ...outcome, cwd };
}

/** The first problem of each case; undefined where all holds. */
async function problems(text: string): Promise<(string | undefined)[]> {
  const outcome = await cases(text);
  const { cases: all } = outcome.json() as {
    cases: { expectations: { message?: string }[] }[];
  };
  return all.map(({ expectations }) => expectations.find(({ message }) => message)?.message);
}

it("says of a routing file that is given as cases where it belongs", async () => {
  const outcome = await cases("", ["routing.yaml", "--json"]);
  expect(outcome).toMatchObject({ code: 2 });
  expect(outcome.error().message).toContain("this is a routing file: pass it with --file");
});

describe("a case that passes", () => {
  it.each([
    [
      "an event that arrives",
      "  - { when: connection.error, then: [{ reaches: ops, within: 5s, signed: true, times: 1 }] }",
    ],
    [
      "an event that does not",
      "  - { when: connection.error, then: [{ misses: [archive, old] }] }",
    ],
    [
      "two topics that lead to one webhook",
      "  - { when: connection.error, then: [{ reaches: pager, times: 2 }] }",
    ],
    [
      "a stream, and a destination that exists",
      "  - { when: installation.created, then: [{ reaches: [archive, old] }] }",
    ],
    [
      "a receiver that recovers",
      "  - { when: connection.error, receiver: { ops: { status: 503, times: 3 } }, then: [{ reaches: ops, within: 36m }] }",
    ],
    [
      "a receiver that only fails",
      "  - { when: connection.error, receiver: { ops: { status: 500, times: 20 } }, then: [{ disabled: ops }, { event: destination.webhook.disabled, reaches: [pager, archive] }] }",
    ],
    [
      "a receiver that disables itself",
      "  - { when: connection.error, receiver: { ops: { webhook-delivery: disable } }, then: [{ disabled: ops }] }",
    ],
    [
      "data that a read sends to a destination",
      "  - { when: read.message, with: { destination: archive }, then: [{ reaches: archive }, { misses: ops }] }",
    ],
    [
      "fields of the event",
      "  - { when: connection.error, with: { provider: salesforce, errors: [one, two] }, then: [{ reaches: ops }] }",
    ],
  ])("%s", async (_name, text) => {
    const outcome = await cases(text);
    expect(outcome.json()).toMatchObject({ failed: 0, passed: 1 });
    expect(outcome).toMatchObject({ code: 0 });
  });

  it("names a limit of less than a second in milliseconds, so that it is not rounded", async () => {
    const outcome = await cases(
      "  - { when: connection.error, then: [{ misses: archive }, { reaches: ops, within: 1ms }] }",
    );
    expect(outcome.stdout).toContain("connection.error reaches ops, within 1 ms");
  });
});

describe("an expectation that is not met is named", () => {
  it.each([
    [
      "{ when: read.backfill.done, then: [{ reaches: ops }] }",
      "it did not arrive: no topic receives read.backfill.done",
    ],
    [
      "{ when: connection.error, then: [{ reaches: archive }] }",
      "it did not arrive: topics again, trouble, twice do not route to it",
    ],
    ["{ when: connection.error, then: [{ misses: ops }] }", "it arrived by topic trouble"],
    ["{ when: connection.error, then: [{ reaches: pager, times: 1 }] }", "it arrived 2 times"],
    [
      "{ when: connection.error, receiver: { ops: { status: 500, times: 2 } }, then: [{ reaches: ops, within: 1m }] }",
      "it arrived after 5 min, with attempt 3",
    ],
    [
      "{ when: connection.error, receiver: { ops: { status: 500 } }, then: [{ reaches: ops }] }",
      "it did not arrive: all 8 attempts failed (500)",
    ],
    [
      "{ when: connection.error, receiver: { ops: { status: 500 } }, then: [{ misses: ops }] }",
      "it was sent by topic trouble, but not accepted",
    ],
    [
      "{ when: connection.error, receiver: { ops: { status: 500, webhook-delivery: abort-message } }, then: [{ reaches: ops }] }",
      "it did not arrive: the attempt failed (500)",
    ],
    [
      "{ when: connection.error, then: [{ disabled: ops }] }",
      "it is not disabled: no message to it failed",
    ],
    [
      "{ when: connection.error, then: [{ event: destination.webhook.disabled, reaches: pager }] }",
      "it did not arrive: destination.webhook.disabled was not triggered",
    ],
    [
      "{ when: connection.error, then: [{ reaches: ops, signed: false }] }",
      "its signature is valid",
    ],
    [
      "{ when: installation.created, then: [{ reaches: archive, signed: true }] }",
      "only messages to webhooks are signed",
    ],
    [
      "{ when: read.message, with: { destination: old }, then: [{ reaches: ops }] }",
      "it did not arrive: the customer's read names another destination",
    ],
  ])("%s", async (text, problem) => {
    expect(await problems(`  - ${text}`)).toEqual([problem]);
  });
});

describe("a file of test cases that is not valid", () => {
  it.each([
    [
      "  - { when: connection.error, then: [{ reaches: opps }] }",
      '2:49: the routing has no destination "opps": did you mean "ops"?',
    ],
    [
      "  - { when: conection.error, then: [{ reaches: ops }] }",
      '2:13: unknown event type "conection.error": did you mean connection.error?',
    ],
    ["  - { when: connection.error, than: [] }", '2:31: unknown key "than": did you mean then?'],
    ["  - { when: connection.error, then: [] }", "then must not be empty"],
    [
      "  - { when: connection.error, then: [{ reaches: ops, misses: pager }] }",
      "needs exactly one of reaches, misses, disabled",
    ],
    [
      "  - { when: connection.error, then: [{ misses: ops, within: 5s }] }",
      "within, signed and times apply only to reaches",
    ],
    [
      "  - { when: connection.error, then: [{ reaches: ops, within: soon }] }",
      'within: "soon" is not a valid duration',
    ],
    [
      "  - { when: connection.error, then: [{ reaches: ops, signed: maybe }] }",
      "signed must be true or false",
    ],
    [
      "  - { when: connection.error, receiver: { archive: { status: 500 } }, then: [{ reaches: ops }] }",
      '"archive" is of type kinesis, and only webhooks have receivers',
    ],
    [
      "  - { when: connection.error, receiver: { ops: { status: 5000 } }, then: [{ reaches: ops }] }",
      "status must be at most 599",
    ],
    [
      "  - { when: connection.error, then: [{ disabled: archive }] }",
      "only webhooks have receivers",
    ],
    [
      "  - { when: read.message, then: [{ reaches: ops }] }",
      "add with: { destination: ops-webhook }",
    ],
    [
      "  - { when: connection.error, then: [{ reaches: ops }] }\nto: { ops: https://hooks.acme.com/ }",
      "must be a URL on this machine",
    ],
    ["  - { when: connection.error, then: [{ reaches: ops }] }\ncases: 3", "duplicate key"],
    ["  - when: [", "routing.test.yaml:"],
    ["", "must be a list, not a single value|must not be empty|cases is missing"],
  ])("%j", async (text, message) => {
    const { code, stdout, stderr } = await cases(text, ["--no-color"]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr.replaceAll(/\s+/gu, " ")).toMatch(
      new RegExp(
        message
          .split("|")
          .map((one) => one.replaceAll(/[.*+?^${}()[\]\\]/gu, "\\$&"))
          .join("|"),
        "u",
      ),
    );
  });

  it("is reported all at once, each with line and column, also as JSON", async () => {
    const text =
      "  - { when: a.b, then: [{ reaches: x }] }\n  - { when: c.d, then: [{ misses: ops }] }";
    const outcome = await cases(text);
    expect(outcome.code).toBe(2);
    expect(outcome.error().problems).toMatchObject([
      { line: 2, column: 13 },
      { line: 2, column: 36 },
      { line: 3, column: 13 },
    ]);
  });
});

describe("a file of test cases with mistakes of form and of names", () => {
  it("is reported both at once", async () => {
    const outcome = await cases(`  - wehn: conection.error
    foo: bar
    then:
      - { reaches: opps, within: 5 parsecs, signd: true }
      - { misses: archiv, times: many }
`);
    expect(outcome.code).toBe(2);
    const { problems: all } = outcome.error() as { problems: { line: number; message: string }[] };
    expect(all.map(({ line, message }) => `${line} ${message}`)).toEqual([
      '2 unknown key "wehn": did you mean when?',
      '2 unknown event type "conection.error": did you mean connection.error?',
      '3 unknown key "foo": use name, when, with, receiver, then',
      '5 the routing has no destination "opps": did you mean "ops"?',
      expect.stringContaining("5 within: "),
      '5 unknown key "signd": did you mean signed?',
      '6 the routing has no destination "archiv": did you mean "archive"?',
      "6 times must be a whole number",
    ]);
  });
});

describe("an event type that amp does not know, and the routing has", () => {
  const routing = `version: 1
destinations:
  "Büro, alt": { id: dst_0a1b2c3d }
  ops: { type: webhook, metadata: { url: https://hooks.acme.com/amp } }
topics:
  "alte Nachrichten": { id: top_0a1b2c3d, events: [installation.paused], destinations: ["Büro, alt"] }
`;

  it("is an event type like any other, and an existing destination of any name", async () => {
    const text = `  - { when: installation.paused, then: [{ reaches: "Büro, alt", signed: true }, { misses: ops }] }`;
    const outcome = await cases(text, ["--json"], routing);
    expect(outcome).toMatchObject({ code: 0 });
    expect(outcome.json()).toMatchObject({ passed: 1, assumedWebhooks: ["Büro, alt"] });
  });

  it("is a mistake where the routing does not have it either", async () => {
    const outcome = await cases(
      "  - { when: installation.pausd, then: [{ misses: ops }] }",
      ["--json"],
      routing,
    );
    expect(outcome).toMatchObject({ code: 2 });
    expect(outcome.error().problems).toMatchObject([{ line: 2, column: 13 }]);
  });
});

const MIXED = `  - when: connection.error
    with: { provider: salesforce }
    then:
      - { reaches: ops, within: 5s, signed: true }
      - { misses: archive }
  - name: the archive hears of trouble
    when: connection.error
    then:
      - { reaches: archive }
`;

describe("the result", () => {
  it("is a line for each case, and what does not hold with its place", async () => {
    const { code, stdout, stderr } = await cases(MIXED, []);
    expect(code).toBe(8);
    expect(withoutWaitLines(stderr)).toBe(
      "Reading ./routing.yaml.\nold: the file does not specify the type, so webhooks are assumed.\n\n",
    );
    expect(stdout).toMatchSnapshot();
  });

  it("is a row for each expectation in a pipe, and the cases that failed as IDs", async () => {
    const rows = (await cases(MIXED, ["-o", "tsv"])).stdout;
    expect(rows.split("\n").map((row) => row.split("\t")[0])).toEqual(
      expect.arrayContaining(["pass", "pass", "fail"]),
    );
    expect((await cases(MIXED, ["-o", "id"])).stdout).toBe("the archive hears of trouble\n");
  });

  it("says in JSON, too, how many cases failed, and which", async () => {
    expect((await cases(MIXED)).error()).toMatchObject({
      code: "check",
      message: "1 of 2 cases failed: the archive hears of trouble",
    });
  });

  it("is written as a JUnit report, too", async () => {
    const { cwd, code } = await cases(MIXED, ["--report", "junit=cases.xml"]);
    expect(code).toBe(8);
    const xml = readFileSync(join(cwd, "cases.xml"), "utf8");
    expect(xml).toContain(
      '<testsuite name="amp notify test of routing.yaml: routing.test.yaml" tests="2" failures="1"',
    );
    expect(xml).toContain("(routing.test.yaml:10)");
  });
});

it("passes what arrives on to a receiver of one's own, as it came", async () => {
  const own = await startReceiver({ handle: () => 202, checkSignature: () => undefined });
  OPEN.push(own.close);
  const text = `  - { when: connection.error, then: [{ reaches: ops, signed: true }] }\nto: { ops: "${own.url}" }`;
  expect((await cases(text)).code).toBe(0);
  expect(own.ids).toHaveLength(1);
  expect(own.headers[0]?.["svix-signature"]).toMatch(/^v1,/u);
  await own.close();
  expect(await problems(text)).toEqual([
    "it did not arrive: all 8 attempts failed (connection refused)",
  ]);
});

it("signs again what it passes on to a receiver that verifies signatures", async () => {
  const own = await startReceiver();
  OPEN.push(own.close);
  const text = (secret: string) =>
    `  - { when: connection.error, then: [{ reaches: ops, signed: true }] }\nto: { ops: { url: "${own.url}", secret: ${secret} } }`;
  expect(await problems(text("env:OWN_SECRET"))).toEqual([undefined]);
  expect(own.ids).toHaveLength(1);
  for (const [secret, message] of [
    ["whsec_abc", "secret must be env:VARIABLE"],
    ["env:NOT_SET", "the variable NOT_SET is not set"],
  ] as const) {
    const { code, stderr } = await cases(text(secret), []);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) });
  }
});

it("says what the platform refuses of the routing", async () => {
  const routing = ROUTING.replace("  trouble: {", '  "a topic": {');
  const text = "  - { when: connection.error, then: [{ reaches: ops }] }";
  const outcome = await cases(text, ["--json"], routing);
  expect(outcome.code).toBe(2);
  expect(outcome.error().message).toContain("refuses to create");
});

it("names the file of cases that it looked for", async () => {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, "my.yaml"), ROUTING);
  const { code, stderr } = await run(["notify", "test", "-f", "my.yaml"], { cwd });
  expect(code).toBe(2);
  expect(stderr).toContain("Test cases not found: my.test.yaml does not exist");
  expect(stderr).toContain("  - when: connection.error\n");
  expect(stderr).toContain("    then: [{ reaches: pager }]\n");
  expect(stderr).not.toContain("Did you mean");
});

it("has a JSON Schema, which the cases of docs/testing.md fit", async () => {
  const { stdout, code } = await run(["notify", "schema", "--tests"]);
  expect(code).toBe(0);
  const validate = new Ajv2020({ strict: false }).compile(JSON.parse(stdout));
  const docs = readFileSync(join(ROOT, "docs/testing.md"), "utf8");
  const [, example = ""] = /^```yaml\n(cases:.*?)^```/msu.exec(docs) ?? [];
  expect(validate(parse(example)), JSON.stringify(validate.errors)).toBe(true);
  for (const then of ["[]", "[{ reaches: 3 }]", "[{ reach: ops }]"]) {
    expect(validate(parse(`cases: [{ when: connection.error, then: ${then} }]`))).toBe(false);
  }
});
