/** Elements, all of whose texts are set as text. */
import { quote } from "../../values/shell.ts";

/** What an element contains; `false` and `undefined` are left out. */
export type Child = Node | string | number | boolean | undefined;
type Props = Readonly<Record<string, unknown>>;
type Tags = HTMLElementTagNameMap;

/**
 * Makes an element of a kind such as `p.hint`. An attribute that is `false` or `undefined` is left
 * out, a function is a listener, and `test` is `data-test`.
 */
export function h<Tag extends keyof Tags>(
  kind: Tag | `${Tag}.${string}`,
  first?: Props | Child,
  ...others: readonly Child[]
): Tags[Tag] {
  const [tag, name] = kind.split(".") as [Tag, string?];
  const element = document.createElement(tag);
  if (name) element.className = name;
  const hasProps = typeof first === "object" && !(first instanceof Node);
  for (const [attribute, value] of Object.entries(hasProps ? first : {})) {
    if (typeof value === "function") element.addEventListener(attribute, (event) => value(event));
    else if (value !== undefined && value !== false)
      element.setAttribute(attribute === "test" ? "data-test" : attribute, String(value));
  }
  element.append(...shown(hasProps ? others : [first as Child, ...others]));
  return element;
}

const shown = (children: readonly Child[]) =>
  children.filter((child) => child !== undefined && typeof child !== "boolean") as Node[];

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
export function idText(id: string): HTMLElement {
  const copy = copyButton("ID", () => id);
  return h("span", h("code", id), copy);
}

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
  const message = h("p.toast", { test: "toast", "aria-hidden": "true" }, text);
  document.body.append(message);
  setTimeout(() => message.remove(), 5000);
  announce(text);
}

/** A button that copies a text at one click. */
export function copyButton(what: string, text: () => string): HTMLButtonElement {
  const label = h("span", "Copy");
  const click = async () => {
    await navigator.clipboard.writeText(text());
    label.textContent = "Copied";
    announce(`Copied ${what}`);
    setTimeout(() => label.replaceChildren("Copy"), 1500);
  };
  return h("button.copy", { type: "button", test: "copy", click }, label, unseen(` ${what}`));
}

/** A command of amp with a button to copy it, and what shows it as it is then. */
export function commandBox(words: () => readonly string[]): [HTMLElement, () => void] {
  const code = h("code", { test: "command" });
  const parts = () => words().flatMap((word) => [" ", h("span", quote(word))]);
  const update = () => code.replaceChildren(...parts().slice(1));
  update();
  const copy = copyButton("command", () => code.textContent);
  return [h("div.command", code, copy), update];
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
  element.replaceChildren(...shown(children));
  if (key) element.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`)?.focus();
}

/** Lines that can be scrolled, also by keyboard. */
export const preformatted = (what: string, text: string) =>
  h("pre", { tabindex: 0, role: "group", "aria-label": what }, text);

/** A text, indented if it is JSON, with a button to copy it as it came. */
export function textBlock(what: string, text: string): HTMLElement {
  const json = parsed(text);
  const indented = json === undefined ? text : JSON.stringify(json, null, 2);
  const copy = copyButton(what, () => text);
  return h("div.block", preformatted(what, indented), copy);
}

/** The value of a JSON text; undefined for any other text. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
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
