import type { CommandContext } from "../../context/command-context.ts";
import type { CaseResult, RoutingTest } from "../../documents/notify.ts";
import type { UsageError } from "../../errors.ts";
import { type JunitCase, junitXml } from "../../reports/reports.ts";
import { workingLine } from "../../values/batches.ts";
import { capitalised, counted, firstNames } from "../../values/counted.ts";
import {
  type Block,
  type Page,
  rowsOfItems,
  table,
  toned,
  type ViewRows,
} from "../../view/view.ts";
import { routingErrors } from "../errors.ts";
import {
  type FileContext,
  type FileOptions,
  readRoutingOffline,
  STANDARD_INPUT,
} from "../file/read.ts";
import type { RoutingModel } from "../model/routing.ts";
import { type RoutingCase, readCases } from "./read-cases.ts";
import { type PlatformMaker, runCase } from "./run-case.ts";
import { startStubs } from "./stubs.ts";

interface RoutingTestOptions extends FileOptions {
  readonly tests: readonly string[];
}

/**
 * Tests a routing file by cases, in this process: nothing is sent to another machine.
 * @throws {UsageError} where a file is not valid
 */
export async function testRouting(
  context: Omit<FileContext, "project" | "files"> &
    Pick<CommandContext, "files" | "report" | "signal" | "now">,
  options: RoutingTestOptions,
  makePlatform: PlatformMaker,
): Promise<RoutingTest> {
  const { report, signal, now } = context;
  const { file, model, warnings } = await readRoutingOffline(context, options);
  for (const warning of warnings) report.warn(warning);
  const cases = await readAll(context, options, model);
  const assumedWebhooks = [...model.destinations].flatMap(([name, { kind, type }]) =>
    kind === "existing" && type === undefined ? [name] : [],
  );
  if (assumedWebhooks.length > 0) {
    report.warn(
      `${assumedWebhooks.join(", ")}: the file does not specify the type, so webhooks are assumed.`,
    );
  }
  const stubs = await startStubs(now);
  const results: CaseResult[] = [];
  const line = workingLine(report);
  try {
    for (const [at, one] of cases.entries()) {
      signal.throwIfAborted();
      line.show(`Case ${at + 1} of ${cases.length}: ${one.name}`);
      results.push(await runCase(one, model, { makePlatform, stubs, signal }));
    }
  } finally {
    line.end();
    await stubs.close();
  }
  const passed = results.filter(({ outcome }) => outcome === "pass").length;
  return { file, passed, failed: results.length - passed, cases: results, assumedWebhooks };
}

async function readAll(
  { files }: Pick<CommandContext, "files">,
  { file, tests }: RoutingTestOptions,
  model: RoutingModel,
): Promise<readonly RoutingCase[]> {
  const paths = tests.length > 0 ? tests : [besideRouting(file)];
  if (file === "-" && paths.includes("-")) throw routingErrors.test_stdin_twice();
  const all: RoutingCase[] = [];
  for (const path of paths) {
    const text = await files.read(path).catch((error: unknown) => {
      // A similar name in the folder is the routing file's.
      throw tests.length === 0 && isMissing(error) ? noCases(path, model, error) : error;
    });
    all.push(
      ...(await readCases(text, path === "-" ? STANDARD_INPUT : path, model, (name) =>
        files.variable(name),
      )),
    );
  }
  return all;
}

function isMissing(error: unknown): boolean {
  const { cause } = error as { readonly cause?: NodeJS.ErrnoException };
  return cause?.code === "ENOENT";
}

function noCases(path: string, { topics }: RoutingModel, cause: unknown): UsageError {
  const [topic] = topics.values();
  const { events: [when = "connection.error"] = [], destinations: [to = "ops-webhook"] = [] } =
    topic ?? {};
  return routingErrors.test_cases_not_found(path, when, to, cause);
}

/** The cases of `routing.yaml` are by default in `routing.test.yaml`. */
function besideRouting(file: string): string {
  if (file !== "-") return file.replace(/(?:\.[a-z]+)?$/iu, ".test.yaml");
  throw routingErrors.test_cases_missing();
}

/** The page of a routing's test: a line for each case, and below it what does not hold. */
export function routingTestPage({ file, passed, failed, cases }: RoutingTest): Page {
  const total = counted(cases.length, "case");
  return {
    title: toned(failed > 0 ? "bad" : "good", `${passed} of ${total} passed`),
    aside: file,
    blocks: [
      { kind: "rows", rows: cases.map((one) => [mark(one), caseCells(one)] as const) },
      ...(failed > 0 ? [failureGrid(cases)] : []),
    ],
  };
}

/** Which cases failed: `2 of 5 cases failed: reads reach ops, a pause`. */
export function failedCasesText({ failed, cases }: RoutingTest): string {
  const names = cases.flatMap(({ name, outcome }) => (outcome === "fail" ? [name] : []));
  const total = counted(cases.length, "case");
  return `${failed} of ${total} failed: ${firstNames(names)}`;
}

function mark({ outcome }: CaseResult): string {
  return outcome === "pass" ? "✓" : "✗";
}

function caseCells({ name, outcome, expectations }: CaseResult) {
  const count = counted(expectations.length, "expectation");
  const holding = expectations.filter(({ met }) => met).length;
  return outcome === "pass"
    ? `${name} (${count})`
    : toned("bad", `${name} (${holding} of ${count})`);
}

function failureGrid(cases: readonly CaseResult[]): Block {
  return {
    kind: "grid",
    cards: true,
    columns: ["Outcome", "Case", "Expected", "Problem", "Place"],
    rows: cases.flatMap(({ name, file, expectations }) =>
      expectations.flatMap(({ text, met, message = "", line }) =>
        met
          ? []
          : [
              [
                "✗",
                toned("strong", name),
                text,
                toned("bad", `${capitalised(message)}.`),
                toned("dim", `${file}:${line}`),
              ],
            ],
      ),
    ),
  };
}

/** A row for each expectation, for a program. */
export function routingTestRows({ cases }: RoutingTest): ViewRows {
  const items = cases.flatMap(({ name, file, expectations }) =>
    expectations.map((expectation) => ({ ...expectation, name, file })),
  );
  type Row = (typeof items)[number];
  return rowsOfItems(
    items,
    table<Row>(["expectation", "expectations"], {
      Outcome: ({ met }) => (met ? "pass" : "fail"),
      Case: "name",
      Expected: "text",
      Problem: ({ message }) => message ?? "",
      Place: ({ file, line }) => `${file}:${line}`,
    }),
  );
}

/** JUnit's XML: a suite for each file of cases. */
export function casesJunit(
  { file, cases }: RoutingTest,
  reported: (path: string) => string,
): Promise<string> {
  const suites = [...Map.groupBy(cases, (one) => one.file)].map(([path, all]) => ({
    name: `amp notify test of ${file}: ${path}`,
    cases: all.map((one) => junitCase(one, reported(path))),
  }));
  return junitXml(...suites);
}

function junitCase({ name, when, ms, expectations }: CaseResult, file: string): JunitCase {
  const failed = expectations.filter(({ met }) => !met);
  const text = failed
    .map((one) => `${one.text}: ${one.message ?? ""} (${file}:${one.line})`)
    .join("\n");
  return {
    className: `amp.notify.test.${when}`,
    name,
    file,
    seconds: ms / 1000,
    failure: failed.length === 0 ? undefined : { text, type: "expectation" },
  };
}
