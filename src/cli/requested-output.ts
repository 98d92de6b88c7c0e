import type { Context } from "../context/context.ts";
import type { OutputSettings } from "../context/output-settings.ts";
import { UsageError } from "../errors.ts";
import type { Io } from "../io.ts";
import type { OutputFormat } from "../settings.ts";
import type { JqProgram, LoadedJq } from "../ui/jq.ts";
import type { Selection } from "../view/selection.ts";
import { assertOptionsAct } from "./idle-options.ts";
import { assertFields, readSelection } from "./list-selection.ts";
import type { Invocation } from "./read-params.ts";

/** The part of the result that is asked for, and the program that transforms it. */
export interface RequestedOutput<Program extends JqProgram = JqProgram> {
  readonly selection: Selection;
  /** The program of `--jq`. */
  readonly jq: Program | undefined;
}

/**
 * Reads what the options ask of the output. What cannot be written is refused now, before anything is
 * sent.
 * @throws {UsageError} for an option that does not fit the command or another option
 */
export async function readRequestedOutput(
  io: Io,
  context: Context,
  invocation: Invocation,
): Promise<RequestedOutput<LoadedJq>> {
  const { command, path } = invocation;
  const { output, report } = context;
  const format = output.format();
  assertFields(invocation, output.plainFields());
  if (output.count && command.view?.kind !== "table") {
    throw new UsageError(`--count: the result of amp ${path} is not a list`);
  }
  assertWritable(format, invocation);
  assertOptionsAct(invocation);
  if (output.csvRaw && format !== "csv") {
    throw new UsageError("--csv-raw applies only to CSV output", { remedy: "Add --output csv." });
  }
  const selection = await readSelection(command, { output, report, now: context.now() });
  return { selection, jq: await readJq(io, output) };
}

/** Refuses a format of results for a command that writes its output itself. */
function assertWritable(
  format: OutputFormat | undefined,
  { command: { view }, path }: Invocation,
): void {
  if ((format !== "env" && format !== "markdown") || view !== undefined) return;
  throw new UsageError(`amp ${path} does not support --output ${format}`, {
    detail: "Its output has a format of its own.",
    remedy: "Leave out --output.",
    done: "Nothing was sent.",
  });
}

async function readJq(io: Io, settings: OutputSettings): Promise<LoadedJq | undefined> {
  if (settings.jq === undefined) return undefined;
  if (settings.count) {
    throw new UsageError("--jq and --count conflict", { remedy: "Use --jq length to count." });
  }
  const { loadJq } = await import("../ui/jq.ts");
  return loadJq(settings.jq, io.out.isTty, io.blocking);
}
