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

/** The routing as a picture, on which events move. */
export class RoutingView {
  readonly element: HTMLElement;
  readonly #session: Session;
  readonly #lines = document.createElementNS(SVG, "svg");
  readonly #paths = document.createElementNS(SVG, "g");
  readonly #nodes = new Map<string, HTMLElement>();
  /** The lines by their ends. */
  readonly #edges = new Map<string, SVGPathElement>();
  /** When a message reaches its topic, by its ID. */
  readonly #arrivals = new Map<string, number>();
  readonly #quiet = matchMedia("(prefers-reduced-motion: reduce)");
  #dots = 0;
  #shown = "";

  constructor(session: Session) {
    this.#session = session;
    const keydown = (event: KeyboardEvent) => this.#move(event);
    const light = (event: Event) => this.#light(event.target as Element);
    const props = { keydown, pointerover: light, focusin: light, test: "routing" };
    this.element = h("div.picture", props);
    this.#lines.setAttribute("aria-hidden", "true");
    this.#lines.append(this.#paths);
    new ResizeObserver(() => this.#connect()).observe(this.element);
  }

  /** Draws a routing, unless it is the one that is drawn. */
  show(routing: PageRouting): void {
    const text = JSON.stringify(routing);
    if (text === this.#shown) return;
    this.#shown = text;
    const { events, topics, destinations } = routing;
    const order = new Map(topics.map(({ id }, at) => [id, at + 1]));
    const feeding = (one: Destination) =>
      topics.filter((topic) => topic.destinations.includes(one.id)).map(({ id }) => id);
    // What is connected is near each other, and what is not comes last.
    const rank = (ids: readonly string[]) =>
      ids.reduce((sum, id) => sum + (order.get(id) ?? 0), 0) / ids.length || 1e6;
    const routed = events.filter((one) => one.topics.length > 0);
    const unrouted = events.filter((one) => one.topics.length === 0);
    const isFed = (ids: readonly string[]) =>
      events.some((one) => one.topics.some((id) => ids.includes(id)));
    const reaches = (ids: readonly string[]) =>
      topics.some((one) => ids.includes(one.id) && one.destinations.length > 0);
    const noun = unrouted.length === 1 ? "event type is" : "event types are";
    redraw(
      this.element,
      this.#lines,
      column(
        "Events",
        routed
          .toSorted((a, b) => rank(a.topics) - rank(b.topics))
          .map((one) => this.#event(one.type, reaches(one.topics))),
      ),
      column(
        "Topics",
        topics.map((one) => this.#topic(one, isFed([one.id]))),
      ),
      column(
        "Destinations",
        destinations
          .toSorted((a, b) => rank(feeding(a)) - rank(feeding(b)))
          .map((one) => this.#destination(one, isFed(feeding(one)))),
      ),
      unrouted.length > 0 &&
        h(
          "div.unrouted",
          fold(
            "unrouted",
            [`${unrouted.length} ${noun} not routed`],
            [h("ul", ...unrouted.map((one) => h("li", this.#event(one.type, false))))],
          ),
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

  #node(key: string, test: string, ...children: readonly Child[]): HTMLElement {
    const node = h("div.node", { "data-node": key, test }, ...children);
    this.#nodes.set(key, node);
    return node;
  }

  #event(type: string, reaches: boolean): HTMLElement {
    const name = nameButton(type, `Trigger ${type}`, () => openTrigger(this.#session, { type }));
    return this.#node(`event ${type}`, "event-node", name, mark(!reaches, "no destination"));
  }

  #topic({ id, name, destinations }: PageRouting["topics"][number], isFed: boolean) {
    const marks = [mark(!isFed, "no events"), mark(destinations.length === 0, "no destination")];
    return this.#node(`topic ${id}`, "topic-node", h("span.name", ...breakable(name)), ...marks);
  }

  #destination(one: Destination, isFed: boolean): HTMLElement {
    const { id, name, type, target, failingSince } = one;
    const state = one.state === "active" && failingSince ? "failing" : one.state;
    const open = () => openDestination(this.#session, one);
    return this.#node(
      `destination ${id}`,
      "destination-node",
      nameButton(name, `Destination ${name}, ${state}`, open),
      h("span.target", target ?? type),
      mark(state !== "active", state),
      mark(!isFed, "no events"),
      this.#nodes.get(`destination ${id}`)?.querySelector(".last") ?? h("span.last"),
    );
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
    const { topics = [], events = [] } = this.#session.state?.routing ?? {};
    const pairs = [
      ...events.flatMap((one) => one.topics.map((id) => [`event ${one.type}`, `topic ${id}`])),
      ...topics.flatMap((one) =>
        one.destinations.map((id) => [`topic ${one.id}`, `destination ${id}`]),
      ),
    ];
    const base = this.element.getBoundingClientRect();
    const boxes = new Map([...this.#nodes].map(([key, one]) => [key, one.getBoundingClientRect()]));
    this.#edges.clear();
    for (const [from = "", to = ""] of pairs) {
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

  /** Lights up the lines of the box that is pointed at. */
  #light(target: Element): void {
    const key = target.closest("[data-node]")?.getAttribute("data-node");
    for (const [edge, path] of this.#edges)
      path.classList.toggle("lit", key !== undefined && edge.split(" > ").includes(key ?? ""));
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
    this.#lines.append(dot);
    const way = [{ offsetDistance: "0%" }, { offsetDistance: "100%" }];
    const timing = {
      duration: LEG_MS,
      delay: wait,
      easing: "ease-in-out",
      fill: "backwards",
    } as const;
    dot.animate(way, timing).onfinish = () => {
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

function column(title: string, nodes: readonly HTMLElement[]): HTMLElement {
  return h("div.column", h("h3", title), h("ul", ...nodes.map((node) => h("li", node))));
}

const mark = (isSo: boolean, text: string) => isSo && h("span.mark", text);

function nameButton(name: string, title: string, click: () => void): HTMLButtonElement {
  const element = button("", click, { class: "name", title, "data-key": `node ${name}` });
  element.append(...breakable(name));
  return element;
}
