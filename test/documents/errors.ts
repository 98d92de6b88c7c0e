import { EXIT, type ExitName } from "../../src/errors.ts";
import { errorRows } from "../error-tables.ts";

/** The page of all errors by name, as Markdown. */
export function errorsPage(): string {
  const rows = errorRows().toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return `${[
    "# Errors of amp",
    "Generated from the tables of errors (`errors.ts` of each folder of `src`) by `npm run generate`; do not edit.",
    "`error.name` of the JSON of an error, which `--debug` shows, too. A name does not change; its text and remedy may. `<name>` stands for a value.",
    [
      "| Name | Exit code | Text | Remedy |",
      "| --- | --- | --- | --- |",
      ...rows.map(({ name, group, text, remedy }) => {
        const exit = group === "unknown-outcome" ? "partial" : (group as ExitName);
        return `| \`${name}\` | ${EXIT[exit].code} | ${prose(text)} | ${prose(remedy)} |`;
      }),
    ].join("\n"),
  ].join("\n\n")}\n`;
}

function prose(text: string): string {
  return text.replaceAll("<", "\\<").replaceAll("|", "\\|").replaceAll("\n", " ");
}
