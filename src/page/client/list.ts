import { type Child, make } from "./dom.ts";

interface ListParts<Row> {
  readonly label: string;
  readonly test: string;
  readonly keyOf: (row: Row) => string;
  readonly render: (row: Row) => readonly Child[];
  readonly open: (row: Row) => void;
  /** Called when the last rows are shown. */
  readonly onEnd?: () => void;
}

/** Rows beyond each edge that are drawn too. */
const BEYOND = 8;

let lists = 0;

/**
 * A list of any length, of which only the visible rows are in the document. One row is the current
 * one, which arrows move; all rows have one height.
 */
export class LongList<Row> {
  readonly element: HTMLElement;
  readonly #space = make("div", { class: "list-space", role: "presentation" });
  readonly #parts: ListParts<Row>;
  readonly #id = `list-${++lists}`;
  #rows: readonly Row[] = [];
  #current: string | undefined;
  #height = 36;
  #frame = 0;

  constructor(parts: ListParts<Row>) {
    this.#parts = parts;
    const { label, test } = parts;
    const props = { class: "list", role: "listbox", tabindex: 0, "aria-label": label, test };
    const on = {
      scroll: () => this.draw(),
      focus: () => this.draw(),
      keydown: (event: Event) => this.#move(event as KeyboardEvent),
      click: (event: Event) => this.#click(event as MouseEvent),
    };
    this.element = make("div", { ...props, on }, this.#space);
    new ResizeObserver(() => this.draw()).observe(this.element);
  }

  /**
   * Shows these rows.
   * @param added the number of new rows at the start: what is in view stays in view
   */
  show(rows: readonly Row[], added = 0): void {
    this.#rows = rows;
    const { element } = this;
    element.hidden = rows.length === 0;
    this.#space.style.height = `${rows.length * this.#height}px`;
    if (added > 0 && element.scrollTop > 0) element.scrollTop += added * this.#height;
    this.draw();
  }

  /** Marks a row as the current one. */
  mark(key: string | undefined): void {
    this.#current = key;
    this.draw();
  }

  /** Draws the visible rows before the next frame. */
  draw(): void {
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0;
      this.#draw();
    });
  }

  #draw(): void {
    const { element } = this;
    const { scrollTop, clientHeight } = element;
    const first = Math.max(0, Math.floor(scrollTop / this.#height) - BEYOND);
    const end = Math.ceil((scrollTop + clientHeight) / this.#height) + BEYOND;
    const shown = this.#rows.slice(first, end).map((row, at) => this.#option(row, first + at));
    const current = this.#index();
    const row = this.#rows[current];
    const isBeyond = row !== undefined && (current < first || current >= end);
    this.#space.replaceChildren(...shown, ...(isBeyond ? [this.#option(row, current)] : []));
    if (row === undefined) element.removeAttribute("aria-activedescendant");
    else element.setAttribute("aria-activedescendant", `${this.#id}-${current}`);
    const height = shown[0]?.offsetHeight ?? 0;
    if (height > 0 && height !== this.#height) {
      this.#height = height;
      this.show(this.#rows);
    }
    if (end >= this.#rows.length && clientHeight > 0) this.#parts.onEnd?.();
  }

  #option(row: Row, at: number): HTMLElement {
    const isCurrent = this.#parts.keyOf(row) === this.#current;
    const option = make(
      "div",
      {
        id: `${this.#id}-${at}`,
        class: "row",
        role: "option",
        "aria-selected": String(isCurrent),
        "aria-posinset": at + 1,
        "aria-setsize": this.#rows.length,
        test: "row",
      },
      ...this.#parts.render(row),
    );
    option.style.transform = `translateY(${at * this.#height}px)`;
    return option;
  }

  #index(): number {
    return this.#rows.findIndex((row) => this.#parts.keyOf(row) === this.#current);
  }

  #move(event: KeyboardEvent): void {
    const last = this.#rows.length - 1;
    const page = Math.max(1, Math.floor(this.element.clientHeight / this.#height) - 1);
    const now = this.#index();
    const row = this.#rows[now];
    if (event.key === "Enter" && row !== undefined) this.#parts.open(row);
    const targets: Readonly<Record<string, number>> = {
      ArrowDown: now + 1,
      ArrowUp: now - 1,
      PageDown: now + page,
      PageUp: now - page,
      Home: 0,
      End: last,
    };
    const target = targets[event.key];
    if (target === undefined) return;
    event.preventDefault();
    const at = Math.max(0, Math.min(last, target));
    const wanted = this.#rows[at];
    if (wanted === undefined) return;
    const top = at * this.#height;
    const { element } = this;
    if (top < element.scrollTop) element.scrollTop = top;
    const bottom = top + this.#height - element.clientHeight;
    if (bottom > element.scrollTop) element.scrollTop = bottom;
    this.mark(this.#parts.keyOf(wanted));
  }

  #click({ clientY }: MouseEvent): void {
    // The row may have been drawn anew since the button went down.
    const at = Math.floor((clientY - this.#space.getBoundingClientRect().top) / this.#height);
    const row = this.#rows[at];
    if (row === undefined) return;
    this.mark(this.#parts.keyOf(row));
    this.#parts.open(row);
  }
}
