import type { EventDetail, EventRow, MessageResult, MessageRow, PageAttempt } from "../model.ts";
import { actAtOnce, offer, openTrigger } from "./acts.ts";
import {
  announce,
  button,
  type Child,
  commandBox,
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

/** The results, those first that need somebody; signs, since not everybody sees the colours. */
const SIGNS: Readonly<Record<MessageResult, string>> = {
  failed: "✕",
  retrying: "↻",
  waiting: "…",
  "not sent": "–",
  simulated: "○",
  delivered: "✓",
};
const RESULTS = Object.keys(SIGNS) as MessageResult[];
const worstFirst = <Each extends MessageRow>(messages: readonly Each[]) =>
  messages.toSorted((one, other) => RESULTS.indexOf(one.result) - RESULTS.indexOf(other.result));
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
  readonly #clear = button("Clear filters", () => this.#clearFilters(), { test: "clear" });
  readonly #filters: { readonly search: HTMLInputElement } & Readonly<
    Record<"event" | "destination" | "result", HTMLSelectElement>
  >;
  #rows: readonly Row[] = [];
  #hasMore = false;
  #isLoading = false;
  /** By what the rows were filtered. */
  #shown = "";
  /** Reads the newest events anew, once for many calls. */
  readonly reloadSoon = later(100, () => this.#reload());

  constructor(session: Session, open: (id: string) => void) {
    this.#session = session;
    const onEnd = () => void (this.#hasMore && !this.#isLoading && this.#readMore());
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
      h("search.filters", ...Object.values(this.#filters), this.#clear),
      this.list.element,
      this.#empty,
    );
  }

  /** Offers what can be filtered by. */
  offer(): void {
    const { routing, eventTypes } = this.#session.state;
    const types = new Set([...eventTypes.map(({ type }) => type), ...routing.events]);
    const names = routing.destinations.map(({ name }) => name);
    const one = (value: string) => [value] as const;
    const { event, destination, result } = this.#filters;
    offer(event, [["", "All event types"], ...[...types].map(one)]);
    offer(destination, [["", "All destinations"], ...names.map(one)]);
    offer(result, [["", "All results"], ...RESULTS.map(one), ["nobody", NOBODY]]);
  }

  /** Notes what became of a message. */
  update(eventId: string, message: MessageRow): void {
    const row = this.#rows.find(({ id }) => id === eventId);
    if (row) row.messages = row.messages.map((one) => (one.id === message.id ? message : one));
    this.list.draw();
  }

  #clearFilters(): void {
    for (const filter of Object.values(this.#filters)) filter.value = "";
    this.reloadSoon();
  }

  #query(): Readonly<Record<string, string>> {
    const filters = Object.entries(this.#filters).map(([name, { value }]) => [name, value.trim()]);
    return Object.fromEntries(filters);
  }

  #read(query: Readonly<Record<string, string>>) {
    this.#isLoading = true;
    return this.#session
      .get<{ readonly events: readonly Row[]; readonly more: boolean }>("events", {
        ...query,
        limit: String(CHUNK),
      })
      .finally(() => {
        this.#isLoading = false;
      });
  }

  /** Reads the newest events; older ones that are known stay where nothing is missing between. */
  async #reload(): Promise<void> {
    const query = this.#query();
    const shown = JSON.stringify([query, this.#session.project]);
    const old = shown === this.#shown ? this.#rows : [];
    const { events, more } = await this.#read(query);
    const last = old.findIndex(({ id }) => id === events.at(-1)?.id);
    this.#rows = last < 0 ? events : [...events, ...old.slice(last + 1)];
    if (last < 0) this.#hasMore = more;
    const known = new Set(old.map(({ id }) => id));
    const fresh = shown === this.#shown ? events.filter(({ id }) => !known.has(id)) : [];
    this.#shown = shown;
    this.#show(fresh.length);
    if (fresh.length > 0)
      announce(fresh.length > 1 ? `${fresh.length} new events` : `New event ${fresh[0]?.type}`);
  }

  async #readMore(): Promise<void> {
    const before = this.#rows.at(-1)?.id ?? "";
    const { events, more } = await this.#read({ ...this.#query(), before });
    // They have been read anew meanwhile.
    if (this.#rows.at(-1)?.id !== before) return;
    this.#rows = [...this.#rows, ...events];
    this.#hasMore = more;
    this.#show();
  }

  #show(added = 0): void {
    const { length } = this.#rows;
    const isFiltered = Object.values(this.#query()).some(Boolean);
    this.list.show(this.#rows, added);
    this.#count.textContent = `${length.toLocaleString("en")}${this.#hasMore ? "+" : ""}`;
    this.#clear.hidden = !isFiltered;
    this.#empty.hidden = length > 0;
    this.#empty.textContent = isFiltered
      ? "No event matches these filters."
      : "No event has occurred yet. Trigger one.";
  }
}

function renderRow({ type, time, about, messages }: Row, session: Session): readonly Child[] {
  const results = [...Map.groupBy(worstFirst(messages), ({ result }) => result)].map(
    ([result, all]) => {
      const open = all.filter(({ next }) => next !== undefined);
      const [next] = open
        .flatMap((one) => (session.isPaused(one.destination) ? [] : (one.next ?? [])))
        .sort();
      const shown = resultText(result, all.length > 1 ? ` ${all.length}` : "");
      if (next !== undefined) shown.append(" ", countdown(next));
      else if (open.length > 0) shown.append(" when resumed");
      return shown;
    },
  );
  if (results.length === 0) results.push(h("span.mark", NOBODY));
  const shown = h("span.results", { test: "results" }, ...results);
  return [timeElement(time), h("span.type", type), h("span.about", about), shown];
}

/** One event with its deliveries. */
export class EventPanel {
  readonly element = h("div.panel-content");
  readonly #session: Session;
  #id = "";
  readonly #readSoon = later(100, () => this.open(this.#id));

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

  /** Reads the event anew if it is shown. */
  changed(eventId = this.#id): void {
    if (eventId === this.#id && this.element.isConnected) this.#readSoon();
  }

  #render({ id, type, time, about, data, messages }: EventDetail): readonly Child[] {
    const none = `The event ${NOBODY}: no topic with a destination is routed to ${type}.`;
    return [
      h("h2", { id: "panel-title", tabindex: -1, "data-key": "title", test: "event-title" }, type),
      factList({ Time: timeElement(time, true), About: about, ID: idText(id) }),
      fold(`${id} data`, ["Data"], [textBlock("data", JSON.stringify(data) ?? "")]),
      messages.length === 0 && h("p.mark", { test: "nobody" }, none),
      ...worstFirst(messages).map((message) => this.#message(message)),
    ];
  }

  #message({ id, topic, destinationName, ...message }: EventDetail["messages"][number]) {
    const { result, tries, next, error, attempts } = message;
    const { maxAttempts, routing } = this.#session.state;
    const name = routing.topics.find((one) => one.id === topic)?.name;
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
            `attempt ${attempts + 1} of ${maxAttempts} `,
            ...(this.#session.isPaused(message.destination)
              ? ["when the destination is resumed"]
              : [countdown(next), ", at ", timeElement(next)]),
          ),
        tries.length === 0 && error !== undefined && h("span", error),
      ),
      ...tries.toReversed().map((one, at) => attemptPart(id, one, at === 0)),
      ...(message.needsAnyHost
        ? [
            h("p.hint", "To receive the next events on this machine:"),
            commandBox(() => this.#session.command("listen"))[0],
            h("p.hint", "To deliver to other machines:"),
            commandBox(() => ["amp", "sandbox", "start", "--deliver-to-any-host"])[0],
          ]
        : []),
      actAtOnce(this.#session, {
        label: "Redeliver",
        command: () => ["trigger", "--from", id],
        test: "redeliver",
        path: "redeliver",
        body: () => ({ id }),
        done: () => `Delivered again to ${destinationName}`,
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
