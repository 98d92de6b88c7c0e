/** Elements, all of whose texts are set as text. */

import { quote } from "../../values/shell.ts";

/** What an element may contain; `false` and `undefined` are left out. */
export type Child = Node | string | number | boolean | undefined;

/** Attributes, but for `test` (`data-test`) and `on`. Styles are classes: the policy allows no other. */
interface Props {
  readonly test?: string | undefined;
  readonly on?: Readonly<Record<string, (event: Event) => void>>;
  readonly [attribute: string]: unknown;
}

/** Makes an element; an attribute that is `false` or `undefined` is left out. */
export function make<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  props: Props = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  const { test, on = {}, ...attributes } = props;
  const all: Readonly<Record<string, unknown>> = { ...attributes, "data-test": test };
  for (const [name, value] of Object.entries(all)) {
    if (value !== undefined && value !== false)
      element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const [name, listener] of Object.entries(on)) element.addEventListener(name, listener);
  element.append(...children.flatMap((child) => present(child)));
  return element;
}

function present(child: Child): (Node | string)[] {
  if (child === undefined || typeof child === "boolean") return [];
  return [typeof child === "number" ? String(child) : child];
}

export function button(label: string, onClick: () => void, props: Props = {}): HTMLButtonElement {
  return make("button", { type: "button", ...props, on: { click: onClick } }, label);
}

/** Text for screen readers alone. */
export function unseen(text: string): HTMLElement {
  return make("span", { class: "unseen" }, text);
}

/** A name with the places where it may break: after a dot, a dash or a line. */
export function breakable(name: string): Node[] {
  return name.split(/(?<=[._/-])/u).flatMap((part) => [new Text(part), make("wbr")]);
}

/** The terms and what is said of them; a term without text is left out. */
export function factList(facts: Readonly<Record<string, Child>>): HTMLElement {
  const rows = Object.entries(facts).flatMap(([term, value]) =>
    value === undefined || value === "" || value === false
      ? []
      : [make("dt", {}, term), make("dd", {}, value)],
  );
  return make("dl", { class: "facts" }, ...rows);
}

const pending: string[] = [];

/** Says something to a screen reader; what comes within a second is said together, in short. */
export function announce(text: string): void {
  pending.push(text);
  if (pending.length > 1) return;
  setTimeout(() => {
    const said = pending.splice(0);
    const live = document.getElementById("live");
    if (live) live.textContent = said.length > 3 ? `${said.length} changes` : said.join(". ");
  }, 1000);
}

/** Shows a short message for some seconds, and says it. */
export function toast(text: string): void {
  document.querySelector(".toast")?.remove();
  const shown = make("p", { class: "toast", test: "toast", "aria-hidden": "true" }, text);
  document.body.append(shown);
  setTimeout(() => shown.remove(), 5000);
  announce(text);
}

/** A button that copies a text at one click. */
export function copyButton(what: string, text: () => string): HTMLButtonElement {
  const shown = make("span", {}, "Copy");
  const copied = async () => {
    await copyText(text());
    shown.textContent = "Copied";
    announce(`Copied: ${what}`);
    setTimeout(() => {
      shown.textContent = "Copy";
    }, 1500);
  };
  const props = { type: "button", class: "copy", test: "copy", on: { click: () => void copied() } };
  return make("button", props, shown, unseen(` ${what}`));
}

async function copyText(text: string): Promise<void> {
  // A browser has no clipboard for a page of another machine without TLS.
  if (navigator.clipboard !== undefined) return navigator.clipboard.writeText(text);
  const area = make("textarea", { class: "unseen" });
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
}

/** A command of amp, and what shows another one in its place. */
export function commandBox(words: () => readonly string[]): {
  readonly element: HTMLElement;
  readonly update: () => void;
} {
  const line = () => words().map(quote).join(" ");
  const code = make("code", { test: "command" }, line());
  const copy = copyButton("command", line);
  return {
    element: make("div", { class: "command" }, code, copy),
    update: () => {
      code.textContent = line();
    },
  };
}

/** Which folded parts a person has opened or closed, by key: they stay so when they are drawn anew. */
const opened = new Map<string, boolean>();

/** A part that can be folded. */
export function fold(
  key: string,
  summary: readonly Child[],
  content: readonly Child[],
  isOpen = false,
): HTMLDetailsElement {
  const details = make(
    "details",
    { open: opened.get(key) ?? isOpen },
    make("summary", { "data-key": key }, ...summary),
    ...content,
  );
  details.addEventListener("toggle", () => opened.set(key, details.open));
  return details;
}

/** Replaces what an element contains; the focus stays on what has the same `data-key`. */
export function redraw(element: Element, ...children: readonly Child[]): void {
  const focused = document.activeElement;
  const key = element.contains(focused) ? focused?.getAttribute("data-key") : undefined;
  const { scrollTop } = element;
  element.replaceChildren(...children.flatMap(present));
  element.scrollTop = scrollTop;
  if (key) element.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`)?.focus();
}

/** A text in lines of its own, as indented JSON if it is JSON, with a button to copy it as it came. */
export function textBlock(what: string, text: string): HTMLElement {
  const pre = make("pre", { tabindex: 0, role: "group", "aria-label": what }, indented(text));
  return make(
    "div",
    { class: "block" },
    pre,
    copyButton(what, () => text),
  );
}

function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** The last call of several within a time. */
export function later(ms: number, run: () => void): () => void {
  let timer = 0;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(run, ms);
  };
}

let offset = 0;

/** Sets the clock of the page to that of the sandbox, which may have been forwarded. */
export function setClock(now: string): void {
  offset = Date.parse(now) - Date.now();
}

const CLOCK = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium" });
const MOMENT = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "long" });

/** A time of day, with its date where one points at it. */
export function timeElement(time: string, isFull = false): HTMLElement {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return make("span", {}, time);
  const text = (isFull ? MOMENT : CLOCK).format(date);
  return make("time", { datetime: time, title: MOMENT.format(date) }, text);
}

/** The time until a moment, which goes on counting. */
export function countdown(until: string): HTMLElement {
  const element = make("span", { class: "countdown", "data-until": until });
  element.textContent = untilText(until);
  return element;
}

/** Shows all clocks and countdowns as they are now. */
export function tick(): void {
  for (const element of document.querySelectorAll("[data-until]"))
    element.textContent = untilText(element.getAttribute("data-until") ?? "");
  for (const element of document.querySelectorAll("[data-clock]"))
    element.textContent = MOMENT.format(Date.now() + offset);
}

function untilText(until: string): string {
  const seconds = Math.ceil((Date.parse(until) - Date.now() - offset) / 1000);
  if (!(seconds > 0)) return "now";
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const words = parts.flatMap((part, at) => (part > 0 ? `${part} ${["h", "min", "s"][at]}` : []));
  return `in ${words.slice(0, 2).join(" ")}`;
}
