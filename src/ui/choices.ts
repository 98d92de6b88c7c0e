import { Separator } from "@inquirer/prompts";
import type { Choice } from "../context/command-context.ts";
import { redactSecrets } from "../secrets/secret.ts";
import { withoutAccents } from "../values/nearest.ts";
import { displayWidth, pad, sanitizeLine, truncate, wrap } from "./text.ts";

/**
 * Sanitizes the text of questions, choices, defaults and errors, which may come from the service.
 */
export function safeText(text: string): string {
  return sanitizeLine(redactSecrets(text));
}

interface Room {
  readonly columns: number;
  /** The cells that the library puts before a choice. */
  readonly indent: number;
}

/** The width of a column of notes below which they are placed under the labels. */
const MIN_NOTE_WIDTH = 16;
/** The part of a line for labels where some are so long that they leave no room for notes. */
const LABEL_PART = 0.6;

/** The choices of a list, with aligned notes and the headings of their groups. */
export function groupedChoices<Value>(all: readonly Choice<Value>[], room: Room) {
  const nameOf = naming(all, room);
  return all.flatMap((choice) => {
    const { value, label, group } = choice;
    const item = { value, name: nameOf(choice), short: safeText(label) };
    return group === undefined ? [item] : [new Separator(safeText(group)), item];
  });
}

/** The matches that a search shows: the library lays out each of them at each key. */
const MAX_SHOWN = 100;

/**
 * The choices whose label, note or group has all words of a text, below the headings of their
 * groups; neither case nor accents matter. Notes are cut to one line, and the chosen one has its
 * whole note below the list.
 */
export function choicesFound<Value>(
  all: readonly Choice<Value>[],
  text: string,
  { columns, indent }: Room,
) {
  const wanted = withoutAccents(text).split(/\s+/u).filter(Boolean);
  let heading = "";
  const withHeadings = all.map((choice) => {
    heading = choice.group ?? heading;
    return { ...choice, heading };
  });
  const found = withHeadings.filter(({ label, note = "", heading }) => {
    const searched = withoutAccents(`${label} ${note} ${heading}`);
    return wanted.every((word) => searched.includes(word));
  });
  const shown = found.slice(0, MAX_SHOWN);
  const nameOf = naming(shown, { columns, indent, isShort: true });
  const items = shown.flatMap((choice, at) => {
    const { value, label, note = "", heading } = choice;
    const description = wrap(safeText(note), columns - 1).join("\n");
    const item = { value, name: nameOf(choice), short: safeText(label), description };
    const isFirst = heading !== "" && heading !== shown[at - 1]?.heading;
    return isFirst ? [new Separator(safeText(heading)), item] : [item];
  });
  const left = found.length - shown.length;
  return left > 0
    ? [...items, new Separator(`and ${left} more: type to narrow the search`)]
    : items;
}

/**
 * Lays out a choice among others: labels of one width, notes beside or below them. Labels are
 * wrapped and never cut, for two of them may differ at their ends only.
 */
function naming<Value>(
  all: readonly Choice<Value>[],
  { columns, indent, isShort = false }: Room & { readonly isShort?: boolean },
) {
  const room = columns - indent - 1;
  const widest = Math.max(...all.map(({ label }) => displayWidth(safeText(label))));
  const leavesRoom = room - widest - 2 >= MIN_NOTE_WIDTH;
  const width = leavesRoom ? widest : Math.floor(room * LABEL_PART);
  const isBeside = room - width - 2 >= MIN_NOTE_WIDTH;
  const before = isBeside ? width + 2 : 2;
  const noteLines = (note: string) => {
    const text = safeText(note);
    return isShort ? [truncate(text, room - before)] : wrap(text, Math.max(1, room - before));
  };
  return ({ label, note }: Choice<Value>): string => {
    const labels = wrap(safeText(label), isBeside && note !== undefined ? width : room);
    const notes = note === undefined ? [] : noteLines(note);
    const lines = isBeside
      ? Array.from({ length: Math.max(labels.length, notes.length) }, (_, at) =>
          `${pad(labels[at] ?? "", width)}  ${notes[at] ?? ""}`.trimEnd(),
        )
      : [...labels, ...notes.map((line) => pad("", before) + line)];
    return lines.join(`\n${pad("", indent)}`);
  };
}
