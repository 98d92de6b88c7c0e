import xterm from "@xterm/headless";

/** Columns and rows. */
export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** The size that everything has to fit. */
export const USUAL: Size = { columns: 80, rows: 24 };

/** What a terminal makes of the text and the escape codes that a program sends. */
export class Screen {
  readonly #emulator: InstanceType<typeof xterm.Terminal>;
  #cursorShown = true;

  /** @param answer takes what a terminal answers when it is asked, for example where the cursor is */
  constructor({ columns, rows }: Size, answer: (text: string) => void) {
    this.#emulator = new xterm.Terminal({
      cols: columns,
      rows,
      scrollback: 10_000,
      allowProposedApi: true,
    });
    for (const final of ["h", "l"]) {
      this.#emulator.parser.registerCsiHandler({ prefix: "?", final }, (params) => {
        if (params.includes(25)) this.#cursorShown = final === "h";
        return false;
      });
    }
    this.#emulator.onData(answer);
  }

  /** Draws; `drawn` is called once this and all before it is on the screen. */
  draw(data: string, drawn: () => void): void {
    this.#emulator.write(data, drawn);
  }

  resize({ columns, rows }: Size): void {
    this.#emulator.resize(columns, rows);
  }

  get isCursorShown(): boolean {
    return this.#cursorShown;
  }

  /** What a person sees now: as many lines as the terminal has, blank ends cut. */
  visible(): string[] {
    const { baseY } = this.#emulator.buffer.active;
    return this.#lines(baseY, baseY + this.#emulator.rows).map(({ text }) => text);
  }

  /** What a person sees after scrolling up: every line since the start, blank ones at the end cut. */
  transcript(): string[] {
    const lines = this.#all().map(({ text }) => text);
    return lines.slice(0, lines.findLastIndex((text) => text !== "") + 1);
  }

  /** What did not fit into a line, and stands in the one below. */
  wrapped(): string[] {
    return this.#all()
      .filter(({ isWrapped }) => isWrapped)
      .map(({ text }) => text);
  }

  #all() {
    return this.#lines(0, this.#emulator.buffer.active.length);
  }

  #lines(from: number, to: number): { text: string; isWrapped: boolean }[] {
    const buffer = this.#emulator.buffer.active;
    return Array.from({ length: to - from }, (_, at) => {
      const line = buffer.getLine(from + at);
      return { text: line?.translateToString(true) ?? "", isWrapped: line?.isWrapped ?? false };
    });
  }
}
