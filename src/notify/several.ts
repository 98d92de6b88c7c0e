import type { FileRun } from "../documents/parts.ts";
import { AmpError, EXIT, type ExitName, InterruptedError } from "../errors.ts";
import { redactFacts, redactSecrets } from "../secrets/secret.ts";
import { counted } from "../values/counted.ts";
import { defined } from "../values/json.ts";
import {
  type Block,
  type Cell,
  note,
  type Page,
  type RecordView,
  record,
  rowsOfItems,
  table,
  type ViewRows,
} from "../view/view.ts";

/**
 * Does the same for several files in turn, so that files of one state never race. The error of a
 * file is part of its run, and does not stop the others.
 */
export async function eachFile<Result extends object>(
  signal: AbortSignal,
  files: readonly string[],
  work: (file: string) => Promise<{
    readonly result: Result;
    readonly project?: string | undefined;
    readonly exit: ExitName | AmpError;
  }>,
): Promise<(FileRun & Partial<Result>)[]> {
  const runs: (FileRun & Partial<Result>)[] = [];
  for (const file of files) {
    try {
      const { result, project, exit } = await work(file);
      const end = typeof exit === "string" ? { exit: EXIT[exit].code } : failed(exit);
      runs.push({ file, ...defined({ project }), ...end, ...result });
    } catch (error) {
      const isFailure = error instanceof AmpError && !(error instanceof InterruptedError);
      if (signal.aborted || !isFailure) throw error;
      runs.push({ file, ...failed(error) } as FileRun & Partial<Result>);
    }
  }
  return runs;
}

function failed(error: AmpError): Pick<FileRun, "exit" | "error"> {
  const { detail, remedy } = redactFacts(error.facts);
  const message = redactSecrets(error.message);
  const { exit } = error;
  return { exit: EXIT[exit].code, error: { code: exit, message, ...defined({ detail, remedy }) } };
}

/** The worst end of several files: 0, then 8, then the highest of the others. */
export function worstExit(runs: readonly FileRun[]): ExitName {
  const rank = (name: ExitName) => (name === "check" ? 0.5 : EXIT[name].code);
  const names = Object.keys(EXIT) as ExitName[];
  const found = names.filter((name) => runs.some(({ exit }) => exit === EXIT[name].code));
  return found.sort((one, other) => rank(one) - rank(other)).at(-1) ?? "ok";
}

/** How several files are shown. */
interface SeveralWords<Run> {
  /** The columns between the project and the exit code. */
  readonly columns: Readonly<Record<string, (run: Run) => Cell>>;
  /** What became of a file that did not fail; undefined if nothing has to be said of it. */
  readonly found: (run: Run) => string | undefined;
  /** What became of the others, such as `in sync`. */
  readonly fine: string;
  /** The page of one file below the table. */
  readonly details: (run: Run) => Page | undefined;
}

/** A view that shows one file as before, and several as a table with the details of those that differ. */
export function severalFiles<Run extends FileRun, One extends object>(
  { columns, found, fine, details }: SeveralWords<Run>,
  one: RecordView<One>,
) {
  type Several = { readonly files: readonly Run[] };
  const shown: Readonly<Record<string, (run: Run) => Cell>> = {
    File: ({ file }) => file,
    Project: ({ project }) => project,
    ...columns,
    Exit: ({ exit }) => exit,
  };
  const rows = table<Run>(["file", "files"], shown, { id: ({ file }) => file });
  const outcome = (run: Run) => found(run) ?? (run.error === undefined ? fine : "failed");
  const different = (files: readonly Run[]) => files.filter((run) => outcome(run) !== fine);
  const says = ({ files }: Several) => {
    const groups = Map.groupBy(files, outcome);
    const counts = [...groups].map(([text, { length }]) => `${length} ${text}`);
    return `${counted(files.length, "file")}: ${counts.join(", ")}`;
  };
  const page = ({ files }: Several): Page => {
    const cells = files.map((run) => Object.values(shown).map((cell) => cell(run)));
    const blocks = different(files).flatMap((run) => detailBlocks(run, details(run)));
    const grid: Block = { kind: "grid", inRows: true, columns: Object.keys(shown), rows: cells };
    return { title: says({ files }), blocks: [grid, ...blocks] };
  };
  const view = record<One | Several>(
    (result) => ("files" in result ? page(result) : one.page(result)),
    (result) =>
      "files" in result ? different(result.files).map(({ file }) => file) : one.id(result),
    (result) =>
      "files" in result ? rowsOfItems(result.files, rows) : (one.rows?.(result) as ViewRows),
  );
  return { says, view };
}

/** The details of one file below the table, whose rows a pipe has instead. */
function detailBlocks({ file, error }: FileRun, page: Page | undefined): Block[] {
  const { title = error?.message, blocks = [] } = page ?? {};
  return [
    ...note(`${file}: ${title}`, "strong"),
    ...blocks.map((block) => ({ ...block, inRows: false })),
    ...note(error?.detail),
    ...note(error?.remedy),
  ];
}
