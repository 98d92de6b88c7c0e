import { visible, withoutCommands } from "../values/visible.ts";

/** One test case of a JUnit report. */
export interface JunitCase {
  /** Dotted, as tools group by it: `amp.notify.check.required-event`. */
  readonly className: string;
  readonly name: string;
  /** The file that it is about, as the reader of the report finds it. */
  readonly file?: string | undefined;
  /** Seconds that it took. */
  readonly seconds?: number | undefined;
  /** The failure; absent if there is none. */
  readonly failure?: { readonly text: string; readonly type: string } | undefined;
  /** The remark of a case that did not fail. */
  readonly output?: string | undefined;
  /** Whether it was not tried. */
  readonly skipped?: boolean;
}

/** Test cases of one subject, for example of one file. */
export interface JunitSuite {
  readonly name: string;
  readonly cases: readonly JunitCase[];
}

/** JUnit's XML, which CI systems show beside the results of other tests. */
export async function junitXml(...suites: readonly JunitSuite[]): Promise<string> {
  const { default: loaded } = await import("junit-report-builder");
  // Node passes the builder itself, a bundle the module that has it as its default.
  const builder = ("newBuilder" in loaded ? loaded : loaded.default) as typeof loaded.default;
  const report = builder.newBuilder();
  for (const { name, cases } of suites) {
    const suite = report.testSuite().name(plain(name));
    for (const { className, name: title, file, seconds, failure, output, skipped } of cases) {
      const made = suite.testCase().className(plain(className)).name(plain(title));
      if (file !== undefined) made.file(plain(file));
      if (seconds !== undefined) made.time(seconds);
      if (failure !== undefined) made.failure(plain(failure.text), failure.type);
      if (output !== undefined) made.standardOutput(plain(output));
      if (skipped) made.skipped();
    }
  }
  return `${report.build()}\n`;
}

/** A text on one line; in CDATA, which has no entities, an escape has to break a CI command. */
function plain(text: string): string {
  return withoutCommands(visible(text));
}
