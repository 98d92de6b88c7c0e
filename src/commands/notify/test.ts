import { defineCommand, file, record, several } from "../../cli/define.ts";
import { casesJunit, routingTestPage, routingTestRows } from "../../notify/cases/page.ts";
import { type RoutingTest, testRouting } from "../../notify/cases/test-routing.ts";
import { reportedPath } from "../../notify/checks/reports.ts";
import { reportOptions, writeReports } from "../report-options.ts";
import { routingFile, secretOptions } from "./options.ts";

export default defineCommand({
  description:
    "Applies the routing file to a platform in this process, lets the events of the cases occur, and delivers them over HTTP to receivers of its own. Checks who receives what, in which time and signed, and what happens if a receiver fails for days. Needs no login or network access; nothing leaves this machine. Each case has a platform of its own, whose time passes quickly. See docs/events.md for the file of cases.",
  args: {
    tests: several(file("files of cases (default: routing.test.yaml beside routing.yaml)")),
  },
  options: {
    file: {
      ...routingFile,
      description: "routing file; - for standard input (default routing.yaml)",
    },
    ...reportOptions("junit"),
    ...secretOptions,
  },
  examples: [
    "amp notify test",
    "amp notify test -f routing.yaml cases/*.yaml",
    { note: "in CI", run: "amp notify test -f routing.yaml cases.yaml --report junit=routing.xml" },
  ],
  fields: ["file", "passed", "failed", "cases", "assumedWebhooks"],
  exits: { check: "a case failed" },
  run: async (context) => {
    const { args, options, environment, now } = context;
    const { createTestPlatform } = await import("../../sandbox/test-platform.ts");
    const result = await testRouting(
      context,
      { ...options, file: options.file ?? "routing.yaml", tests: args.tests },
      (facts) => createTestPlatform({ ...facts, now }),
    );
    const { cwd, env } = environment;
    await writeReports(context, () =>
      casesJunit(result, (path) => reportedPath(path, cwd, env.GITHUB_WORKSPACE)),
    );
    return result;
  },
  exit: ({ failed }) => (failed > 0 ? "check" : "ok"),
  view: record<RoutingTest>(
    routingTestPage,
    ({ cases }) => cases.flatMap(({ name, outcome }) => (outcome === "fail" ? [name] : [])),
    routingTestRows,
  ),
});
