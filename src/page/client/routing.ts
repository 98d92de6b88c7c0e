import type { EventRow, MessageRow, PageRouting } from "../model.ts";
import { openDestination, openTrigger } from "./acts.ts";
import { breakable, button, type Child, make, redraw, unseen } from "./dom.ts";
import type { Session } from "./session.ts";

/** The parts of the way of an event, in milliseconds. */
const LEG_MS = 650;
/** Beyond so many dots at once a way only lights up. */
const MAX_DOTS = 40;

const SVG = "http://www.w3.org/2000/svg";

/** The routing as a picture, on which events move. */
export class RoutingPicture {
  readonly element = make("div", { class: "picture", test: "routing" });
  readonly #session: Session;
  readonly #lines = document.createElementNS(SVG, "svg");
  readonly #paths = document.createElementNS(SVG, "g");
  readonly #nodes = new Map<string, HTMLElement>();
  readonly #edges = new Map<string, SVGPathElement>();
  /** When the first leg of a message ends, by its ID. */
  readonly #arrivals = new Map<string, number>();
  readonly #quiet = matchMedia("(prefers-reduced-motion: reduce)");
  #dots = 0;
  #shown = "";

  constructor(session: Session) {
    this.#session = session;
    this.#lines.setAttribute("aria-hidden", "true");
    this.#lines.append(this.#paths);
    this.element.addEventListener("keydown", (event) => this.#move(event));
    for (const name of ["pointerover", "focusin"])
      this.element.addEventListener(name, (event) => this.#light(event.target as Element));
    for (const name of ["pointerleave", "focusout"])
      this.element.addEventListener(name, () => this.#light(undefined));
    new ResizeObserver(() => this.#connect()).observe(this.element);
  }

  /** Draws a routing, unless it is the one that is drawn. */
  show(routing: PageRouting): void {
    const text = JSON.stringify(routing);
    if (text === this.#shown) return;
    this.#shown = text;
    this.#nodes.clear();
    const rank = new Map(routing.topics.map(({ id }, at) => [id, at + 1]));
    const mean = (topics: readonly string[]) =>
      topics.reduce((sum, id) => sum + (rank.get(id) ?? 0), 0) / topics.length;
    const routed = routing.events.filter(({ topics }) => topics.length > 0);
    const unrouted = routing.events.filter(({ topics }) => topics.length === 0);
    const feeding = (id: string) =>
      routing.topics.filter((one) => one.destinations.includes(id)).map((one) => one.id);
    // What is connected is near each other.
    const events = routed.toSorted((a, b) => mean(a.topics) - mean(b.topics));
    const destinations = routing.destinations.toSorted(
      (a, b) => (mean(feeding(a.id)) || Infinity) - (mean(feeding(b.id)) || Infinity) || 0,
    );
    redraw(
      this.element,
      this.#lines,
      this.#column(
        "Events",
        events.map((event) => this.#event(event, routing)),
      ),
      this.#column(
        "Topics",
        routing.topics.map((topic) => this.#topic(topic, routing)),
      ),
      this.#column(
        "Destinations",
        destinations.map((one) => this.#destination(one, feeding(one.id), routing)),
      ),
      unrouted.length > 0 && this.#unrouted(unrouted.map(({ type }) => type)),
    );
    const [first] = this.#buttons();
    if (first) first.tabIndex = 0;
    this.#connect();
  }

  /** Lets an event be seen: it sets out for its topics. */
  occurred({ type, messages }: EventRow): void {
    const from = `event ${type}`;
    this.#flash(from, "on");
    const topics = new Set(messages.flatMap(({ topic }) => topic ?? []));
    for (const topic of topics) this.#travel(from, `topic ${topic}`, 0, "");
    for (const { id } of messages) this.#arrivals.set(id, performance.now() + LEG_MS);
    if (this.#arrivals.size > 1000) this.#arrivals.clear();
  }

  /** Lets an attempt be seen: the message goes on to its destination. */
  attempted({ id, topic, destination, result, status, error }: MessageRow): void {
    const wait = Math.max(0, (this.#arrivals.get(id) ?? 0) - performance.now());
    this.#arrivals.delete(id);
    const to = `destination ${destination}`;
    const tone = result === "delivered" ? "good" : result === "waiting" ? "" : "bad";
    const arrive = () => {
      this.#flash(to, tone || "on");
      const last = this.#nodes.get(to)?.querySelector(".last");
      const why = status ?? error;
      if (last) last.textContent = `${result}${why === undefined ? "" : ` (${why})`}`;
      last?.setAttribute("data-tone", tone);
    };
    if (topic === undefined) arrive();
    else this.#travel(`topic ${topic}`, to, wait, tone, arrive);
  }

  #column(title: string, nodes: readonly HTMLElement[]): HTMLElement {
    const items = nodes.map((node) => make("li", {}, node));
    return make("div", { class: "column" }, make("h3", {}, title), make("ul", {}, ...items));
  }

  #node(key: string, props: object, ...children: readonly Child[]): HTMLElement {
    const node = make("div", { ...props, class: "node", "data-node": key }, ...children);
    this.#nodes.set(key, node);
    return node;
  }

  #event({ type, topics }: PageRouting["events"][number], routing: PageRouting): HTMLElement {
    const goesTo = routing.topics.filter(({ id }) => topics.includes(id));
    const reaches = goesTo.some(({ destinations }) => destinations.length > 0);
    const names = goesTo.map(({ name }) => name).join(", ");
    return this.#node(
      `event ${type}`,
      { test: "event-node" },
      this.#button(type, unseen(` goes to ${names}. Trigger it.`), () =>
        openTrigger(this.#session, { type }),
      ),
      !reaches && make("span", { class: "mark" }, "no destination"),
    );
  }

  #topic({ id, name, destinations }: PageRouting["topics"][number], routing: PageRouting) {
    const isFed = routing.events.some(({ topics }) => topics.includes(id));
    return this.#node(
      `topic ${id}`,
      { test: "topic-node" },
      make("span", { class: "name" }, ...breakable(name)),
      !isFed && make("span", { class: "mark" }, "no events"),
      destinations.length === 0 && make("span", { class: "mark" }, "no destination"),
    );
  }

  #destination(
    one: PageRouting["destinations"][number],
    topics: readonly string[],
    routing: PageRouting,
  ): HTMLElement {
    const isFed = routing.events.some((event) => event.topics.some((id) => topics.includes(id)));
    const state = one.failingSince && one.state === "active" ? "failing" : one.state;
    return this.#node(
      `destination ${one.id}`,
      { test: "destination-node" },
      this.#button(one.name, unseen(`, ${one.type}`), () => {
        const { destinations = [] } = this.#session.state?.routing ?? {};
        openDestination(this.#session, destinations.find(({ id }) => id === one.id) ?? one);
      }),
      make("span", { class: "target" }, one.target ?? one.type),
      state !== "active" && make("span", { class: "mark", test: "state" }, state),
      !isFed && make("span", { class: "mark" }, "no events"),
      make("span", { class: "last" }),
    );
  }

  #button(name: string, more: HTMLElement, onClick: () => void): HTMLButtonElement {
    const element = button("", onClick, { class: "name", tabindex: -1, "data-key": name });
    element.append(...breakable(name), more);
    return element;
  }

  /** The event types that are routed nowhere: there are many, so they are folded. */
  #unrouted(types: readonly string[]): HTMLElement {
    const items = types.map((type) =>
      make(
        "li",
        {},
        this.#node(
          `event ${type}`,
          {},
          this.#button(type, unseen(" reaches no destination. Trigger it."), () =>
            openTrigger(this.#session, { type }),
          ),
        ),
      ),
    );
    const noun = types.length === 1 ? "event type reaches" : "event types reach";
    return make(
      "details",
      { class: "unrouted", test: "unrouted" },
      make("summary", {}, `${types.length} ${noun} no destination: not routed`),
      make("ul", {}, ...items),
    );
  }

  #buttons(): HTMLButtonElement[] {
    return [...this.element.querySelectorAll<HTMLButtonElement>("button.name")];
  }

  /** The picture is one stop of the Tab key; arrows move in it. */
  #move(event: KeyboardEvent): void {
    const columns = [...this.element.querySelectorAll(".column, .unrouted[open]")]
      .map((column) => [...column.querySelectorAll<HTMLButtonElement>("button.name")])
      .filter((column) => column.length > 0);
    const now = document.activeElement as HTMLButtonElement;
    const at = columns.findIndex((column) => column.includes(now));
    const column = columns[at];
    if (column === undefined) return;
    const row = column.indexOf(now);
    const aside = (step: number) => {
      const next = columns[at + step];
      return next?.[Math.min(row, next.length - 1)];
    };
    const targets: Readonly<Record<string, HTMLButtonElement | undefined>> = {
      ArrowDown: column[row + 1],
      ArrowUp: column[row - 1],
      ArrowRight: aside(1),
      ArrowLeft: aside(-1),
      Home: column[0],
      End: column.at(-1),
    };
    const next = targets[event.key];
    if (next === undefined) return;
    event.preventDefault();
    for (const one of this.#buttons()) one.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  }

  /** Draws the lines between the boxes as they lie now. */
  #connect(): void {
    const { topics = [], events = [] } = this.#session.state?.routing ?? {};
    const all = [
      ...events.flatMap(({ type, topics }) =>
        topics.map((id) => [`event ${type}`, `topic ${id}`] as const),
      ),
      ...topics.flatMap(({ id, destinations }) =>
        destinations.map((to) => [`topic ${id}`, `destination ${to}`] as const),
      ),
    ];
    const base = this.element.getBoundingClientRect();
    const boxes = new Map(
      [...this.#nodes].map(([key, node]) => [key, node.getBoundingClientRect()]),
    );
    this.#edges.clear();
    for (const [from, to] of all) {
      const [start, end] = [boxes.get(from), boxes.get(to)];
      if (start === undefined || end === undefined || start.width === 0) continue;
      const [x, y] = [start.right - base.left, start.top + start.height / 2 - base.top];
      const [endX, endY] = [end.left - base.left, end.top + end.height / 2 - base.top];
      const middle = (x + endX) / 2;
      const path = document.createElementNS(SVG, "path");
      path.setAttribute("d", `M${x} ${y}C${middle} ${y} ${middle} ${endY} ${endX} ${endY}`);
      this.#edges.set(`${from} > ${to}`, path);
    }
    this.#paths.replaceChildren(...this.#edges.values());
  }

  /** Lights up all that a box is connected to, in both directions. */
  #light(target: Element | undefined): void {
    const key = target?.closest("[data-node]")?.getAttribute("data-node");
    const lit = new Set(key ? [key] : []);
    const pairs = [...this.#edges.keys()].map((edge) => edge.split(" > ") as [string, string]);
    const follow = (from: 0 | 1) => {
      const reached = new Set(key ? [key] : []);
      for (const one of reached)
        for (const pair of pairs) if (pair[from] === one) reached.add(pair[1 - from] ?? "");
      for (const one of reached) lit.add(one);
      return reached;
    };
    const [after, before] = [follow(0), follow(1)];
    for (const [name, node] of this.#nodes) node.classList.toggle("lit", lit.has(name));
    for (const [edge, path] of this.#edges) {
      const [from = "", to = ""] = edge.split(" > ");
      const isLit = (after.has(from) && after.has(to)) || (before.has(from) && before.has(to));
      path.classList.toggle("lit", isLit);
    }
  }

  #travel(from: string, to: string, wait: number, tone: string, arrive?: () => void): void {
    const path = this.#edges.get(`${from} > ${to}`);
    if (path === undefined) {
      arrive?.();
      return;
    }
    path.setAttribute("data-moved", String(Number(path.getAttribute("data-moved") ?? 0) + 1));
    if (this.#quiet.matches || this.#dots >= MAX_DOTS || document.hidden) {
      path.classList.add("lit");
      setTimeout(() => path.classList.remove("lit"), 2 * LEG_MS);
      arrive?.();
      return;
    }
    const dot = document.createElementNS(SVG, "circle");
    dot.setAttribute("r", "5");
    dot.setAttribute("data-test", "moving");
    dot.setAttribute("data-tone", tone);
    dot.style.offsetPath = `path("${path.getAttribute("d")}")`;
    const frames = [{ offsetDistance: "0%" }, { offsetDistance: "100%" }];
    const timing = {
      duration: LEG_MS,
      delay: wait,
      easing: "ease-in-out",
      fill: "backwards",
    } as const;
    this.#dots += 1;
    this.#lines.append(dot);
    dot.animate(frames, timing).onfinish = () => {
      this.#dots -= 1;
      dot.remove();
      arrive?.();
    };
  }

  #flash(key: string, tone: string): void {
    const node = this.#nodes.get(key);
    const shown = node?.checkVisibility() ? node : node?.closest("details");
    shown?.setAttribute("data-flash", tone);
    setTimeout(() => shown?.removeAttribute("data-flash"), 1500);
  }
}
