import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { AmpError } from "../src/errors.ts";
import { errorRows } from "./error-tables.ts";

/** The variable that names the folder in which a test run notes the errors that it provoked. */
export const PROVOKED = "AMP_TEST_PROVOKED";

const noted = new Set<string>();

/** Notes the name of each error that is made from now on in this process. */
export function noteErrors(): void {
  Object.defineProperty(AmpError.prototype, "kind", {
    configurable: true,
    set(this: AmpError, value: string) {
      noted.add(value);
      Object.defineProperty(this, "kind", { value, writable: true, configurable: true });
    },
  });
}

/** Saves the noted names, after each test file. */
export function saveErrors(): void {
  const { [PROVOKED]: folder } = process.env;
  if (folder === undefined || noted.size === 0) return;
  appendFileSync(join(folder, "names.txt"), [...noted, ""].join("\n"));
  noted.clear();
}

/** The rows that only a program of its own reaches, each with the test that does. */
export const IN_PROGRAMS: Readonly<Record<string, string>> = {
  folder_gone: "test/e2e/ends.test.ts",
  output_unwritable: "test/e2e/pipe-ends.test.ts",
};

/** The complaint about rows of the tables of errors that no test of a whole run provoked. */
export function unprovokedIn(folder: string): string | undefined {
  const provoked = new Set(readFileSync(join(folder, "names.txt"), "utf8").split("\n"));
  const left = errorRows().flatMap(({ path, name }) =>
    provoked.has(name) || name in IN_PROGRAMS ? [] : [`${name} (${path})`],
  );
  return left.length === 0 ? undefined : `No test provokes these errors: ${left.join(", ")}`;
}
