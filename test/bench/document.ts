import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../built.ts";

const DOCUMENT = join(ROOT, "test/bench/performance.md");

/**
 * Replaces the tables of a part of the bench in the document, between its two comments.
 * @throws {Error} where the document has no such part
 */
export function writeTables(title: string, tables: string): void {
  const [begin, end] = [`<!-- bench: ${title} -->`, "<!-- end -->"];
  const text = readFileSync(DOCUMENT, "utf8");
  const from = text.indexOf(begin);
  const to = text.indexOf(end, from);
  if (from < 0 || to < 0) throw new Error(`${DOCUMENT} has no ${begin} and ${end}`);
  const before = text.slice(0, from + begin.length);
  writeFileSync(DOCUMENT, `${before}\n\n${tables.trim()}\n\n${text.slice(to)}`);
}
