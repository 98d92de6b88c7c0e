import { ALLOWED_MISTAKES, type MistakeWord } from "../api/catalogue/mistakes.ts";
import type { RunContext } from "../cli/define.ts";
import { choice, flag, list, needing, several, value } from "../cli/define.ts";
import { commandErrors } from "./errors.ts";

/** The option of every command that writes a file. */
export const overwrite = flag("replace the file if it exists");

/** The options of a command that writes reports of the given kinds. */
export function reportOptions<const Kind extends string>(...kinds: readonly Kind[]) {
  const forms = kinds.map((kind) => `${kind}=FILE`).join(" or ");
  const read = (typed: string): readonly [kind: Kind, file: string] => {
    const [name = "", ...rest] = typed.split("=");
    const path = rest.join("=");
    const kind = kinds.find((one) => one === name);
    if (kind !== undefined && !["", "-"].includes(path.trim())) return [kind, path];
    throw commandErrors.report_invalid(typed, forms);
  };
  return {
    report: several(
      value(`write a report: ${forms}`, "kind=file", read, {
        suggestions: kinds.map((kind) => `${kind}=`),
      }),
    ),
    overwrite: needing("report", overwrite),
  };
}

interface Reporting<Kind> extends Pick<RunContext, "files" | "report"> {
  readonly options: {
    readonly report: readonly (readonly [Kind, string])[];
    readonly overwrite: boolean;
  };
}

/** Writes each report that the options name, and says so. */
export async function writeReports<Kind extends string>(
  { files, report, options }: Reporting<Kind>,
  textOf: (kind: Kind) => Promise<string>,
): Promise<void> {
  for (const [kind, path] of options.report) {
    const { overwrite } = options;
    // CI jobs collect reports from a folder that no step before has created.
    await files.write(path, await textOf(kind), { overwrite, makeFolder: true });
    report.notice(`Saved the ${kind} report as ${path}.`);
  }
}

/** The option of a command without a file for mistakes that are sent all the same. */
export function allowOf<Word extends MistakeWord>(words: readonly Word[]) {
  const meanings = words.map((word) => `${word}: ${ALLOWED_MISTAKES[word]}`);
  return list(choice(`send all the same; ${meanings.join("; ")}`, words, { placeholder: "words" }));
}
