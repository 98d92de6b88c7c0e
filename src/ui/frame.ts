import { stripVTControlCharacters } from "node:util";
import Table from "cli-table3";
import type { ShownCell } from "./cell.ts";
import type { RenderOptions } from "./paint.ts";
import { displayWidth } from "./text.ts";

/** Draws a framed table; undefined where it is wider than the terminal. */
export function drawFrame(
  headings: readonly string[],
  rows: readonly (readonly ShownCell[])[],
  { width, paint }: RenderOptions,
): string[] | undefined {
  const hasHeadings = headings.some((heading) => heading !== "");
  const table = new Table({
    ...(hasHeadings && { head: headings.map((text) => paint("strong", text)) }),
    // cli-table3 would also colour pipes, and ignores NO_COLOR.
    style: { head: [], border: [], compact: true },
  });
  for (const row of rows) {
    table.push(
      headings.map((_heading, at) => {
        const { text, tone } = row[at] ?? { text: "" };
        return tone ? paint(tone, text) : text;
      }),
    );
  }
  const lines = table.toString().split("\n");
  const fits = lines.every((line) => displayWidth(stripVTControlCharacters(line)) <= width);
  return fits ? lines : undefined;
}
