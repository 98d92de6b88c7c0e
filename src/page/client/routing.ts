import type { EventRow, MessageResult, MessageRow, PageRouting } from "../model.ts";
import { openDestination, openTrigger } from "./acts.ts";
import { breakable, button, type Child, fold, h, redraw } from "./dom.ts";
import type { Session } from "./session.ts";

/** How long an event takes from one box to the next, in milliseconds. */
const LEG_MS = 650;
/** Beyond so many dots a line only lights up. */
const MAX_DOTS = 40;
const SVG = "http://www.w3.org/2000/svg";

const TONES: Readonly<Partial<Record<MessageResult, string>>> = {
  delivered: "good",
  simulated: "good",
  "not sent": "warn",
};

type Destination = PageRouting["destinations"][number];
type Line = readonly [from: string, to: string];

/** The routing as a picture, on which events move. */
export class RoutingView {
  readonly element: HTMLElement;
  readonly #session: Session;
  readonly #picture = document.createElementNS(SVG, "svg");
  readonly #paths = document.createElementNS(SVG, "g");
  readonly #nodes = new Map<string, HTMLElement>();
  /** The lines between the nodes, by their keys. */
  #lines: readonly Line[] = [];
  readonly #edges = new Map<string, SVGPathElement>();
  /** When a message reaches its topic, by its ID. */
  readonly #arrivals = new Map<string, number>();
  readonly #quiet = matchMedia("(prefers-reduced-motion: reduce)");
  #dots = 0;
  #shown = "";

  constructor(session: Session) {
    this.#session = session;
    const keydown = (event: KeyboardEvent) => this.#move(event);
    this.element = h("div.picture", { keydown, test: "routing" });
    this.#picture.setAttribute("aria-hidden", "true");
    this.#picture.append(this.#paths);
    new ResizeObserver(() => this.#connect()).observe(this.element);
  }

  /** Draws a routing, unless it is the one that is drawn. */
  show(routing: PageRouting): void {
    const text = JSON.stringify(routing);
    if (text === this.#shown) return;
    this.#shown = text;
    const { events, topics, destinations, eventRoutes, destinationRoutes } = routing;
    this.#lines = [
      ...eventRoutes.map((one) => [`event ${one.eventType}`, `topic ${one.topicId}`] as const),
      ...destinationRoutes.map(
        (one) => [`topic ${one.topicId}`, `destination ${one.destinationId}`] as const,
      ),
    ];
    const { out, isFed, reaches, rank } = connections(this.#lines, topics);
    const box = (kind: string, id: string, ...children: readonly Child[]) => {
      const key = `${kind} ${id}`;
      const marks = [mark(!isFed(key), "no events"), mark(!reaches(key), "no destination")];
      const props = { "data-node": key, test: `${kind}-node` };
      const node = h("div.node", props, ...children, ...marks);
      this.#nodes.set(key, node);
      return node;
    };
    const near = (one: HTMLElement, other: HTMLElement) =>
      rank(one.dataset.node ?? "") - rank(other.dataset.node ?? "");
    const types = events.map((type) => {
      const trigger = () => openTrigger(this.#session, { type });
      return box("event", type, nameButton(type, `Trigger ${type}`, trigger));
    });
    const [unrouted = [], routed = []] = [false, true].map((isRouted) =>
      types.filter(({ dataset }) => out.has(dataset.node ?? "") === isRouted),
    );
    const noun = unrouted.length === 1 ? "event type is" : "event types are";
    const named = topics.map(({ id, name }) =>
      box("topic", id, h("span.name", ...breakable(name))),
    );
    const targets = destinations.map((one) =>
      box("destination", one.id, ...this.#destination(one)),
    );
    const list = (nodes: readonly HTMLElement[]) => h("ul", ...nodes.map((node) => h("li", node)));
    const column = (title: string, nodes: readonly HTMLElement[]) =>
      h("div.column", h("h3", title), list(nodes));
    redraw(
      this.element,
      this.#picture,
      column("Events", routed.toSorted(near)),
      column("Topics", named),
      column("Destinations", targets.toSorted(near)),
      unrouted.length > 0 &&
        h(
          "div.unrouted",
          fold("unrouted", [`${unrouted.length} ${noun} not routed`], [list(unrouted)]),
        ),
    );
    for (const [at, one] of this.#buttons().entries()) one.tabIndex = at === 0 ? 0 : -1;
    this.#connect();
  }

  /** Lets an event be seen: it sets out for its topics. */
  occurred({ type, messages }: EventRow): void {
    this.#flash(`event ${type}`, "on");
    for (const topic of new Set(messages.flatMap((one) => one.topic ?? [])))
      this.#travel(`event ${type}`, `topic ${topic}`, 0, "", () => {});
    if (this.#arrivals.size > 1000) this.#arrivals.clear();
    for (const { id } of messages) this.#arrivals.set(id, performance.now() + LEG_MS);
  }

  /** Lets an attempt be seen: the message goes on to its destination. */
  attempted({ id, topic, destination, result, status, error }: MessageRow): void {
    const wait = Math.max(0, (this.#arrivals.get(id) ?? 0) - performance.now());
    this.#arrivals.delete(id);
    const to = `destination ${destination}`;
    const tone = TONES[result] ?? "bad";
    const why = error === undefined ? status && ` (${status})` : `: ${error}`;
    const last = this.#nodes.get(to)?.querySelector(".last");
    this.#travel(`topic ${topic}`, to, wait, tone, () => {
      this.#flash(to, tone);
      last?.replaceChildren(h(`span.${tone}`, result, why));
    });
  }

  /** Begins anew: nothing has occurred, and nothing been attempted. */
  forget(): void {
    this.#nodes.clear();
    this.#arrivals.clear();
    this.#shown = "";
  }

  #destination(one: Destination): readonly Child[] {
    const { id, name, type, target, failingSince } = one;
    const state = one.state === "active" && failingSince ? "failing" : one.state;
    const open = () => openDestination(this.#session, one);
    return [
      nameButton(name, `Destination ${name}, ${state}`, open),
      h("span.target", target ?? type),
      mark(state !== "active", state),
      this.#nodes.get(`destination ${id}`)?.querySelector(".last") ?? h("span.last"),
    ];
  }

  #buttons(): HTMLButtonElement[] {
    return [...this.element.querySelectorAll<HTMLButtonElement>("button.name")];
  }

  /** The picture is one stop of the Tab key; arrows move in it. */
  #move(event: KeyboardEvent): void {
    const all = this.#buttons().filter((one) => one.checkVisibility());
    const now = all.indexOf(document.activeElement as HTMLButtonElement);
    const steps = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 };
    const step = steps[event.key as keyof typeof steps];
    const next = all[now + (step ?? 0)];
    if (now < 0 || step === undefined || next === undefined) return;
    event.preventDefault();
    for (const one of all) one.tabIndex = one === next ? 0 : -1;
    next.focus();
  }

  /** Draws the lines between the boxes as they lie now. */
  #connect(): void {
    const base = this.element.getBoundingClientRect();
    const boxes = new Map([...this.#nodes].map(([key, one]) => [key, one.getBoundingClientRect()]));
    this.#edges.clear();
    for (const [from, to] of this.#lines) {
      const [start, end] = [boxes.get(from), boxes.get(to)];
      if (start === undefined || end === undefined) continue;
      const [x, y] = [start.right - base.left, start.top + start.height / 2 - base.top];
      const [endX, endY] = [end.left - base.left, end.top + end.height / 2 - base.top];
      const middle = (x + endX) / 2;
      const path = document.createElementNS(SVG, "path");
      path.setAttribute("d", `M${x} ${y}C${middle} ${y} ${middle} ${endY} ${endX} ${endY}`);
      this.#edges.set(`${from} > ${to}`, path);
    }
    this.#paths.replaceChildren(...this.#edges.values());
  }

  #travel(from: string, to: string, wait: number, tone: string, arrive: () => void): void {
    const path = this.#edges.get(`${from} > ${to}`);
    const isStill = this.#quiet.matches || document.hidden || this.#dots >= MAX_DOTS;
    if (path === undefined || isStill) {
      if (!path?.classList.contains("lit"))
        setTimeout(() => path?.classList.remove("lit"), 2 * LEG_MS);
      path?.classList.add("lit");
      arrive();
      return;
    }
    this.#dots += 1;
    const dot = document.createElementNS(SVG, "circle");
    for (const [name, value] of Object.entries({ r: "5", "data-test": "moving", class: tone }))
      dot.setAttribute(name, value);
    dot.style.offsetPath = `path("${path.getAttribute("d")}")`;
    this.#picture.append(dot);
    const way = [{ offsetDistance: "0%" }, { offsetDistance: "100%" }];
    const timing = { duration: LEG_MS, delay: wait, easing: "ease-in-out" };
    dot.animate(way, { ...timing, fill: "backwards" }).onfinish = () => {
      this.#dots -= 1;
      dot.remove();
      arrive();
    };
  }

  #flash(key: string, tone: string): void {
    const node = this.#nodes.get(key);
    const shown = node?.closest("details:not([open])") ?? node;
    if (shown === undefined || shown.getAttribute("data-flash") === tone) return;
    shown.setAttribute("data-flash", tone);
    setTimeout(() => shown.removeAttribute("data-flash"), 1500);
  }
}

/** What lines say of the boxes that they connect, by the keys of these. */
function connections(lines: readonly Line[], topics: PageRouting["topics"]) {
  const into = Map.groupBy(lines, ([, to]) => to);
  const out = Map.groupBy(lines, ([from]) => from);
  const isFed = (key: string): boolean =>
    key.startsWith("event ") || (into.get(key)?.some(([from]) => isFed(from)) ?? false);
  const reaches = (key: string): boolean =>
    key.startsWith("destination ") || (out.get(key)?.some(([, to]) => reaches(to)) ?? false);
  const places = new Map(topics.map(({ id }, at) => [`topic ${id}`, at + 1]));
  // What is connected is near each other, and what is not comes last.
  const rank = (key: string) => {
    const ends = [...(into.get(key) ?? []), ...(out.get(key) ?? [])].flat();
    const found = ends.flatMap((end) => places.get(end) ?? []);
    return found.reduce((sum, place) => sum + place, 0) / found.length || 1e6;
  };
  return { out, isFed, reaches, rank };
}

const mark = (isSo: boolean, text: string) => isSo && h("span.mark", text);

function nameButton(name: string, title: string, click: () => void): HTMLButtonElement {
  const element = button("", click, { class: "name", title, "data-key": `node ${name}` });
  element.append(...breakable(name));
  return element;
}
