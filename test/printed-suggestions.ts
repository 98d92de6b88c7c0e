import { stripVTControlCharacters } from "node:util";

/** The command lines that the processes of this test file have suggested. */
export const printed = new Set<string>();

/** What is before a suggested command in a line of a page or a message. */
const BEFORE = / {2,}(?=amp )/u;
/** The same in an error, whose prose may begin with a command: that of a lock's holder. */
const BEFORE_IN_ERROR = /^ {2}(?:Try: | {5})(?=amp )/u;

/** The fields of results and errors whose text is a suggested command, or one per line. */
const FIELDS = new Set(["suggestion", "command", "commands"]);

/**
 * Takes note of the commands that a process suggests in its text, or in the JSON of its result or
 * error. A line without its end does not count: the process may have been killed.
 */
export function collectPrinted(text: string): void {
  const lines = stripVTControlCharacters(text).split(/\r?\n/u).slice(0, -1);
  // Examples in help have a test of their own.
  if (lines.some((line) => line.startsWith("Usage: amp"))) return;
  const unfolded = lines
    .join("\n")
    .replaceAll(/ \\\n\s+/gu, " ")
    .split("\n");
  const error = unfolded.findIndex((line) => line.startsWith("✗ "));
  for (const [at, line] of unfolded.entries()) {
    const before = error >= 0 && at >= error ? BEFORE_IN_ERROR : BEFORE;
    for (const command of line.split(before).slice(1)) {
      if (!command.endsWith("\\")) printed.add(command);
    }
  }
  for (const json of [lines.join("\n"), ...lines]) collectFields(parsed(json));
}

function parsed(text: string): unknown {
  try {
    return /^[[{]/u.test(text) ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}

function collectFields(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  for (const [key, part] of Object.entries(value)) {
    collectFields(part);
    if (!FIELDS.has(key)) continue;
    for (const text of [part].flat()) {
      if (typeof text !== "string" || !text.startsWith("amp ")) continue;
      for (const line of text.split("\n")) printed.add(line);
    }
  }
}
