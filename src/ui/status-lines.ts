import type { ProgressEntry, ProgressState, TableView, Tone } from "../view/view.ts";
import type { Paint, RenderOptions } from "./paint.ts";
import { sanitizeLine } from "./text.ts";
import { displayWidth, pad, wrap } from "./width.ts";

/** The items of a list that were written, in numbers, for its closing line. */
export interface ListSummary {
  readonly count: number;
  /** `1 unhealthy`; undefined if the tally of the view fits no item. */
  remark(): string | undefined;
}

/** Counts the items of a list as they are written. */
export function createListSummary<Item>(
  tally: TableView<readonly Item[]>["tally"] = {},
): ListSummary & { add(items: readonly Item[]): void } {
  const counts = Object.entries(tally).map(([what, isSo]) => ({ what, isSo, count: 0 }));
  let total = 0;
  return {
    get count() {
      return total;
    },
    add(items) {
      total += items.length;
      for (const one of counts) one.count += items.filter(one.isSo).length;
    },
    remark() {
      const parts = counts.filter(({ count }) => count > 0);
      return parts.map(({ what, count }) => `${count} ${what}`).join(" · ") || undefined;
    },
  };
}

/**
 * The line below a list on a terminal, without its line end: the number of items and the next
 * command.
 */
export function closingLine(
  view: Pick<TableView<never>, "noun" | "next" | "whenEmpty">,
  summary: ListSummary,
  { width, paint }: RenderOptions,
): string {
  const [one, many] = view.noun;
  const { count } = summary;
  const isEmpty = count === 0;
  const total = isEmpty ? `no ${many}` : `${count} ${count === 1 ? one : many}`;
  const remark = summary.remark();
  const left = sanitizeLine(remark ? `${total} · ${remark}` : total);
  const advice = (isEmpty ? view.whenEmpty : view.next) ?? "";
  const right = sanitizeLine(typeof advice === "string" ? advice : advice.line());
  // An empty line separates it from the rows above.
  const first = isEmpty ? left : `\n${left}`;
  if (right === "") return first;
  const space = width - displayWidth(left) - displayWidth(right);
  if (space < 2) return [first, ...wrap(right, width).map((text) => paint("dim", text))].join("\n");
  return first + pad("", space) + paint("dim", right);
}

const MARKS = {
  done: { mark: "✓", tone: "good" },
  unchanged: { mark: "=", tone: "dim" },
  failed: { mark: "✗", tone: "bad" },
  unknown: { mark: "?", tone: "attention" },
} as const satisfies Record<ProgressState, { mark: string; tone: Tone }>;

/** Width of the longest usual kind, "destination". */
const KIND_WIDTH = 11;
/** Width that fits most names: entries come one by one, so the longest is not known. */
const NAME_WIDTH = 32;

/** The line of one entry: `  ✓ topic        customer-lifecycle          t_09aa…`. */
export function progressLine({ state, kind, name, id, note }: ProgressEntry, paint: Paint): string {
  const { mark, tone } = MARKS[state];
  const end = [
    id && paint("dim", sanitizeLine(id)),
    note && paint(tone, sanitizeLine(note)),
  ].filter(Boolean);
  const about = `${pad(sanitizeLine(kind), KIND_WIDTH)}  ${pad(sanitizeLine(name), end.length > 0 ? NAME_WIDTH : 0)}`;
  return [`  ${paint(tone, mark)} ${about}`, ...end].join("  ");
}
