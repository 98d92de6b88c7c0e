import { Worker } from "node:worker_threads";
import { stops, type UsageError } from "../errors.ts";
import { whenAborted } from "../runtime/end-process.ts";
import { redactSecrets } from "../secrets/secret.ts";
import { inputErrors } from "../values/errors.ts";
import { readEngine } from "./jq-engine.ts";
import { sanitize } from "./text.ts";

/** A program of `--jq`, which has been compiled once. */
export interface JqProgram {
  /** Whether running it on each part of a list gives the same result as on the whole list. */
  readonly isPerItem: boolean;
  /**
   * The output for a JSON text: texts as they are, anything else as JSON, one value per line.
   * @throws {UsageError} with what jq says, or that the program took too long
   * @throws {InterruptedError} where the signal ends it
   */
  readonly run: (json: string) => Promise<string>;
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

const LIMIT_MS = 60_000;

/** How a program of `--jq` runs. */
interface JqOptions {
  /** Whether JSON is indented, and control characters are made visible. */
  readonly isTerminal: boolean;
  /** Ends a program that runs. */
  readonly signal: AbortSignal;
  /** What `$ENV` has. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The time limit of one run, in milliseconds; the start and the check of the program have theirs. */
  readonly limitMs?: number;
}

/**
 * Starts jq and compiles a program, before anything is sent.
 * @throws {UsageError} for a program that is not valid
 */
export async function loadJq(
  program: string,
  { isTerminal, signal, env = {}, limitMs = LIMIT_MS }: JqOptions,
): Promise<JqProgram> {
  const flags = ["-M", "-r", ...(isTerminal ? ["--indent", "2"] : ["-c"])];
  await compile((call) => runProgram(call, signal, LIMIT_MS), program);
  const shown = (text: string) => `${isTerminal ? sanitize(text) : text}\n`;
  let isKept = false;
  let failure: UsageError | undefined;
  return {
    isPerItem: PER_ITEM.test(program) && !WHOLE_INPUT.test(program),
    keepInput: () => {
      isKept = true;
    },
    failure: () => failure,
    async run(json) {
      const whole = environment(program, env) + SILENT + program;
      const ran = await runProgram({ program: whole, flags, json }, signal, limitMs);
      if (ran.failure === undefined) return ran.output === undefined ? "" : shown(ran.output);
      const error = inputErrors.jq_failed("failed", jqMessage(ran.failure));
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
async function compile(run: (call: JqRun) => Promise<JqRan>, program: string): Promise<void> {
  const unused = `${SILENT}empty | (${program}\n)`;
  if ((await run({ json: "null", program: unused, flags: [] })).failure === undefined) return;
  // One that is not valid does not run. What begins with a dash would be an option to jq.
  const { failure } = await run({ json: "null", program: ` ${program}`, flags: [] });
  if (failure !== undefined) {
    throw inputErrors.jq_failed("is not a valid program", jqMessage(failure), "Nothing was sent.");
  }
}

interface JqRun {
  readonly json: string;
  readonly program: string;
  readonly flags: readonly string[];
}

interface JqRan {
  /** Without its last line end; undefined for none. */
  readonly output?: string | undefined;
  readonly failure?: string;
}

/** The thread that jq runs in: a program may never end, and only a thread can be ended. */
let thread: Worker | undefined;

function runProgram(call: JqRun, signal: AbortSignal, limitMs: number): Promise<JqRan> {
  thread ??= startThread();
  const worker = thread;
  const over = new AbortController();
  const { promise, resolve, reject } = Promise.withResolvers<JqRan>();
  const end = () => {
    thread = undefined;
    void worker.terminate();
  };
  const late = `The program did not end within ${limitMs / 1000} s.`;
  const timer = setTimeout(() => receive({ failure: late }), limitMs);
  const abort = () => {
    end();
    reject(stops.interrupted());
  };
  const receive = (ran: JqRan) => {
    // One that found no memory keeps the process alive.
    if (ran.failure !== undefined) end();
    resolve(ran);
  };
  const fail = ({ message }: Error) => receive({ failure: message });
  // What a run that was stopped has to say is its receipt, and comes after the signal.
  if (!signal.aborted) whenAborted(signal, abort, { signal: over.signal });
  worker.once("message", receive).once("error", fail).ref();
  worker.postMessage(call);
  return promise.finally(() => {
    clearTimeout(timer);
    over.abort();
    worker.off("message", receive).off("error", fail).unref();
  });
}

function startThread(): Worker {
  const { script, ...workerData } = readEngine();
  // It would look for its file beside itself.
  const engine = script.replace("jq = jq().then(", "jq = jq(given).then(");
  const parameters = "given, module, exports, require, __dirname, __filename";
  const code = `(${serve})(require, function (${parameters}) { ${engine}\nreturn jq; })`;
  // jq would warn on stderr, between the messages of amp.
  return new Worker(code, { eval: true, stdout: true, stderr: true, workerData });
}

/** What the thread does, in which nothing else of this file is there. */
function serve(
  load: NodeJS.Require,
  start: (...given: unknown[]) => Promise<{ raw(...call: unknown[]): string | undefined }>,
): void {
  const { parentPort, workerData } = load("node:worker_threads");
  const { wasm, isPacked } = workerData;
  const wasmBinary = isPacked ? load("node:zlib").brotliDecompressSync(wasm) : wasm;
  const module = { exports: {} };
  const started = start({ wasmBinary }, module, module.exports, load, "/", "/jq.js");
  parentPort.on("message", async ({ json, program, flags }: JqRun) => {
    try {
      parentPort.postMessage({ output: (await started).raw(json, program, flags) });
    } catch (error) {
      const { stderr, message } = error as Error & { readonly stderr?: string };
      parentPort.postMessage({ failure: stderr || message });
    }
  });
}

/** The words of jq without what is about its own call: its name, its input file, the count. */
function jqMessage(text: string): string {
  const lines = text.split("\n").map((line) =>
    line
      .replace(/^jq: (?:error: |error (?=\())?/u, "")
      .replace(/^\(at (?:inputString|<unknown>)(?::\d+)?\):? ?/u, "")
      .trim(),
  );
  return lines.filter((line) => line !== "" && !/^\d+ compile errors?$/u.test(line)).join("\n");
}
