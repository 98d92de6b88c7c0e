import type { RoutingPicture } from "../cli/view.ts";
import type { Look } from "./paint.ts";
import { type Piece, paintLine } from "./pieces.ts";
import { truncate } from "./width.ts";

type Topic = RoutingPicture["topics"][number];

/** A topic and, below it, what flows in (←) and out (→): for widths at which no picture fits. */
export function drawTree(topic: Topic, { width, paint }: Look): string[] {
  const lines: string[] = [];
  const add = (before: string, text: string | undefined, tone?: Piece["tone"]) => {
    if (!text) return;
    const shown = truncate(text, Math.max(1, width - before.length));
    lines.push(paintLine([{ text: before }, { text: shown, ...(tone && { tone }) }], paint));
  };
  add("  ", topic.name, "strong");
  add("  ", topic.note, "dim");
  for (const event of topic.events) add("    ← ", event);
  if (topic.events.length === 0) add("    ← ", "(no events)", "attention");
  for (const { name, note } of topic.destinations) {
    add("    → ", name, "strong");
    add("      ", note, "dim");
  }
  if (topic.destinations.length === 0) add("    → ", "(no destination)", "attention");
  return lines;
}
