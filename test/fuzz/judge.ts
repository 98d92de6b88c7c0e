import type { Outcome } from "../harness.ts";

/** The exit codes of `amp help exit-codes`. */
const CODES = new Set<number | null>([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 124, 130, 143]);

/** A line of a stack: `at run (file:///src/main.ts:3:9)`. */
const STACK = /^\s*at .*[:(]\d+:\d+\)?$/mu;
const NONSENSE = /\bundefined\b|\[object \w+\]|\bNaN\b|Invalid Date/u;

/** How one run ended, in this process or as one of its own. */
export type RunResult = Pick<Outcome, "stdout" | "stderr"> & { readonly code: number | null };

/** What bad input must never lead to. @returns a sentence for each breach */
export function faultsOf({ code, stdout, stderr }: RunResult, asJson: boolean): string[] {
  const ended = code === 0;
  return [
    CODES.has(code) ? "" : `the exit code ${code} is not documented`,
    code === 1 ? "it ended as a defect does" : "",
    STACK.test(stderr) || STACK.test(stdout) ? "it shows a stack" : "",
    NONSENSE.test(stderr) ? `stderr says ${NONSENSE.exec(stderr)?.[0]}` : "",
    !asJson && NONSENSE.test(stdout) ? `stdout says ${NONSENSE.exec(stdout)?.[0]}` : "",
    code === 2 && stdout !== "" ? "a usage error wrote to stdout" : "",
    !ended && stderr.trim() === "" && stdout === "" ? "it failed without a word" : "",
    asJson && ended && !isJson(stdout) ? "stdout is no JSON" : "",
    asJson && !ended && stdout === "" && !holdsError(stderr) ? "the error is no JSON" : "",
  ].filter((fault) => fault !== "");
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Reporter may stand before the error. */
function holdsError(stderr: string): boolean {
  return isJson(stderr.slice(stderr.search(/^\{/mu)));
}
