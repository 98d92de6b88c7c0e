import { numberText } from "../values/counted.ts";
import type { ProgressEntry, ProgressState, TableView, Tone } from "../view/view.ts";
import type { RenderOptions } from "./paint.ts";
import { spokenText } from "./spoken.ts";
import { displayWidth, pad, sanitizeLine, truncate, wrap } from "./text.ts";

/** How the written items are a part of the list. */
interface ListPart {
  /** The number of items that were looked at; undefined without a filter. */
  readonly searched: number | undefined;
  /** Whether `--limit` ended the list. */
  readonly isCut: boolean;
  /** Whether the reader quit before the end: then the counts are of what was read so far. */
  readonly isQuit?: boolean;
}

/** The count of the items of a list that were written. */
export type ListSummary = ReturnType<typeof createListSummary>;

/** Counts the items of a list as they are written. */
export function createListSummary({
  noun: [one, many],
  tally = {},
  next,
  whenEmpty,
}: Pick<TableView<readonly never[]>, "noun" | "tally" | "next" | "whenEmpty">) {
  const tallies = Object.entries(tally).map(([what, isSo]) => ({ what, isSo, count: 0 }));
  let total = 0;
  const written = () =>
    total === 0 ? undefined : `${numberText(total)} ${total === 1 ? one : many}`;
  return {
    add(items: readonly unknown[]) {
      total += items.length;
      for (const entry of tallies) entry.count += items.filter(entry.isSo as () => boolean).length;
    },
    /** The count in words, such as `2 installations`; undefined before the first. */
    written,
    /** The words for a list in which no item meets the filters. */
    nothing: (searched = 0) => `No ${one} matches the filters (${numberText(searched)} searched)`,
    /** The line below the list on a terminal: the number of items, and the next command. */
    closingLine(
      { width, paint, isSpoken }: RenderOptions,
      { searched = 0, isCut, isQuit }: ListPart,
    ): string {
      const remarks = tallies.filter(({ count }) => count > 0);
      const counts = remarks.map(({ count, what }) => `${numberText(count)} ${what}`);
      const ofAll =
        searched > 0 && !isCut
          ? `${numberText(total)} of ${numberText(searched)} ${many}`
          : undefined;
      const all = [
        ofAll ?? written() ?? `no ${many}`,
        ...counts,
        isCut && "--limit reached",
        isQuit && "so far",
      ];
      const left = sanitizeLine(all.filter(Boolean).join(" · "));
      const advice = (total > 0 ? next : ofAll === undefined && whenEmpty) || "";
      const right = sanitizeLine(typeof advice === "string" ? advice : advice.line());
      // An empty line separates the count from the rows above.
      const first = total === 0 ? left : `\n${left}`;
      if (right === "") return first;
      if (isSpoken)
        return `${spokenText(first)}\n${typeof advice === "string" ? "" : "Next: "}${right}`;
      const space = width - displayWidth(left) - displayWidth(right);
      // Far from the words `no runs`, a sentence would look like another column.
      const isBelow = space < 2 || (total === 0 && typeof advice === "string");
      if (!isBelow) return first + pad("", space) + paint("dim", right);
      return [first, ...wrap(right, width).map((text) => paint("dim", text))].join("\n");
    },
  };
}

const MARKS = {
  done: { mark: "✓", tone: "good", word: "ok" },
  unchanged: { mark: "=", tone: "dim", word: "unchanged" },
  failed: { mark: "✗", tone: "bad", word: "failed" },
  unknown: { mark: "?", tone: "attention", word: "unknown" },
} as const satisfies Record<ProgressState, { mark: string; tone: Tone; word: string }>;

/** The width of the longest usual kind, "destination". */
const KIND_WIDTH = 11;
/** The cells before the kind: margin and mark. */
const BEFORE_KIND = 4;
const GAP = 2;
/** The width below which a name is not cut: the line then wraps. */
const MIN_NAME_WIDTH = 12;
/** The width that fits most names: entries come one by one, so the longest is not known. */
const NAME_WIDTH = 32;

/** The line of one entry: `  ✓ topic        customer-lifecycle          t_09aa…`. */
export function progressLine(
  { state, kind, name, id = "", note = "" }: ProgressEntry,
  { paint, width, isSpoken }: RenderOptions,
): string {
  const { mark, tone, word } = MARKS[state];
  if (isSpoken) {
    const parts = [`${kind} ${name}`, id, note].filter(Boolean);
    return `${paint(tone, word)}: ${spokenText(sanitizeLine(parts.join(", ")))}`;
  }
  const end = [
    { text: sanitizeLine(id), tone: "dim" as const },
    { text: sanitizeLine(note), tone },
  ].filter(({ text }) => text !== "");
  const begin = `${pad(sanitizeLine(kind), KIND_WIDTH)}  `;
  const taken = end.reduce((sum, { text }) => sum + GAP + displayWidth(text), BEFORE_KIND);
  const room = Math.max(MIN_NAME_WIDTH, width - taken - displayWidth(begin));
  // An ID is never cut: it is copied from here.
  const fitted = end.length > 0 ? truncate(sanitizeLine(name), room) : sanitizeLine(name);
  const shown = pad(fitted, end.length > 0 ? Math.min(NAME_WIDTH, room) : 0);
  return [
    `  ${paint(tone, mark)} ${begin}${shown}`,
    ...end.map((one) => paint(one.tone, one.text)),
  ].join(pad("", GAP));
}
