import type { UsageError } from "../errors.ts";
import { redactSecrets } from "../secrets/secret.ts";
import { inputErrors } from "../values/errors.ts";
import { type JqEngine, loadEngine } from "./jq-engine.ts";
import { sanitize } from "./text.ts";

/** A program of `--jq`, which has been compiled once. */
export interface JqProgram {
  /** Whether running it on each part of a list gives the same result as on the whole list. */
  readonly isPerItem: boolean;
  /**
   * The output for a JSON text: texts as they are, anything else as JSON, one value per line.
   * @throws {UsageError} with what jq says
   */
  readonly run: (json: string) => string;
  /**
   * From now on prints the JSON itself where the program fails: what a write returned cannot be
   * asked for again.
   */
  readonly keepInput: () => void;
  /** Why the program failed on what was then printed itself. */
  readonly failure: () => UsageError | undefined;
}

/**
 * A program that begins with `.[]` or a path in each item, and hands that on with a pipe. Whatever
 * binds more loosely than a path (`,`, `//`, `as`) relates to the whole list.
 */
const PER_ITEM = /^\s*\.\[\]\??(?:\.\w+\??)*\s*(?:\|(?!=)|$)/u;
/** The functions that end the program, or read more of its input than the item. */
const WHOLE_INPUT = /\b(?:inputs?|halt|halt_error|input_line_number)\b/u;

/**
 * Loads jq and compiles a program, before anything is sent.
 * @param isTerminal whether JSON is indented, and control characters are made visible
 * @param env what `$ENV` has
 * @param blocking does the work of a run, which may never end: a program can loop
 * @throws {UsageError} for a program that is not valid
 */
export async function loadJq(
  program: string,
  isTerminal: boolean,
  blocking: <Result>(work: () => Result) => Result = (work) => work(),
  env: Readonly<Record<string, string | undefined>> = {},
): Promise<JqProgram> {
  const engine = await loadEngine();
  const flags = ["-M", "-r", ...(isTerminal ? ["--indent", "2"] : ["-c"])];
  compile(engine, program);
  const shown = (text: string) => `${isTerminal ? sanitize(text) : text}\n`;
  let isKept = false;
  let failure: UsageError | undefined;
  return {
    isPerItem: PER_ITEM.test(program) && !WHOLE_INPUT.test(program),
    keepInput: () => {
      isKept = true;
    },
    failure: () => failure,
    run(json) {
      const call = { program: environment(program, env) + SILENT + program, flags, json };
      const ran = blocking(() => runProgram(engine, call));
      if (ran.failure === undefined) return ran.output === undefined ? "" : shown(ran.output);
      const error = inputErrors.jq_failed("failed", ran.failure);
      if (!isKept) throw error;
      failure ??= error.setFacts({
        done: "The command was carried out; its whole result was printed instead.",
      });
      return shown(json);
    },
  };
}

/** The functions that would write to stderr between the messages of amp. */
const SILENT = "def debug: .; def debug(message): .; def stderr: .; ";

/** `$ENV` is the environment, but for what amp has read as a secret; jq itself sees none. */
function environment(program: string, env: Readonly<Record<string, string | undefined>>): string {
  if (!/\b(?:ENV|env)\b/u.test(program)) return "";
  const open = Object.entries(env).filter(([, value]) => redactSecrets(value) === value);
  return `${JSON.stringify(Object.fromEntries(open))} as $ENV | def env: $ENV; `;
}

/** Compiles a program without running it: a program may run for long, or fail without its input. */
function compile(engine: JqEngine, program: string): void {
  const unused = `${SILENT}empty | (${program}\n)`;
  if (runProgram(engine, { json: "null", program: unused, flags: [] }).failure === undefined)
    return;
  // One that is not valid does not run. What begins with a dash would be an option to jq.
  const { failure } = runProgram(engine, { json: "null", program: ` ${program}`, flags: [] });
  if (failure !== undefined) {
    throw inputErrors.jq_failed("is not a valid program", failure, "Nothing was sent.");
  }
}

interface JqRun {
  readonly json: string;
  readonly program: string;
  readonly flags: readonly string[];
}

function runProgram(
  { raw }: JqEngine,
  { json, program, flags }: JqRun,
): { readonly output?: string | undefined; readonly failure?: string } {
  const before = process.exitCode;
  try {
    return { output: raw(json, program, [...flags]) };
  } catch (error) {
    return { failure: jqMessage(error) };
  } finally {
    process.exitCode = before;
  }
}

/** The words of jq without what is about its own call: its name, its input file, the count. */
function jqMessage(error: unknown): string {
  const { stderr, message } = error as Error & { readonly stderr?: string };
  const lines = (stderr || message).split("\n").map((line) =>
    line
      .replace(/^jq: (?:error: |error (?=\())?/u, "")
      .replace(/^\(at (?:inputString|<unknown>)(?::\d+)?\):? ?/u, "")
      .trim(),
  );
  return lines.filter((line) => line !== "" && !/^\d+ compile errors?$/u.test(line)).join("\n");
}
