import type { Block, Cell, Page } from "../cli/view.ts";
import { valuesOf } from "./page.ts";
import { routingEdges } from "./routing.ts";

type Of<Kind extends Block["kind"]> = Extract<Block, { kind: Kind }>;

/**
 * A page for a program: the title with what stands beside it, then label and value, one row a
 * value. In a section the label is `Section/Label`, so that each row can be found alone.
 */
export function* pageRows({ title, aside, blocks }: Page): Generator<readonly Cell[]> {
  yield aside ? [title, aside] : [title];
  for (const block of blocks) yield* flatten(block);
}

const FLATTEN: { [Kind in Block["kind"]]: (block: Of<Kind>) => Iterable<readonly Cell[]> } = {
  rows: ({ heading, rows }) =>
    rows.flatMap(([label, value]) =>
      valuesOf(value).map((cell) => [heading ? `${heading}/${label}` : label, cell]),
    ),
  grid: ({ rows }) => rows,
  routing: ({ picture }) => routingEdges(picture),
  command: ({ lines }) => lines.map((line) => [line]),
  text: ({ text }) => (text === "" ? [] : text.split("\n").map((line) => [line])),
};

function flatten(block: Block): Iterable<readonly Cell[]> {
  // As in page.ts: each kind has its own function.
  return (FLATTEN[block.kind] as (block: Block) => Iterable<readonly Cell[]>)(block);
}
