import type { Reporter } from "../context/command-context.ts";
import type { Context } from "../context/context.ts";
import type { OutputSettings } from "../context/output-settings.ts";
import { UsageError } from "../errors.ts";
import type { Io } from "../io.ts";
import { kebabCase, type OutputFormat, SETTINGS, type Setting } from "../settings.ts";
import { cellOf } from "../ui/cell.ts";
import { explaining } from "../ui/fields.ts";
import type { JqProgram } from "../ui/jq.ts";
import { isBatches } from "../values/batches.ts";
import { isCommandPath } from "../values/command-paths.ts";
import { inputErrors } from "../values/errors.ts";
import { valueAt } from "../values/json.ts";
import { originalOf } from "../values/odd-fields.ts";
import { formatFacts } from "../values/setting.ts";
import { suggestHelp } from "../values/suggested-command.ts";
import { timeOf } from "../values/time.ts";
import { columnOf, findName, isSameColumn, type NamedList } from "../view/list-names.ts";
import type { Selection } from "../view/selection.ts";
import { type Cell, time, type View } from "../view/view.ts";
import type { AnyCommand } from "./define.ts";
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
  const read = await readSelection(invocation.command, { output, report, now: context.now() });
  const fields = output.fields() ?? [];
  const isField = (column: string) => fields.some((name) => isSameColumn(name, column));
  const selection = { ...read, uses: (column: string) => isField(column) || read.uses(column) };
  return { selection, jq: await readJq(io, context) };
}

/** Refuses a format of results for a command that writes its output itself. */
function assertWritable(
  format: OutputFormat | undefined,
  { command: { view }, path }: Invocation,
): void {
  const { needs } = formatFacts(format);
  const isCounted = needs === "a list" && view?.kind !== "table";
  const isOwn = needs === "a view" && view === undefined;
  if (format === undefined || (!isCounted && !isOwn)) return;
  const why = isCounted ? "Its result is not a list." : "Its output has a format of its own.";
  throw inputErrors.format_not_supported(`amp ${path}`, format, "Leave out --output.", why);
}

async function readJq(
  { out, env }: Io,
  { output, signal }: Pick<Context, "output" | "signal">,
): Promise<JqProgram | undefined> {
  if (output.jq === undefined) return undefined;
  const { loadJq } = await import("../ui/jq.ts");
  return loadJq(output.jq, { isTerminal: out.isTty, env, signal });
}

/**
 * Refuses a typed option that would have no effect: the user expects one. Variables and files may
 * contain settings that not every command uses.
 * @throws {UsageError} naming the options
 */
function assertOptionsAct({
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
  const names = idle.map(([name]) => `--${kebabCase(name)}`);
  const done = acting.has("timeout") ? "Nothing was sent." : "Nothing was changed.";
  const isGuard = idle.every(([name]) => name === "confirm" || name === "expectProject");
  const remedy = isGuard ? "It guards commands that write, such as amp notify apply." : undefined;
  throw inputErrors.option_idle(names, `on amp ${path}`, remedy, done, suggestHelp(path));
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
  const remedy = `Add ${first.needs}, or leave ${names.length === 1 ? "it" : "them"} out.`;
  const [where, done] = [`without ${first.needs}`, "Nothing was sent."];
  throw inputErrors.option_idle(names, where, remedy, done, suggestHelp(path));
}

/** The selection of a list of which everything is wanted, and of a result that is not a list. */
const EVERYTHING: Selection = {
  of: (result) => result,
  uses: () => false,
  searched: () => undefined,
  sortFields: [],
  isSorted: false,
  isCut: () => false,
  doubts: () => [],
  absent: () => [],
};

/**
 * The part of a command's list that `--filter`, `--sort-by` and `--limit` ask for. What selects is
 * loaded for that alone.
 * @throws {UsageError} for an invalid option and an unknown name
 */
async function readSelection(
  command: AnyCommand,
  { output, report, now }: { output: OutputSettings; report: Reporter; now: Date },
): Promise<Selection> {
  const query = output.query();
  const list = namedList(command);
  if (query === undefined || list === undefined || command.filters === "own") return EVERYTHING;
  const { createSelection } = await import("../view/selection.ts");
  const onLongSort = () =>
    report.notice(
      "Sorting keeps the whole list in memory. With --limit, only the printed items are kept.",
    );
  return createSelection(list, query, { now, onLongSort });
}

/**
 * The selected part of a list, whose end is an error where a path was mistyped that no item has.
 * Where nothing was found, nothing was written yet.
 */
export async function withoutMistypedPaths(
  command: AnyCommand,
  selection: Selection,
  result: unknown,
): Promise<unknown> {
  const check = async () => {
    const paths = selection.absent();
    if (paths.length === 0 || command.fields === undefined) return;
    const { assertDescribed } = await import("../inspect/explained-records.ts");
    for (const path of paths) assertDescribed(command.fields, path);
  };
  const selected = selection.of(result);
  if (!isBatches(selected)) {
    await check();
    return selected;
  }
  return (async function* () {
    for await (const batch of selected) {
      if (selection.isSorted) await check();
      yield batch;
    }
    await check();
  })();
}

/** A view for a reader, with a column for each field that its list was sorted by, after the name. */
export function withSortColumns<Result>(
  view: View<Result>,
  { sortFields }: Selection,
): View<Result> {
  if (view.kind !== "table" || sortFields.length === 0) return view;
  const read = (field: string) => (item: unknown) => {
    const value = valueAt(originalOf(item), field);
    return typeof value === "string" && timeOf(value) !== undefined ? time(value) : cellOf(value);
  };
  const [first = [], ...others] = Object.entries(view.columns);
  const added = sortFields.map((field) => [field, read(field)]);
  return { ...view, columns: Object.fromEntries([first, ...added, ...others]) };
}

/** A view without the columns that nobody asked for, or that are for programs. */
export function withoutIdleColumns<Result>(
  view: View<Result>,
  { uses }: Pick<Selection, "uses">,
  isForReading: boolean,
): View<Result> {
  if (view.kind !== "table") return view;
  const { onRequest = [], forPrograms = [] } = view;
  const idle = [...(onRequest.some(uses) ? [] : onRequest), ...(isForReading ? forPrograms : [])];
  if (idle.length === 0) return view;
  const columns = Object.entries(view.columns).filter(([label]) => !idle.includes(label));
  return { ...view, columns: Object.fromEntries(columns) };
}

/** The list that a command prints, with the names of its columns and fields. */
function namedList({ view, fields }: AnyCommand): NamedList | undefined {
  return view?.kind === "table" ? { view, fields } : undefined;
}

/**
 * Refuses a name of `--fields` that is neither a column nor a declared field of the result: it
 * would select nothing. One in quotes is a field that the service may have and amp does not know.
 * @throws {UsageError} with the names that exist, the nearest first
 */
function assertFields(
  { command, path, typedOptions }: Pick<Invocation, "command" | "path" | "typedOptions">,
  names: readonly string[],
): void {
  const { view, fields } = command;
  if (view === undefined || fields === undefined) return;
  // The result of --dry-run is a plan or a list of requests, whose fields are not declared.
  if (view.kind !== "table" && typedOptions.dryRun === true) return;
  const list = { view: view.kind === "table" ? view : { columns: {} }, fields };
  for (const name of names) {
    try {
      findName(list, { name }, "--fields");
    } catch (error) {
      const suggestion = explaining(path);
      if (error instanceof UsageError && suggestion) error.setFacts({ suggestion });
      throw error;
    }
  }
}

/** The columns that `--fields` names; a field of the same name comes first. */
export function namedColumns(
  view: View<never>,
  fields: readonly string[] = [],
  declared: readonly string[] = [],
): ReadonlyMap<string, (item: unknown) => Cell> {
  if (view.kind !== "table") return new Map();
  const isField = (name: string) =>
    declared.some((one) => name === one || name.startsWith(`${one}.`));
  return new Map(
    fields.flatMap((name) => {
      const read = isField(name) ? undefined : columnOf(view, name);
      return read === undefined ? [] : [[name, read]];
    }),
  );
}
