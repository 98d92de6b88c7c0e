import { Graph, layout } from "@dagrejs/dagre";
import { UsageError } from "../../errors.ts";
import { HASH_OF_COMMAND, visible } from "../../values/visible.ts";
import type { RoutingGraph } from "./graph.ts";
import { type Drawing, type DrawnNode, drawingOf } from "./label.ts";

/** The size of the text, in pixels; that of a line and of a cell follow from it. */
const FONT = 13;
const LINE = 17;
/** A character of a monospaced font; other scripts and emoji take up to a whole square. */
const CELL = FONT * 0.61;
const PADDING = { x: 14, y: 8 } as const;
const MARGIN = 20;
/** The longest text that is drawn; the whole one is the tooltip. */
const MAX_CHARACTERS = 60;

/** The layout of so many takes seconds; its time grows with the square. */
const MAX_NODES = 500;

const COLUMNS = ["event", "topic", "destination"] as const satisfies DrawnNode["kind"][];
const HEADINGS = { event: "Events", topic: "Topics", destination: "Destinations" } as const;
const HEADING = 30;

/** The corners, and the colours of line and surface, of each kind of node. */
const LOOKS = {
  event: { radius: 15, stroke: "#2563a8", fill: "#eaf2fb" },
  topic: { radius: 3, stroke: "#4b5563", fill: "#f3f4f6" },
  destination: { radius: 8, stroke: "#1f7a4d", fill: "#e8f6ee" },
} as const satisfies Record<DrawnNode["kind"], object>;
/** The colours of nodes that reach no destination or receive no events; its line is dashed too. */
const MARKED = { stroke: "#b45309", fill: "#fff6e5", dash: ' stroke-dasharray="5 4"' } as const;

/** A node with its place: the centre, width and height in pixels. */
interface Box {
  readonly node: DrawnNode;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/**
 * The graph as an SVG picture of three columns: events, topics, destinations. It has no script, no
 * link and no reference to anything outside of it.
 * @throws {UsageError} for a routing that is too large for a readable picture
 */
export function svgText(graph: RoutingGraph, title: string): string {
  const drawing = drawingOf(graph);
  if (drawing.nodes.length > MAX_NODES) {
    throw new UsageError(
      `The routing has ${drawing.nodes.length} parts: too many for a picture (limit ${MAX_NODES})`,
      { remedy: "Use --format dot, and Graphviz." },
    );
  }
  const boxes = placed(drawing);
  const all = [...boxes.values()];
  const right = Math.max(260, ...all.map(({ x, width }) => x + width / 2)) + MARGIN;
  const bottom = Math.max(HEADING, ...all.map(({ y, height }) => y + height / 2)) + MARGIN;
  const [width, height] = [Math.ceil(right), Math.ceil(bottom)];
  const lines = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" font-family="ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, 'Noto Sans CJK JP', monospace" font-size="${FONT}">`,
    `<title>${escaped(visible(title))}</title>`,
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    ...headings(all),
    ...drawing.edges.flatMap(([from, to]) => edgeLine(boxes.get(from), boxes.get(to))),
    ...all.flatMap(boxLines),
    "</svg>",
  ];
  return `${lines.join("\n")}\n`;
}

/**
 * The boxes of the nodes by ID: each kind in a column of its own, in an order with few crossings.
 */
function placed({ nodes, edges }: Drawing): ReadonlyMap<string, Box> {
  const graph = new Graph();
  graph.setGraph({
    rankdir: "LR",
    ranker: "longest-path",
    nodesep: 14,
    ranksep: 90,
    marginx: MARGIN,
    marginy: MARGIN,
  });
  graph.setDefaultEdgeLabel(() => ({}));
  // A start and an end keep each kind in its column, whatever it is connected with: then the
  // longest path to the end says the column, which is found in a fraction of the time of other
  // ways.
  for (const id of [START, END]) graph.setNode(id, { width: 0, height: 0 });
  const [fed, feeding] = [new Set(edges.map(([, to]) => to)), new Set(edges.map(([from]) => from))];
  for (const node of nodes) {
    const column = COLUMNS.indexOf(node.kind) + 1;
    graph.setNode(node.id, sizeOf(node));
    if (!fed.has(node.id)) graph.setEdge(START, node.id, { minlen: column });
    if (!feeding.has(node.id)) {
      graph.setEdge(node.id, END, { minlen: COLUMNS.length + 1 - column });
    }
  }
  for (const [from, to] of edges) graph.setEdge(from, to, { minlen: 1 });
  layout(graph);
  const left = Math.min(...nodes.map(({ id }) => graph.node(id).x - graph.node(id).width / 2));
  return new Map(
    nodes.map((node) => {
      const { x, y, width, height } = graph.node(node.id);
      return [node.id, { node, x: x - left + MARGIN, y: y + HEADING, width, height }];
    }),
  );
}

const START = "start";
const END = "end";

function textsOf({ name, note }: DrawnNode): string[] {
  return [name, note].flatMap((text) => (text === undefined ? [] : cut(text)));
}

function sizeOf(node: DrawnNode) {
  const texts = textsOf(node);
  const widest = Math.max(...texts.map(textWidth));
  return { width: Math.ceil(widest) + 2 * PADDING.x, height: texts.length * LINE + 2 * PADDING.y };
}

const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|\p{Extended_Pictographic}/u;

/** The width of a text in pixels, as far as it can be known without its font. */
function textWidth(text: string): number {
  const widths = [...new Intl.Segmenter().segment(text)].map(({ segment }) =>
    WIDE.test(segment) ? FONT * 1.25 : CELL,
  );
  return widths.reduce((sum, width) => sum + width, 0);
}

function cut(text: string): string {
  const characters = [...new Intl.Segmenter().segment(text)].map(({ segment }) => segment);
  if (characters.length <= MAX_CHARACTERS) return text;
  return `${characters.slice(0, MAX_CHARACTERS - 1).join("")}…`;
}

function headings(boxes: readonly Box[]): string[] {
  return COLUMNS.flatMap((kind) => {
    const column = boxes.filter(({ node }) => node.kind === kind);
    if (column.length === 0) return [];
    const middle = column[0]?.x ?? 0;
    return `<text x="${rounded(middle)}" y="${MARGIN + 6}" text-anchor="middle" font-weight="bold" fill="#374151">${HEADINGS[kind]}</text>`;
  });
}

function edgeLine(from: Box | undefined, to: Box | undefined): string[] {
  if (from === undefined || to === undefined) return [];
  const [x1, x2] = [from.x + from.width / 2, to.x - to.width / 2];
  const bend = (x2 - x1) / 2;
  const [start, end] = [`${rounded(x1)} ${rounded(from.y)}`, `${rounded(x2)} ${rounded(to.y)}`];
  const path = `M${start} C${rounded(x1 + bend)} ${rounded(from.y)} ${rounded(x2 - bend)} ${rounded(to.y)} ${end}`;
  return [`<path d="${path}" fill="none" stroke="#9ca3af" stroke-width="1.3"/>`];
}

function boxLines({ node, x, y, width, height }: Box): string[] {
  const { radius, ...plain } = LOOKS[node.kind];
  const { stroke, fill, dash } = node.isMarked ? MARKED : { ...plain, dash: "" };
  const texts = textsOf(node);
  const first = y - ((texts.length - 1) * LINE) / 2 + FONT * 0.35;
  return [
    `<g><title>${escaped(node.name)}</title>`,
    `<rect x="${rounded(x - width / 2)}" y="${rounded(y - height / 2)}" width="${rounded(width)}" height="${rounded(height)}" rx="${radius}" fill="${fill}" stroke="${stroke}" stroke-width="1.4"${dash}/>`,
    ...texts.map((text, line) => {
      const colour = line === 0 ? "#111827" : node.isMarked ? MARKED.stroke : "#4b5563";
      const at = `x="${rounded(x)}" y="${rounded(first + line * LINE)}"`;
      return `<text ${at} text-anchor="middle" fill="${colour}" xml:space="preserve">${escaped(text)}</text>`;
    }),
    "</g>",
  ];
}

function rounded(pixels: number): string {
  return String(Math.round(pixels * 10) / 10);
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
};

function escaped(text: string): string {
  return text
    .replace(/[&<>"]/gu, (character) => ENTITIES[character] ?? character)
    .replace(HASH_OF_COMMAND, "&#35;");
}
