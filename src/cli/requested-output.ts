import type { Context } from "../context/context.ts";
import type { OutputSettings } from "../context/output-settings.ts";
import { UsageError } from "../errors.ts";
import type { Io } from "../io.ts";
import { kebabCase, type OutputFormat, SETTINGS, type Setting } from "../settings.ts";
import type { JqProgram } from "../ui/jq.ts";
import { isCommandPath } from "../values/command-paths.ts";
import { suggestHelp } from "../values/suggested-command.ts";
import type { Selection } from "../view/selection.ts";
import { assertFields, readSelection } from "./list-selection.ts";
import type { Params } from "./param.ts";
import type { Invocation } from "./read-params.ts";
import { actingSettings } from "./tree.ts";

/** The part of the result that is asked for, and the program that transforms it. */
export interface RequestedOutput {
  readonly selection: Selection;
  readonly jq: JqProgram | undefined;
}

/**
 * Reads what the options ask of the output. What cannot be written is refused now, before anything
 * is sent.
 * @throws {UsageError} for an option that does not fit the command or another option
 */
export async function readRequestedOutput(
  io: Io,
  context: Context,
  invocation: Invocation,
): Promise<RequestedOutput> {
  const { output, report } = context;
  const format = output.format();
  assertFields(invocation, output.plainFields());
  assertWritable(format, invocation);
  assertOptionsAct(invocation);
  const selection = await readSelection(invocation.command, { output, report, now: context.now() });
  return { selection, jq: await readJq(io, output) };
}

/** Refuses a format of results for a command that writes its output itself. */
function assertWritable(
  format: OutputFormat | undefined,
  { command: { view }, path }: Invocation,
): void {
  const isCounted = format === "count" && view?.kind !== "table";
  const isOwn = (format === "env" || format === "markdown") && view === undefined;
  if (!isCounted && !isOwn) return;
  throw new UsageError(`amp ${path} does not support --output ${format}`, {
    detail: isCounted ? "Its result is not a list." : "Its output has a format of its own.",
    remedy: "Leave out --output.",
    done: "Nothing was sent.",
  });
}

async function readJq(io: Io, settings: OutputSettings): Promise<JqProgram | undefined> {
  if (settings.jq === undefined) return undefined;
  const { loadJq } = await import("../ui/jq.ts");
  return loadJq(settings.jq, io.out.isTty, io.blocking);
}

/**
 * Refuses a typed option that would have no effect: the user expects one. Variables and files may
 * contain settings that not every command uses.
 * @throws {UsageError} naming the options
 */
export function assertOptionsAct({
  path,
  command,
  globals,
}: Pick<Invocation, "path" | "command" | "globals">): void {
  // A route that a test makes has no row in the table of targets.
  if (!isCommandPath(path)) return;
  const acting = actingSettings(path, command);
  const idle = Object.entries<Setting>(SETTINGS).filter(
    ([name, { flags }]) =>
      flags !== undefined && !acting.has(name) && (globals[name] ?? false) !== false,
  );
  if (idle.length === 0) return;
  const names = idle.map(([name]) => `--${kebabCase(name)}`).join(", ");
  throw new UsageError(`${names} ${idle.length === 1 ? "has" : "have"} no effect on amp ${path}`, {
    suggestion: suggestHelp(path),
    done: acting.has("timeout") ? "Nothing was sent." : "Nothing was changed.",
  });
}

/**
 * Refuses a typed option of the command whose effect needs another option that was not typed.
 * @throws {UsageError} naming the missing option, and all that need it
 */
export function assertNeedsMet({
  path,
  command,
  typedOptions,
}: Pick<Invocation, "path" | "command" | "typedOptions">): void {
  const options: Params = command.options ?? {};
  const idle = Object.entries(options).flatMap(([key, { needs }]) =>
    needs !== undefined && typedOptions[key] !== undefined && typedOptions[needs] === undefined
      ? [{ option: `--${kebabCase(key)}`, needs: `--${kebabCase(needs)}` }]
      : [],
  );
  const [first] = idle;
  if (first === undefined) return;
  const names = idle.flatMap(({ option, needs }) => (needs === first.needs ? [option] : []));
  const [verb, them] = names.length === 1 ? ["has", "it"] : ["have", "them"];
  throw new UsageError(`${names.join(", ")} ${verb} no effect without ${first.needs}`, {
    remedy: `Add ${first.needs}, or leave ${them} out.`,
    suggestion: suggestHelp(path),
    done: "Nothing was sent.",
  });
}
