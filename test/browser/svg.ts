/** A piece of a line in one style: the column where it begins, and its classes. */
export interface Run {
  readonly at: number;
  readonly text: string;
  readonly style: string;
}

/** A line of a terminal. */
export type Line = readonly Run[];

/** What a command shows. */
export interface Screen {
  readonly command: string;
  readonly lines: readonly Line[];
}

const [CELL, LINE, SIZE, PAD] = [8.4, 20, 14, 20];

/** The colours of a dark terminal, by their number; black is visible, too. */
const COLOURS = [
  ...["#5c6370", "#f47b86", "#8fd694", "#e5c07b", "#7ab4f5", "#c99bf2", "#6fd3d9", "#d7dae0"],
  ...["#8b93a1", "#ff9aa3", "#a9e8ad", "#f2d59a", "#9ccbff", "#ddb8ff", "#90e6ea", "#ffffff"],
];

/**
 * Screens as SVG, each below the command that shows it. Each piece has the width of its columns, whatever
 * monospaced font there is.
 */
export function svgOf(screens: readonly Screen[], columns: number): string {
  const title = screens.map(({ command }) => command).join("; ");
  const lines = screens.flatMap(({ command, lines: shown }, at) => [
    ...(at > 0 ? [[]] : []),
    typed(command),
    [],
    ...shown,
  ]);
  const width = columns * CELL + 2 * PAD;
  const height = lines.length * LINE + 2 * PAD;
  const used = new Set(lines.flatMap((line) => line.flatMap(({ style }) => style.split(" "))));
  const colours = COLOURS.flatMap((colour, at) =>
    used.has(`c${at}`) ? `.c${at}{fill:${colour}}` : [],
  );
  const rows = lines.flatMap((line, row) => line.map((run) => textOf(run, row)));
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `<title>${escaped(title)}</title>`,
    `<style>text{font:${SIZE}px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#d7dae0;white-space:pre}.b{font-weight:bold}.d{fill:#8b93a1}${colours.join("")}</style>`,
    `<rect width="${width}" height="${height}" rx="8" fill="#16191f"/>`,
    ...rows,
    "</svg>",
  ].join("\n")}\n`;
}

function typed(command: string): Line {
  return [
    { at: 0, text: "$", style: "d" },
    { at: 2, text: command, style: "b" },
  ];
}

function textOf({ at, text, style }: Run, row: number): string {
  const shown = text.trimStart();
  const column = at + text.length - shown.length;
  const [x, y] = [PAD + column * CELL, PAD + row * LINE + SIZE + 1];
  const place = `x="${round(x)}" y="${y}" textLength="${round(shown.trimEnd().length * CELL)}"`;
  const named = style === "" ? "" : ` class="${style}"`;
  return `<text ${place}${named}>${escaped(shown.trimEnd())}</text>`;
}

const round = (value: number) => Number(value.toFixed(1));

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
