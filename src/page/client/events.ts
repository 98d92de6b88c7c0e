import type { EventDetail, EventRow, MessageResult, MessageRow, PageAttempt } from "../model.ts";
import { actAtOnce, openTrigger } from "./acts.ts";
import {
  announce,
  breakable,
  button,
  type Child,
  copyButton,
  countdown,
  factList,
  fold,
  later,
  make,
  redraw,
  textBlock,
  timeElement,
  unseen,
} from "./dom.ts";
import { LongList } from "./list.ts";
import type { Session } from "./session.ts";

/** A sign before each result, since colour alone says nothing to some. */
const SIGNS: Readonly<Record<MessageResult, string>> = {
  delivered: "✓",
  retrying: "↻",
  failed: "✕",
  "not sent": "–",
  waiting: "…",
};
const NOBODY = "reached no destination";
const RESULTS = Object.keys(SIGNS) as MessageResult[];
const PAGE = 500;

type MutableRow = Omit<EventRow, "messages"> & { messages: readonly MessageRow[] };
type Filters = Readonly<Record<"event" | "destination" | "result" | "search", string>>;

function resultText(result: MessageResult, more = ""): HTMLElement {
  return make(
    "span",
    { class: "result", "data-result": result },
    `${SIGNS[result]} ${result}${more}`,
  );
}

/** The list of events, the newest first, with search and filters. */
export class EventList {
  readonly element: HTMLElement;
  readonly #session: Session;
  readonly #list: LongList<MutableRow>;
  readonly #count = make("span", { class: "count", test: "count" });
  readonly #empty = make("p", { class: "empty" });
  readonly #selects: Readonly<Record<"event" | "destination" | "result", HTMLSelectElement>>;
  readonly #search = make("input", {
    type: "search",
    placeholder: "Search",
    "aria-label": "Search events",
    test: "search",
  });
  #rows: MutableRow[] = [];
  #byId = new Map<string, MutableRow>();
  #hasMore = false;
  #loading: Promise<void> | undefined;
  #added: EventRow[] = [];
  readonly #reloadSoon = later(300, () => void this.reload());
  readonly #drawAdded = later(50, () => this.#addAll());

  constructor(session: Session, open: (id: string) => void) {
    this.#session = session;
    this.#list = new LongList<MutableRow>({
      label: "Events",
      test: "events",
      keyOf: ({ id }) => id,
      render: (row) => renderRow(row),
      open: ({ id }) => open(id),
      onEnd: () => void this.#loadMore(),
    });
    const select = (name: string, test: string) =>
      make("select", { "aria-label": name, test, on: { change: () => void this.reload() } });
    this.#selects = {
      event: select("Event type", "filter-event"),
      destination: select("Destination", "filter-destination"),
      result: select("Result", "filter-result"),
    };
    this.#search.addEventListener("input", this.#reloadSoon);
    const { event, destination, result } = this.#selects;
    const trigger = button("Trigger event…", () => openTrigger(session), {
      class: "main",
      test: "trigger",
    });
    this.element = make(
      "section",
      { class: "events", "aria-labelledby": "events-title" },
      make("header", {}, make("h2", { id: "events-title" }, "Events"), this.#count, trigger),
      make("search", { class: "filters" }, this.#search, event, destination, result),
      this.#list.element,
      this.#empty,
    );
  }

  /** Offers what can be filtered by. */
  offer(): void {
    const { routing, eventTypes = [] } = this.#session.state ?? {};
    const types = new Set([...eventTypes, ...(routing?.events ?? [])].map(({ type }) => type));
    const names = routing?.destinations.map(({ name }) => name) ?? [];
    const same = (values: Iterable<string>) => [...values].map((one) => [one, one] as const);
    const results = [...same(RESULTS), ["nobody", NOBODY] as const];
    fill(this.#selects.event, "All event types", same(types));
    fill(this.#selects.destination, "All destinations", same(names));
    fill(this.#selects.result, "All results", results);
  }

  /** Reads the newest events anew. */
  async reload(): Promise<void> {
    await this.#loading?.catch(() => {});
    this.#loading = this.#read(undefined);
    await this.#loading;
  }

  mark(id: string | undefined): void {
    this.#list.mark(id);
  }

  focus(): void {
    this.#list.element.focus();
  }

  /** Adds an event that occurred; many at once are drawn together. */
  add(event: EventRow): void {
    if (this.#isFiltered()) this.#reloadSoon();
    else {
      this.#added.push(event);
      this.#drawAdded();
    }
  }

  /** Notes what became of a message. */
  update(eventId: string, message: MessageRow): void {
    if (this.#isFiltered()) this.#reloadSoon();
    const row = this.#byId.get(eventId) ?? this.#added.find(({ id }) => id === eventId);
    if (row === undefined) return;
    const messages = row.messages.map((one) => (one.id === message.id ? message : one));
    Object.assign(row, { messages });
    this.#list.draw();
  }

  #addAll(): void {
    const fresh = this.#added.splice(0).filter(({ id }) => !this.#byId.has(id));
    for (const row of fresh) this.#byId.set(row.id, row);
    this.#rows = [...fresh.toReversed(), ...this.#rows];
    this.#show(fresh.length);
    const [first, second] = fresh;
    if (first !== undefined)
      announce(second === undefined ? `New event ${first.type}` : `${fresh.length} new events`);
  }

  #filters(): Filters {
    const { event, destination, result } = this.#selects;
    const search = this.#search.value.trim();
    return { event: event.value, destination: destination.value, result: result.value, search };
  }

  #isFiltered(): boolean {
    return Object.values(this.#filters()).some((value) => value !== "");
  }

  async #loadMore(): Promise<void> {
    const last = this.#rows.at(-1);
    if (!this.#hasMore || this.#loading !== undefined || last === undefined) return;
    this.#loading = this.#read(last.id);
    await this.#loading;
  }

  async #read(before: string | undefined): Promise<void> {
    try {
      const query = { ...this.#filters(), before, limit: String(PAGE) };
      const { events, more } = (await this.#session.get("events", query)) as {
        readonly events: readonly MutableRow[];
        readonly more: boolean;
      };
      this.#rows = before === undefined ? [...events] : [...this.#rows, ...events];
      this.#byId = new Map(this.#rows.map((row) => [row.id, row]));
      this.#hasMore = more;
    } finally {
      this.#loading = undefined;
    }
    this.#show();
  }

  #show(added = 0): void {
    const { length } = this.#rows;
    this.#list.show(this.#rows, added);
    this.#count.textContent = `${length.toLocaleString("en")}${this.#hasMore ? " and more" : ""}`;
    this.#empty.hidden = length > 0;
    this.#empty.textContent = this.#isFiltered()
      ? "No event matches these filters."
      : "No event has occurred yet. Trigger one, or change an installation.";
  }
}

function fill(
  select: HTMLSelectElement,
  all: string,
  choices: readonly (readonly [value: string, label: string])[],
): void {
  const { value } = select;
  const options = [["", all] as const, ...choices].map(([each, label]) =>
    make("option", { value: each }, label),
  );
  select.replaceChildren(...options);
  select.value = value;
  if (select.selectedIndex < 0) select.value = "";
}

function renderRow({ type, time, about, messages }: EventRow): readonly Child[] {
  const counts = Map.groupBy(messages, ({ result }) => result);
  const results = RESULTS.flatMap((result) => {
    const all = counts.get(result) ?? [];
    const [next] = all.flatMap((one) => one.next ?? []).sort();
    if (all.length === 0) return [];
    const shown = resultText(result, all.length > 1 ? ` ${all.length}` : "");
    if (next !== undefined) shown.append(" ", countdown(next));
    return [shown];
  });
  return [
    timeElement(time),
    make("span", { class: "type" }, type),
    make("span", { class: "about" }, about ?? ""),
    make(
      "span",
      { class: "results", test: "results" },
      ...(results.length > 0 ? results : [make("span", { class: "mark" }, NOBODY)]),
    ),
  ];
}

/** One event with its deliveries. */
export class EventPanel {
  readonly element = make("div", { class: "panel-content" });
  id: string | undefined;
  readonly #session: Session;
  readonly #readSoon = later(100, () => void this.#read());

  constructor(session: Session) {
    this.#session = session;
  }

  async open(id: string): Promise<void> {
    this.id = id;
    this.element.replaceChildren();
    await this.#read();
  }

  /** Reads the event anew if it is this one. */
  changed(eventId: string): void {
    if (eventId === this.id) this.#readSoon();
  }

  async #read(): Promise<void> {
    const { id } = this;
    if (id === undefined) return;
    const event = (await this.#session.get(`events/${encodeURIComponent(id)}`)) as EventDetail;
    if (id === this.id) redraw(this.element, ...this.#render(event));
  }

  #render(event: EventDetail): readonly Child[] {
    const { id, type, time, about, data, messages } = event;
    const names = new Map(this.#session.state?.routing.topics.map((one) => [one.id, one.name]));
    const json = JSON.stringify(data, null, 2) ?? "";
    return [
      make("h2", { id: "panel-title", tabindex: -1, test: "event-title" }, ...breakable(type)),
      factList({
        Time: timeElement(time, true),
        About: about,
        ID: make(
          "span",
          {},
          make("code", {}, id),
          copyButton("event ID", () => id),
        ),
      }),
      fold(`${id} data`, ["Data"], [textBlock("data", json)]),
      make("h3", {}, messages.length === 1 ? "1 delivery" : `${messages.length} deliveries`),
      messages.length === 0 &&
        make(
          "p",
          { class: "mark", test: "nobody" },
          `The event ${NOBODY}: no topic with a destination is routed to ${type}.`,
        ),
      ...messages.map((message) => this.#message(message, names)),
    ];
  }

  #message(
    message: EventDetail["messages"][number],
    topics: ReadonlyMap<string, string>,
  ): HTMLElement {
    const { id, topic, destinationName, result, tries, next, error } = message;
    const way = topic === undefined ? "directly" : `by topic ${topics.get(topic) ?? topic}`;
    const again = async () => {
      await this.#session.post("redeliver", { id });
      return `Delivered again to ${destinationName}`;
    };
    return make(
      "article",
      { class: "message", test: "message", "aria-label": `Delivery to ${destinationName}` },
      make("h4", {}, destinationName, " ", make("small", {}, way)),
      make(
        "p",
        { class: "state", test: "result" },
        resultText(result),
        next !== undefined && make("span", {}, "next attempt ", countdown(next)),
        tries.length === 0 && error !== undefined && make("span", {}, error),
      ),
      ...tries.toReversed().map((one, at) => attemptPart(id, one, at === 0)),
      actAtOnce("Redeliver", this.#session.command("trigger", "--from", id), again, "redeliver"),
    );
  }
}

function attemptPart(messageId: string, attempt: PageAttempt, isLast: boolean): HTMLElement {
  const { number, time, outcome, status, durationMs, error, signature } = attempt;
  const { request, answer, next } = attempt;
  const key = `${messageId} ${number}`;
  const verdict = signature?.verdict ?? "";
  const isValid = verdict === "valid";
  return fold(
    key,
    [
      `Attempt ${number} `,
      make("span", { class: "outcome", "data-outcome": outcome }, outcome.replaceAll("_", " ")),
      make(
        "span",
        { class: "aside" },
        status !== undefined && `HTTP ${status}`,
        durationMs !== undefined && `${durationMs} ms`,
        timeElement(time),
      ),
    ],
    [
      error !== undefined && make("p", { class: "error" }, error),
      factList({
        Signature:
          verdict !== "" &&
          make(
            "span",
            { test: "signature", class: isValid ? "good" : "bad" },
            `${isValid ? "✓" : "✕"} ${verdict}`,
            signature?.detail !== undefined && `: ${signature.detail}`,
          ),
        URL: request?.url,
        "Next attempt": next && timeElement(next, true),
      }),
      request && messagePart(`${key} request`, "Request", request, isLast),
      answer && messagePart(`${key} answer`, "Answer", answer, isLast),
    ],
    isLast,
  );
}

function messagePart(
  key: string,
  title: string,
  { headers, body }: { readonly headers: Readonly<Record<string, string>>; readonly body: string },
  isOpen: boolean,
): HTMLElement {
  const what = title.toLowerCase();
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const list = factList(headers);
  list.classList.add("headers");
  const copy = copyButton(`${what} headers`, () => lines.join("\n"));
  return fold(
    key,
    [title, unseen(` of ${key}`)],
    [
      make("div", { class: "block" }, list, copy),
      body === "" ? make("p", { class: "hint" }, "No body") : textBlock(`${what} body`, body),
    ],
    isOpen,
  );
}
