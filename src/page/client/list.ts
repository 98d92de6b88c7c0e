import { type Child, h } from "./dom.ts";

interface ListParts<Row> {
  readonly label: string;
  readonly render: (row: Row) => readonly Child[];
  readonly open: (id: string) => void;
  /** Called when the last rows are shown. */
  readonly onEnd?: () => void;
}

/** Rows beyond each edge that are drawn too. */
const BEYOND = 8;

/**
 * A list of any length, of which only the visible rows are in the document. All rows have one
 * height; one is the current one, which arrows move.
 */
export class LongList<Row extends { readonly id: string }> {
  readonly element: HTMLElement;
  readonly #space = h("div.list-space", { role: "presentation" });
  readonly #parts: ListParts<Row>;
  #rows: readonly Row[] = [];
  #current: string | undefined;
  #height = 36;
  #frame = 0;

  constructor(parts: ListParts<Row>) {
    this.#parts = parts;
    const props = { role: "listbox", tabindex: 0, "aria-label": parts.label, test: "list" };
    const keydown = (event: KeyboardEvent) => this.#move(event);
    const click = (event: MouseEvent) => this.#click(event);
    const scroll = () => this.draw();
    this.element = h("div.list", { ...props, scroll, keydown, click }, this.#space);
    new ResizeObserver(scroll).observe(this.element);
  }

  /**
   * Shows these rows.
   * @param added the number of new rows at the start: what is in view stays there
   */
  show(rows: readonly Row[], added = 0): void {
    this.#rows = rows;
    this.element.hidden = rows.length === 0;
    this.#space.style.height = `${rows.length * this.#height}px`;
    if (this.element.scrollTop > 0) this.element.scrollTop += added * this.#height;
    this.draw();
  }

  /** Makes a row the current one. */
  mark(id: string | undefined): void {
    this.#current = id;
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
    if (row && (current < first || current >= end)) shown.push(this.#option(row, current));
    this.#space.replaceChildren(...shown);
    element.setAttribute("aria-activedescendant", row ? `${this.#parts.label}-${current}` : "");
    const height = shown[0]?.offsetHeight ?? 0;
    if (height > 0 && height !== this.#height) {
      this.#height = height;
      this.show(this.#rows);
    }
    if (end >= this.#rows.length && clientHeight > 0) this.#parts.onEnd?.();
  }

  #option(row: Row, at: number): HTMLElement {
    const props = {
      id: `${this.#parts.label}-${at}`,
      role: "option",
      "aria-selected": String(row.id === this.#current),
      "aria-posinset": at + 1,
      "aria-setsize": this.#rows.length,
      test: "row",
    };
    const option = h("div.row", props, ...this.#parts.render(row));
    option.style.transform = `translateY(${at * this.#height}px)`;
    return option;
  }

  #index(): number {
    return this.#rows.findIndex(({ id }) => id === this.#current);
  }

  #move(event: KeyboardEvent): void {
    const { element } = this;
    const page = Math.max(1, Math.floor(element.clientHeight / this.#height) - 1);
    const now = this.#index();
    const last = this.#rows.length - 1;
    const steps = {
      ArrowDown: 1,
      ArrowUp: -1,
      PageDown: page,
      PageUp: -page,
      Home: -now,
      End: last,
    };
    const step = steps[event.key as keyof typeof steps];
    if (event.key === "Enter" && this.#current) this.#parts.open(this.#current);
    if (step === undefined) return;
    event.preventDefault();
    const at = Math.max(0, Math.min(last, now + step));
    const top = at * this.#height;
    const least = top + this.#height - element.clientHeight;
    element.scrollTop = Math.max(least, Math.min(top, element.scrollTop));
    this.mark(this.#rows[at]?.id);
  }

  #click({ clientY }: MouseEvent): void {
    // The row may have been drawn anew since the button went down.
    const top = this.#space.getBoundingClientRect().top;
    const row = this.#rows[Math.floor((clientY - top) / this.#height)];
    if (row) this.#parts.open(row.id);
  }
}
