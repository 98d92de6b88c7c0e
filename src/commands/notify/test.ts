import { defineCommand, file, record, several } from "../../cli/define.ts";
import type { RoutingTest } from "../../documents/notify.ts";
import {
  casesJunit,
  failedCasesText,
  routingTestPage,
  routingTestRows,
  testRouting,
} from "../../notify/cases/test-routing.ts";
import { reportedPath } from "../../notify/checks/reports.ts";
import { fileToRead } from "../../notify/file/read.ts";
import { RESULT_FIELDS } from "../../values/result-fields.ts";
import { reportOptions, writeReports } from "../report-options.ts";
import { allowOfFile, routingFile } from "./options.ts";

export default defineCommand({
  description:
    "Applies the routing file to a simulated platform in this process, triggers the events of the cases, and delivers them over HTTP to test receivers. Checks which destinations receive which events, how fast, and whether they are signed, also if a receiver fails for days. Needs no login or network access; nothing leaves this machine. Each case starts with a new platform whose clock runs fast. docs/testing.md describes the format of the cases.",
  args: {
    tests: several(file("files of test cases (default: routing.test.yaml next to routing.yaml)")),
  },
  options: {
    file: routingFile,
    ...reportOptions("junit"),
    allow: allowOfFile,
  },
  examples: [
    "amp notify test",
    "amp notify test -f routing.yaml cases/*.yaml",
    {
      note: "in CI",
      run: "amp notify test -f routing.yaml cases.yaml --report junit=routing.xml --overwrite",
    },
  ],
  fields: RESULT_FIELDS.routingTest,
  exits: { check: "a case failed" },
  run: async (context) => {
    const { args, options, environment, now } = context;
    const { createCasePlatform } = await import("../../sandbox/case-platform.ts");
    const result = await testRouting(
      context,
      { ...options, file: fileToRead(context, options.file), tests: args.tests },
      (facts) => createCasePlatform({ ...facts, now }),
    );
    const { cwd, env } = environment;
    await writeReports(context, () =>
      casesJunit(result, (path) => reportedPath(path, cwd, env.GITHUB_WORKSPACE)),
    );
    return result;
  },
  exit: ({ failed }) => (failed > 0 ? "check" : "ok"),
  reason: failedCasesText,
  view: record<RoutingTest>(
    routingTestPage,
    ({ cases }) => cases.flatMap(({ name, outcome }) => (outcome === "fail" ? [name] : [])),
    routingTestRows,
  ),
});
