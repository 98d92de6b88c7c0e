import type { EventDetail, EventRow, MessageResult, MessageRow, PageAttempt } from "../model.ts";
import { actAtOnce, openTrigger } from "./acts.ts";
import {
  announce,
  button,
  type Child,
  copyButton,
  countdown,
  factList,
  fold,
  h,
  idText,
  later,
  redraw,
  textBlock,
  timeElement,
  unseen,
} from "./dom.ts";
import { LongList } from "./list.ts";
import type { Session } from "./session.ts";

/** A sign with each result, since not everybody sees its colour. */
const SIGNS: Readonly<Record<MessageResult, string>> = {
  retrying: "↻",
  failed: "✕",
  "not sent": "–",
  waiting: "…",
  delivered: "✓",
};
const RESULTS = Object.keys(SIGNS) as MessageResult[];
const NOBODY = "reached no destination";

/** The number of events that are read at once. */
const CHUNK = 500;

function resultText(result: MessageResult, more = ""): HTMLElement {
  return h("span.result", { "data-result": result }, `${SIGNS[result]} ${result}${more}`);
}

type Row = Omit<EventRow, "messages"> & { messages: readonly MessageRow[] };

/** The list of events, the newest first, with search and filters. */
export class EventList {
  readonly element: HTMLElement;
  readonly list: LongList<Row>;
  readonly #session: Session;
  readonly #count = h("span.count", { test: "count" });
  readonly #empty = h("p.empty");
  readonly #filters: Readonly<Record<string, HTMLSelectElement | HTMLInputElement>>;
  #rows: Row[] = [];
  #hasMore = false;
  #isLoading = false;
  #asked = 0;
  #added: Row[] = [];
  /** What was said of messages while the list was read. */
  readonly #latest = new Map<string, MessageRow>();
  /** Reads the newest events anew, once for many calls. */
  readonly reloadSoon = later(250, () => void this.reload());
  readonly #showSoon = later(50, () => this.#showAdded());

  constructor(session: Session, open: (id: string) => void) {
    this.#session = session;
    const onEnd = () =>
      void (this.#hasMore && !this.#isLoading && this.#read(this.#rows.at(-1)?.id));
    const render = (row: Row) => renderRow(row, session);
    this.list = new LongList<Row>({ label: "Events", render, open, onEnd });
    const input = this.reloadSoon;
    const select = (label: string, test: string) =>
      h("select", { "aria-label": label, test: `filter-${test}`, input });
    const search = { type: "search", placeholder: "Search", "aria-label": "Search events" };
    this.#filters = {
      search: h("input", { ...search, test: "search", input }),
      event: select("Event type", "event"),
      destination: select("Destination", "destination"),
      result: select("Result", "result"),
    };
    const props = { class: "main", test: "trigger" };
    const trigger = button("Trigger event…", () => openTrigger(session), props);
    this.element = h(
      "section.events",
      { "aria-labelledby": "events-title" },
      h("header", h("h2", { id: "events-title" }, "Events"), this.#count, trigger),
      h("search.filters", ...Object.values(this.#filters)),
      this.list.element,
      this.#empty,
    );
  }

  /** Offers what can be filtered by. */
  offer(): void {
    const { routing, eventTypes = [] } = this.#session.state ?? {};
    const types = new Set([...eventTypes, ...(routing?.events ?? [])].map(({ type }) => type));
    const offers: Readonly<Record<string, readonly (readonly [value: string, label?: string])[]>> =
      {
        event: [["", "All event types"], ...[...types].map((type) => [type] as const)],
        destination: [
          ["", "All destinations"],
          ...(routing?.destinations ?? []).map(({ name }) => [name] as const),
        ],
        result: [["", "All results"], ...RESULTS.map((one) => [one] as const), ["nobody", NOBODY]],
      };
    for (const [name, choices] of Object.entries(offers)) {
      const select = this.#filters[name];
      const { value = "" } = select ?? {};
      const all = choices.map(([each, label]) => h("option", { value: each }, label ?? each));
      select?.replaceChildren(...all);
      if (select && choices.some(([each]) => each === value)) select.value = value;
    }
  }

  /** Reads the newest events anew. */
  reload(): Promise<void> {
    return this.#read(undefined);
  }

  /** Adds an event that occurred; many at once are drawn together. */
  add(event: EventRow): void {
    if (this.#isFiltered()) this.reloadSoon();
    else this.#added.push({ ...event });
    this.#showSoon();
  }

  /** Notes what became of a message. */
  update(eventId: string, message: MessageRow): void {
    if (this.#isFiltered()) this.reloadSoon();
    if (this.#isLoading) this.#latest.set(message.id, message);
    for (const rows of [this.#added, this.#rows]) {
      const row = rows.find(({ id }) => id === eventId);
      if (row) row.messages = row.messages.map((one) => (one.id === message.id ? message : one));
    }
    this.list.draw();
  }

  #showAdded(): void {
    // What is read may be older than what was added.
    if (this.#isLoading) {
      this.#showSoon();
      return;
    }
    const known = new Set(this.#rows.slice(0, CHUNK).map(({ id }) => id));
    const fresh = this.#added.splice(0).filter(({ id }) => !known.has(id));
    this.#rows = [...fresh.toReversed(), ...this.#rows];
    this.#show(fresh.length);
    if (fresh.length > 0)
      announce(fresh.length > 1 ? `${fresh.length} new events` : `New event ${fresh[0]?.type}`);
  }

  #isFiltered(): boolean {
    return Object.values(this.#filters).some(({ value }) => value.trim() !== "");
  }

  async #read(before: string | undefined): Promise<void> {
    if (!this.#isLoading) this.#latest.clear();
    this.#isLoading = true;
    const filters = Object.entries(this.#filters).map(([name, { value }]) => [name, value.trim()]);
    const query = { ...Object.fromEntries(filters), before, limit: String(CHUNK) };
    const asked = ++this.#asked;
    const found = await this.#session
      .get<{ readonly events: readonly Row[]; readonly more: boolean }>("events", query)
      .finally(() => {
        this.#isLoading = asked !== this.#asked;
      });
    // Another question has been asked meanwhile.
    if (asked !== this.#asked) return;
    for (const row of found.events)
      row.messages = row.messages.map((one) => this.#latest.get(one.id) ?? one);
    this.#rows = [...(before === undefined ? [] : this.#rows), ...found.events];
    this.#hasMore = found.more;
    this.#show();
  }

  #show(added = 0): void {
    const { length } = this.#rows;
    this.list.show(this.#rows, added);
    this.#count.textContent = `${length.toLocaleString("en")}${this.#hasMore ? "+" : ""}`;
    this.#empty.hidden = length > 0;
    this.#empty.textContent = this.#isFiltered()
      ? "No event matches these filters."
      : "No event has occurred yet. Trigger one.";
  }
}

function renderRow({ type, time, about, messages }: Row, session: Session): readonly Child[] {
  // In the order of the destinations, which stays as it is.
  const results = [...Map.groupBy(messages, ({ result }) => result)].map(([result, all]) => {
    const open = all.filter(({ next }) => next !== undefined);
    const [next] = open
      .flatMap((one) => (session.isPaused(one.destination) ? [] : (one.next ?? [])))
      .sort();
    const shown = resultText(result, all.length > 1 ? ` ${all.length}` : "");
    if (next !== undefined) shown.append(" ", countdown(next));
    else if (open.length > 0) shown.append(" when resumed");
    return shown;
  });
  if (results.length === 0) results.push(h("span.mark", NOBODY));
  const shown = h("span.results", { test: "results" }, ...results);
  return [timeElement(time), h("span.type", type), h("span.about", about), shown];
}

/** One event with its deliveries. */
export class EventPanel {
  readonly element = h("div.panel-content");
  readonly #session: Session;
  #id = "";
  readonly #readSoon = later(100, () => void this.open(this.#id));

  constructor(session: Session) {
    this.#session = session;
  }

  /** @throws {Error} with the words of the server */
  async open(id: string): Promise<void> {
    if (id !== this.#id) this.element.replaceChildren();
    this.#id = id;
    const event = await this.#session.get<EventDetail>(`events/${encodeURIComponent(id)}`);
    if (id === this.#id) redraw(this.element, ...this.#render(event));
  }

  /** Reads the event anew if it is shown: its destinations may be paused or resumed. */
  refresh(): void {
    if (this.element.isConnected) this.#readSoon();
  }

  /** Reads the event anew if it is this one. */
  changed(eventId: string): void {
    if (eventId === this.#id) this.#readSoon();
  }

  #render({ id, type, time, about, data, messages }: EventDetail): readonly Child[] {
    const none = `The event ${NOBODY}: no topic with a destination is routed to ${type}.`;
    return [
      h("h2", { id: "panel-title", tabindex: -1, test: "event-title" }, type),
      factList({ Time: timeElement(time, true), About: about, ID: idText(id) }),
      fold(`${id} data`, ["Data"], [textBlock("data", JSON.stringify(data) ?? "")]),
      messages.length === 0 && h("p.mark", { test: "nobody" }, none),
      ...messages.map((message) => this.#message(message)),
    ];
  }

  #message({ id, topic, destinationName, ...message }: EventDetail["messages"][number]) {
    const { result, tries, next, error, attempts } = message;
    const { maxAttempts: max = 0 } = this.#session.state ?? {};
    const isForeign = error?.endsWith("not on this machine");
    const name = this.#session.state?.routing.topics.find((one) => one.id === topic)?.name;
    const way = topic === undefined ? "directly" : `by topic ${name ?? topic}`;
    return h(
      "article.message",
      { test: "message", "aria-label": `Delivery to ${destinationName}` },
      h("h3", destinationName, " ", h("small", way)),
      h(
        "p.state",
        { test: "result" },
        resultText(result),
        next !== undefined &&
          h(
            "span",
            `attempt ${attempts + 1} of ${max} `,
            ...(this.#session.isPaused(message.destination)
              ? ["when the destination is resumed"]
              : [countdown(next), ", at ", timeElement(next)]),
          ),
        isForeign &&
          h("span", "To deliver to other machines: amp sandbox start --deliver-to-any-host"),
        tries.length === 0 && error !== undefined && h("span", error),
      ),
      ...tries.toReversed().map((one, at) => attemptPart(id, one, at === 0)),
      actAtOnce(this.#session, {
        label: "Redeliver",
        words: ["trigger", "--from", id],
        test: "redeliver",
        path: "redeliver",
        body: () => ({ id }),
        done: `Delivered again to ${destinationName}`,
      }),
    );
  }
}

function attemptPart(messageId: string, attempt: PageAttempt, isLast: boolean): HTMLElement {
  const { number, time, outcome, status, durationMs, error, signature, request, answer } = attempt;
  const key = `${messageId} ${number}`;
  const { verdict = "", detail } = signature ?? {};
  const isValid = verdict.endsWith("is valid");
  const result = outcome.replace("_", " ");
  // Nothing was sent: why is all that there is to say.
  const isUnsent = outcome === "failed" && request === undefined;
  const facts = [
    request && status !== undefined && h("span", `HTTP ${status}`),
    durationMs !== undefined && h("span", `${durationMs} ms`),
    timeElement(time),
  ];
  const checked = h(
    isValid ? "span.good" : "span.bad",
    { test: "signature" },
    `${isValid ? "✓" : "✕"} ${verdict}${detail ? `: ${detail}` : ""}`,
  );
  return fold(
    key,
    [
      `Attempt ${number} `,
      h("span.outcome", { "data-result": result }, isUnsent ? error : result),
      h("span.aside", ...facts),
    ],
    [
      !isUnsent && error !== undefined && h("p.error", error),
      factList({ Signature: verdict && checked, URL: request?.url }),
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
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const copy = copyButton(`${title} headers`, () => lines.join("\n"));
  const content = [
    h("div.block", factList(headers, "headers"), copy),
    body === "" ? h("p.hint", "No body") : textBlock(`${title} body`, body),
  ];
  return fold(key, [title, unseen(` of attempt ${key}`)], content, isOpen);
}
