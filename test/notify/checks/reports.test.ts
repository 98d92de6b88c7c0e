import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { CheckFinding, CheckResult } from "../../../src/documents/notify.ts";
import { invalidResult, REPORTS, reportedPath } from "../../../src/notify/checks/reports.ts";
import { chosenRoutingRules } from "../../../src/notify/checks/rules.ts";
import { sarifLog } from "../../sarif-log.ts";
import { HOSTILE } from "../../ui/hostile.ts";

const REQUIRED: CheckFinding = {
  rule: "required-event",
  severity: "error",
  message: "The required event type a.b reaches no destination.",
  remedy: "Add it.",
  line: 2,
  column: 11,
};
const UNKNOWN: CheckFinding = {
  rule: "unknown-event",
  severity: "warning",
  message: "Topic t receives the unknown event type a.b.",
  remedy: "Correct it.",
};

function resultOf(findings: readonly CheckFinding[]): CheckResult {
  return {
    file: "routing.yaml",
    project: "acme inc",
    errors: 0,
    warnings: 0,
    findings,
    rules: chosenRoutingRules({
      rule: ["required-event", "topic-without-events", "unknown-event"],
      skip: [],
    }),
    unchecked: [{ rule: "missing-read-destination", reason: "a file does not contain the reads" }],
  };
}

const FACTS = { command: "check", strict: false } as const;

async function sarifOf(findings: readonly CheckFinding[], file?: string) {
  const written = await REPORTS.sarif([{ result: resultOf(findings), file }]);
  return sarifLog.parse(JSON.parse(written)).runs[0];
}

describe("the SARIF report", () => {
  it("has line and column of each finding, and the index of its rule", async () => {
    const { results, tool } = await sarifOf([REQUIRED, UNKNOWN], "conf/routing.yaml");
    expect(results).toEqual([
      {
        level: "error",
        ruleId: "required-event",
        ruleIndex: 0,
        message: { text: "The required event type a.b reaches no destination. Add it." },
        locations: [
          {
            physicalLocation: {
              artifactLocation: { uri: "conf/routing.yaml", index: 0 },
              region: { startLine: 2, startColumn: 11 },
            },
          },
        ],
      },
      // A finding without a place is one of the whole file.
      expect.objectContaining({
        level: "warning",
        ruleIndex: 2,
        locations: [
          expect.objectContaining({
            physicalLocation: expect.objectContaining({ region: { startLine: 1, startColumn: 1 } }),
          }),
        ],
      }),
    ]);
    expect(tool.driver.rules.map(({ id }) => id)).toEqual([
      "required-event",
      "topic-without-events",
      "unknown-event",
    ]);
  });

  it("names the project of a live routing, and has no result where nothing was found", async () => {
    const [live] = (await sarifOf([UNKNOWN])).results;
    expect(live).toMatchObject({ ruleId: "unknown-event" });
    // GitHub refuses the whole report where a result has no place.
    expect(live?.locations[0].physicalLocation).toMatchObject({
      artifactLocation: { uri: "projects/acme%20inc/routing" },
      region: { startLine: 1, startColumn: 1 },
    });
    expect((await sarifOf([], "routing.yaml")).results).toEqual([]);
  });

  it("keeps any file name a URI", async () => {
    const [result] = (await sarifOf([REQUIRED], "sp ace/ü#?:%.yaml")).results;
    expect(result?.locations?.[0].physicalLocation.artifactLocation.uri).toBe(
      "sp%20ace/%C3%BC%23%3F%3A%25.yaml",
    );
  });
});

describe("the JUnit report", () => {
  const junit = (findings: readonly CheckFinding[], strict = false) =>
    REPORTS.junit([{ result: resultOf(findings), file: "routing.yaml" }], {
      command: "check",
      strict,
    });

  it("has a case for each finding, each rule that holds, and each that was not checked", async () => {
    expect(await junit([REQUIRED, UNKNOWN])).toMatchInlineSnapshot(`
      "<?xml version="1.0" encoding="UTF-8"?>
      <testsuites tests="4" failures="1" errors="0" skipped="1">
        <testsuite name="amp notify check of routing.yaml" tests="4" failures="1" errors="0" skipped="1">
          <testcase classname="amp.notify.check.required-event" name="The required event type a.b reaches no destination." file="routing.yaml">
            <failure message="error: The required event type a.b reaches no destination. Add it. (routing.yaml:2:11)" type="required-event"/>
          </testcase>
          <testcase classname="amp.notify.check.unknown-event" name="Topic t receives the unknown event type a.b." file="routing.yaml">
            <system-out><![CDATA[warning: Topic t receives the unknown event type a.b. Correct it.]]></system-out>
          </testcase>
          <testcase classname="amp.notify.check.topic-without-events" name="Each topic receives an event type" file="routing.yaml"/>
          <testcase classname="amp.notify.check.missing-read-destination" name="The destination of each customer's read exists" file="routing.yaml">
            <skipped/>
            <system-out><![CDATA[Not checked: a file does not contain the reads]]></system-out>
          </testcase>
        </testsuite>
      </testsuites>
      "
    `);
  });

  it("counts warnings as failures with --strict", async () => {
    expect(await junit([REQUIRED, UNKNOWN], true)).toContain('failures="2"');
    expect(await junit([UNKNOWN])).toContain('failures="0"');
  });
});

it.each(["##vso[task.complete]", "a ##VSO[b]", "##[error]x", "x ::error::y"])(
  "has no command of a CI log in JUnit: %s",
  async (name) => {
    const findings = [REQUIRED, UNKNOWN].map((one) => ({ ...one, message: `${name}.` }));
    const xml = await REPORTS.junit([{ result: resultOf(findings), file: name }], FACTS);
    expect(xml).not.toMatch(/\s::|##\[|##vso\[/iu);
  },
);

/** A tag, in whose attributes only `<` and a quote must be escaped. */
const TAG = /<(?:[^<>"]|"[^<"]*")*>/gu;

it("is well-formed with any name in any report", async () => {
  const names = fc.oneof(
    fc.constantFrom(...Object.values(HOSTILE), "]]>", '"/><x a="', "<!--", "&amp;"),
    fc.string({ unit: "binary", maxLength: 20 }),
  );
  await fc.assert(
    fc.asyncProperty(names, names, async (name, file) => {
      const findings = [REQUIRED, UNKNOWN].map((one) => ({ ...one, message: `It is ${name}.` }));
      const xml = await REPORTS.junit([{ result: resultOf(findings), file }], FACTS);
      // A CDATA section is closed where it ends, and by nothing else.
      const markup = xml.replaceAll(/<!\[CDATA\[[\s\S]*?\]\]>/gu, "").replaceAll(TAG, "");
      expect(markup.trim()).toBe("");
      expect(xml).not.toMatch(/[\p{Cs}\ufffe\uffff]|(?!\n)\p{Cc}/u);
      expect(xml.match(/<testcase /gu)).toHaveLength(4);
      const written = await REPORTS.sarif([{ result: resultOf(findings), file: "a.yaml" }]);
      expect(sarifLog.safeParse(JSON.parse(written)).error).toBeUndefined();
    }),
    { numRuns: 60 },
  );
});

describe("the path of the file in a report", () => {
  it.each([
    ["routing.yaml", "/repo", undefined, "routing.yaml"],
    ["./conf/../routing.yaml", "/repo", undefined, "routing.yaml"],
    ["routing.yaml", "/repo/conf", "/repo", "conf/routing.yaml"],
    ["../routing.yaml", "/repo/conf", "/repo", "routing.yaml"],
    ["../routing.yaml", "/repo", undefined, "../routing.yaml"],
    ["/tmp/routing.yaml", "/repo", "/repo", "/tmp/routing.yaml"],
    ["/repo/routing.yaml", "/elsewhere", "/repo", "routing.yaml"],
    ["routing.yaml", "/repo", "", "routing.yaml"],
  ])("%s in %s with the workspace %s is %s", (file, cwd, workspace, expected) => {
    expect(reportedPath(file, cwd, workspace)).toBe(expected);
  });
});

it("reports the warnings of a file that is not valid as warnings, and all else as errors", () => {
  const warning = { line: 3, column: 1, severity: "warning", message: "odd" } as const;
  const { errors, warnings, findings } = invalidResult("routing.yaml", [
    { line: 2, column: 1, message: "wrong" },
    warning,
    { message: "cannot be read" },
  ]);
  expect({ errors, warnings }).toEqual({ errors: 2, warnings: 1 });
  expect(findings.map(({ severity }) => severity)).toEqual(["error", "warning", "error"]);
});
