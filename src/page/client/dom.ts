/** Elements, all of whose texts are set as text. */
import { quote } from "../../values/shell.ts";

/** What an element contains; `false` and `undefined` are left out. */
export type Child = Node | string | number | boolean | undefined;
type Props = Readonly<Record<string, unknown>>;
type Tags = HTMLElementTagNameMap;
type Made<Kind> = Kind extends `${infer Tag extends keyof Tags}.${string}`
  ? Tags[Tag]
  : Kind extends keyof Tags
    ? Tags[Kind]
    : never;

/**
 * Makes an element of a kind such as `p.hint`. An attribute that is `false` or `undefined` is left
 * out, a function is a listener, and `test` is `data-test`.
 */
export function h<Kind extends string>(
  kind: Kind,
  first?: Props | Child,
  ...others: readonly Child[]
): Made<Kind> {
  const [tag = "", name] = kind.split(".");
  const element = document.createElement(tag);
  if (name) element.className = name;
  const hasProps = typeof first === "object" && !(first instanceof Node);
  for (const [attribute, value] of Object.entries(hasProps ? first : {})) {
    if (typeof value === "function") element.addEventListener(attribute, (event) => value(event));
    else if (value !== undefined && value !== false)
      element.setAttribute(attribute === "test" ? "data-test" : attribute, String(value));
  }
  append(element, [...(hasProps ? [] : [first as Child]), ...others]);
  return element as Made<Kind>;
}

function append(element: Element, children: readonly Child[]): void {
  for (const child of children)
    if (child !== undefined && typeof child !== "boolean") element.append(child as Node);
}

export function button(label: string, click: () => void, props: Props = {}): HTMLButtonElement {
  return h("button", { type: "button", ...props, click }, label);
}

/** Text for screen readers alone. */
export const unseen = (text: string) => h("span.unseen", text);

/** A name with the places where it may break. */
export const breakable = (name: string) =>
  name.split(/(?<=[._/-])/u).flatMap((part) => [new Text(part), h("wbr")]);

/** Terms and what is said of them; a term without text is left out. */
export function factList(facts: Readonly<Record<string, Child>>, kind = ""): HTMLElement {
  const said = Object.entries(facts).filter(([, fact]) => fact !== undefined && fact !== "");
  return h(`dl.facts ${kind}`, ...said.flatMap(([term, fact]) => [h("dt", term), h("dd", fact)]));
}

/** An ID with a button to copy it. */
export const idText = (id: string) =>
  h(
    "span",
    h("code", id),
    copyButton("ID", () => id),
  );

const pending: string[] = [];

/** Says something to a screen reader: what comes within a second together, and in short. */
export function announce(text: string): void {
  if (pending.push(text) > 1) return;
  setTimeout(() => {
    const said = pending.splice(0);
    const live = document.getElementById("live");
    if (live) live.textContent = said.length > 3 ? `${said.length} changes` : said.join(". ");
  }, 1000);
}

/** Shows a message for some seconds, and says it. */
export function toast(text: string): void {
  document.querySelector(".toast")?.remove();
  const shown = h("p.toast", { test: "toast", "aria-hidden": "true" }, text);
  document.body.append(shown);
  setTimeout(() => shown.remove(), 5000);
  announce(text);
}

/** A button that copies a text at one click. */
export function copyButton(what: string, text: () => string): HTMLButtonElement {
  const shown = h("span", "Copy");
  const click = async () => {
    await navigator.clipboard.writeText(text());
    shown.textContent = "Copied";
    announce(`Copied ${what}`);
    setTimeout(() => shown.replaceChildren("Copy"), 1500);
  };
  return h("button.copy", { type: "button", test: "copy", click }, shown, unseen(` ${what}`));
}

/** A command of amp with a button to copy it, and what shows it as it is then. */
export function commandBox(words: () => readonly string[]): [HTMLElement, () => void] {
  const line = () => words().map(quote).join(" ");
  const parts = () => words().flatMap((word) => [" ", h("span", quote(word))]);
  const code = h("code", { test: "command" });
  const update = () => code.replaceChildren(...parts().slice(1));
  update();
  return [h("div.command", code, copyButton("command", line)), update];
}

/** What a person has opened or closed stays so when it is drawn anew. */
const opened = new Map<string, boolean>();

/** A part that can be folded, by a key. */
export function fold(
  key: string,
  summary: readonly Child[],
  content: readonly Child[],
  isOpen = false,
): HTMLDetailsElement {
  const open = (opened.get(key) ?? isOpen) && "";
  const toggle = ({ target }: Event) => opened.set(key, (target as HTMLDetailsElement).open);
  return h("details", { open, toggle }, h("summary", { "data-key": key }, ...summary), ...content);
}

/** Replaces what an element contains; the focus stays on what has the same `data-key`. */
export function redraw(element: Element, ...children: readonly Child[]): void {
  const focused = document.activeElement;
  const key = element.contains(focused) ? focused?.getAttribute("data-key") : undefined;
  element.replaceChildren();
  append(element, children);
  if (key) element.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`)?.focus();
}

/** A text, indented if it is JSON, with a button to copy it as it came. */
export function textBlock(what: string, text: string): HTMLElement {
  let shown = text;
  try {
    shown = JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    // It is not JSON.
  }
  const pre = h("pre", { tabindex: 0, role: "group", "aria-label": what }, shown);
  const copy = copyButton(what, () => text);
  return h("div.block", pre, copy);
}

/** Runs once for all calls within a time, after it, and never twice at once. */
export function later(ms: number, run: () => Promise<void>): () => void {
  let isWaiting = false;
  let last = Promise.resolve();
  const start = () => {
    isWaiting = false;
    return run();
  };
  return () => {
    if (isWaiting) return;
    isWaiting = true;
    setTimeout(() => {
      last = last.then(start, start);
    }, ms);
  };
}

let offset = 0;

/** Sets the clock of the page to that of the sandbox, which may have been forwarded. */
export function setClock(now: string): void {
  offset = Date.parse(now) - Date.now();
}

const CLOCK = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium" });
const NOW = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
});
const MOMENT = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "long" });

/** A time of day; its date where one points at it, or always. */
export function timeElement(time: string, isFull = false): HTMLElement {
  const date = new Date(time);
  const moment = Number.isNaN(date.getTime()) ? time : MOMENT.format(date);
  const text = isFull || moment === time ? moment : CLOCK.format(date);
  return h("time", { datetime: time, title: moment }, text);
}

/** The time until a moment, which goes on counting. */
export const countdown = (until: string) =>
  h("span.countdown", { "data-until": until }, untilText(until));

/** Shows all clocks and countdowns as they are now. */
export function tick(): void {
  for (const element of document.querySelectorAll("[data-until]"))
    element.textContent = untilText(element.getAttribute("data-until") ?? "");
  for (const element of document.querySelectorAll(".clock"))
    element.textContent = NOW.format(Date.now() + offset);
}

function untilText(until: string): string {
  const seconds = Math.ceil((Date.parse(until) - Date.now() - offset) / 1000);
  if (!(seconds > 0)) return "now";
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const words = parts.flatMap((part, at) => (part > 0 ? `${part} ${["h", "min", "s"][at]}` : []));
  return `in ${words.slice(0, 2).join(" ")}`;
}
