import type { CasePage, EventRow, MessageRow, PageInstallation, PageState } from "../model.ts";
import { openFail, openForward, openReset, openTrigger } from "./acts.ts";
import {
  button,
  type Child,
  commandBox,
  copyButton,
  factList,
  fold,
  later,
  make,
  redraw,
  setClock,
  tick,
  timeElement,
} from "./dom.ts";
import { EventList, EventPanel } from "./events.ts";
import { LongList } from "./list.ts";
import { RoutingPicture } from "./routing.ts";
import { Session } from "./session.ts";

const HEALTH: Readonly<Record<PageInstallation["health"], string>> = {
  healthy: "✓ healthy",
  failing: "✕ failing",
  attention: "! attention",
};

/** The installations of the world, with their health. */
class InstallationList {
  readonly element: HTMLElement;
  readonly #session: Session;
  readonly #list: LongList<PageInstallation>;
  readonly #search = make("input", {
    type: "search",
    placeholder: "Search",
    "aria-label": "Search installations",
  });
  readonly #count = make("span", { class: "count" });

  constructor(session: Session, open: (id: string) => void) {
    this.#session = session;
    this.#list = new LongList<PageInstallation>({
      label: "Installations",
      test: "installations",
      keyOf: ({ id }) => id,
      render: ({ customer, integration, provider, health, reason }) => [
        make("span", { class: "type" }, customer),
        make("span", { class: "about" }, `${integration}, ${provider}`),
        make("span", { class: "about" }, reason ?? ""),
        make("span", { class: "results" }, healthText(health)),
      ],
      open: ({ id }) => open(id),
    });
    this.#search.addEventListener("input", () => this.show());
    this.element = make(
      "section",
      { class: "events installations", "aria-labelledby": "installations-title" },
      make("header", {}, make("h2", { id: "installations-title" }, "Installations"), this.#count),
      make("search", { class: "filters" }, this.#search),
      this.#list.element,
    );
  }

  show(): void {
    const wanted = this.#search.value.trim().toLowerCase();
    const all = this.#session.state?.installations ?? [];
    const found = all.filter((one) => Object.values(one).join("\n").toLowerCase().includes(wanted));
    this.#list.show(found);
    this.#count.textContent = found.length.toLocaleString("en");
  }

  mark(id: string | undefined): void {
    this.#list.mark(id);
  }

  focus(): void {
    this.#list.element.focus();
  }

  /** The page of one installation. */
  panel(id: string): readonly Child[] {
    const found = this.#session.state?.installations.find((one) => one.id === id);
    if (found === undefined) return [make("h2", { id: "panel-title", tabindex: -1 }, "Not found")];
    const { customer, integration, provider, health, reason, since } = found;
    const commands = [
      ["installations", "get", id],
      ["case", "create", id],
    ];
    return [
      make("h2", { id: "panel-title", tabindex: -1 }, customer),
      factList({
        Health: healthText(health),
        Reason: reason,
        Since: since && timeElement(since, true),
        Integration: integration,
        Provider: provider,
        ID: make(
          "span",
          {},
          make("code", {}, id),
          copyButton("installation ID", () => id),
        ),
      }),
      button("Trigger an event about it…", () => openTrigger(this.#session, { about: id })),
      make("p", { class: "hint" }, "More on the command line:"),
      ...commands.map((words) => commandBox(() => this.#session.command(...words)).element),
    ];
  }
}

function healthText(health: PageInstallation["health"]): HTMLElement {
  return make("span", { class: "result", "data-result": health }, HEALTH[health]);
}

/** The page of a running sandbox. */
class SandboxPage {
  readonly #session: Session;
  readonly #picture: RoutingPicture;
  readonly #events: EventList;
  readonly #installations: InstallationList;
  readonly #panel: EventPanel;
  readonly #aside = make("aside", {
    class: "panel",
    "aria-labelledby": "panel-title",
    hidden: true,
  });
  readonly #views: HTMLElement;
  readonly #nav = make("nav", { "aria-label": "Views" });
  readonly #facts = make("div", { class: "facts-line" });
  readonly #connection = make("span", { class: "live", role: "status", test: "connection" });
  readonly #refreshSoon = later(150, () => void this.#refresh());

  constructor(session: Session) {
    this.#session = session;
    this.#picture = new RoutingPicture(session);
    this.#events = new EventList(session, (id) => go(`/events/${encodeURIComponent(id)}`));
    this.#installations = new InstallationList(session, (id) =>
      go(`/installations/${encodeURIComponent(id)}`),
    );
    this.#panel = new EventPanel(session);
    this.#views = make("div", { class: "views" });
  }

  async start(): Promise<void> {
    const acts = [
      button("Fail deliveries…", () => openFail(this.#session), { test: "fail" }),
      button("Forward clock…", () => openForward(this.#session), { test: "forward" }),
      button("Reset…", () => openReset(this.#session), { test: "reset" }),
    ];
    document
      .getElementById("app")
      ?.replaceChildren(
        make(
          "header",
          { class: "top" },
          make("h1", {}, "Sandbox"),
          this.#nav,
          this.#facts,
          make("div", { class: "acts", role: "group", "aria-label": "Acts" }, ...acts),
        ),
        make("main", { id: "main", tabindex: -1 }, this.#views, this.#aside),
      );
    addEventListener("hashchange", () => void this.#show());
    addEventListener("keydown", (event) => {
      if (event.key === "Escape" && !document.querySelector("dialog")) this.#close();
    });
    setInterval(tick, 500);
    this.#drawState();
    await this.#events.reload();
    await this.#show();
    void this.#follow();
  }

  /** Shows what the address names. */
  async #show(): Promise<void> {
    const [, view = "", id] = location.hash.slice(1).split("/").map(decodeURIComponent);
    const isInstallations = view === "installations";
    const routing = make("section", { class: "routing", "aria-label": "Routing" });
    routing.append(make("h2", {}, "Routing"), this.#picture.element);
    const shown = isInstallations ? [this.#installations.element] : [routing, this.#events.element];
    if (this.#views.firstElementChild?.className !== shown[0]?.className)
      this.#views.replaceChildren(...shown);
    const link = (href: string, text: string, isCurrent: boolean) =>
      make("a", { href, "aria-current": isCurrent && "page" }, text);
    redraw(
      this.#nav,
      link("#/", "Events", !isInstallations),
      link("#/installations", "Installations", isInstallations),
    );
    const list = isInstallations ? this.#installations : this.#events;
    list.mark(id);
    this.#aside.hidden = !id;
    document.body.classList.toggle("has-panel", Boolean(id));
    if (!id) return;
    const close = button("×", () => this.#close(), { class: "close", "aria-label": "Close (Esc)" });
    if (isInstallations) {
      this.#aside.replaceChildren(close, ...this.#installations.panel(id).filter(isNode));
    } else {
      this.#aside.replaceChildren(close, this.#panel.element);
      await this.#panel.open(id).catch((error: Error) => {
        const title = make("h2", { id: "panel-title", tabindex: -1 }, "Not found");
        this.#panel.element.replaceChildren(title, make("p", {}, error.message));
      });
    }
    document.getElementById("panel-title")?.focus();
  }

  #close(): void {
    const [, view = "", id] = location.hash.slice(1).split("/");
    if (!id) return;
    const isInstallations = view === "installations";
    go(isInstallations ? "/installations" : "/");
    (isInstallations ? this.#installations : this.#events).focus();
  }

  async #refresh(): Promise<void> {
    await this.#session.load();
    this.#drawState();
  }

  #drawState(): void {
    const { state } = this.#session;
    if (state === undefined) return;
    const { project, projects, clock, routing, faults } = state;
    setClock(clock.now);
    document.title = `Sandbox · ${project}`;
    const select = make("select", { "aria-label": "Project", "data-key": "project" });
    for (const name of projects) select.append(make("option", { value: name }, name));
    select.value = project;
    select.addEventListener("change", () => {
      this.#session.project = select.value;
      void this.#refresh().then(() => this.#events.reload());
    });
    const broken = faults.map(({ destination, kind, status, left }) =>
      make(
        "span",
        { class: "mark", test: "fault" },
        `next ${left} to ${destination ?? "any destination"}: ${status ?? kind}`,
      ),
    );
    redraw(
      this.#facts,
      projects.length > 1 ? select : make("span", {}, project),
      make("span", { class: "clock", "data-clock": "", test: "clock" }),
      clock.timeScale !== 1 &&
        make("span", {}, `waits ${clock.timeScale.toLocaleString("en")}× shorter`),
      ...broken,
      this.#connection,
    );
    tick();
    this.#picture.show(routing);
    this.#events.offer();
    this.#installations.show();
  }

  async #follow(): Promise<void> {
    let isFirst = true;
    const onConnection = (isLive: boolean) => {
      this.#connection.textContent = isLive ? "Live" : "Reconnecting…";
      this.#connection.classList.toggle("off", !isLive);
      if (isLive && !isFirst) void this.#refresh().then(() => this.#events.reload());
      if (isLive) isFirst = false;
    };
    const { signal } = new AbortController();
    for await (const { name, data } of this.#session.frames(onConnection, signal)) {
      if (name === "event") {
        this.#events.add(data as EventRow);
        this.#picture.occurred(data as EventRow);
      } else if (name === "attempt") {
        const { eventId, message } = data as { eventId: string; message: MessageRow };
        this.#events.update(eventId, message);
        this.#panel.changed(eventId);
        this.#picture.attempted(message);
      } else if (name === "state") this.#refreshSoon();
    }
  }
}

function go(view: string): void {
  location.hash = view;
}

function isNode(child: Child): child is Node {
  return child instanceof Node;
}

function casePage(found: CasePage): HTMLElement[] {
  const { title, aside, origin, headline, tone, verdict, evidence, rules } = found;
  const { operations, requests, redacted } = found;
  const section = (name: string, ...content: readonly Child[]) =>
    make("section", { class: "part", test: name.toLowerCase() }, make("h2", {}, name), ...content);
  const table = (columns: readonly string[], rows: readonly (readonly (string | number)[])[]) =>
    make(
      "table",
      {},
      make("thead", {}, make("tr", {}, ...columns.map((one) => make("th", { scope: "col" }, one)))),
      make(
        "tbody",
        {},
        ...rows.map((row) => make("tr", {}, ...row.map((one) => make("td", {}, one)))),
      ),
    );
  const lines = (texts: readonly string[]) =>
    make("ul", { class: "lines" }, ...texts.map((text) => make("li", {}, text)));
  const facts = verdict.map(({ label, texts }) => [label, lines(texts)] as const);
  return [
    make("header", { class: "top" }, make("h1", {}, "Case"), make("span", {}, origin)),
    make(
      "main",
      { id: "main", tabindex: -1, class: "case" },
      make("h2", { class: "title" }, title, " ", make("small", {}, aside)),
      make("p", { class: "headline", "data-tone": tone, test: "headline" }, headline),
      section("Verdict", factList(Object.fromEntries(facts))),
      section("Evidence", lines(evidence)),
      section(
        "Operations",
        ...operations.map(({ id, time, what, status, logs }) =>
          fold(
            id,
            [
              `${what} `,
              make("span", { class: "outcome", "data-outcome": status }, status),
              make("span", { class: "aside" }, `${id} `, timeElement(time, true)),
            ],
            logs.length === 0
              ? [make("p", { class: "hint" }, "No logs were recorded.")]
              : [make("pre", { tabindex: 0, role: "group", "aria-label": "Logs" }, logText(logs))],
          ),
        ),
      ),
      section(
        "Rules",
        table(
          ["Rule", "Holds", "Why"],
          rules.map(({ rule, holds, why }) => [rule, holds, why]),
        ),
      ),
      section(
        "Requests",
        table(
          ["Status", "Records", "Request"],
          requests.map(({ status, records, request }) => [status, records, request]),
        ),
      ),
      section(
        "Redacted",
        table(
          ["Kind", "Where"],
          redacted.map(({ kind, where }) => [kind, where]),
        ),
      ),
    ),
  ];
}

function logText(logs: CasePage["operations"][number]["logs"]): string {
  return logs.map(({ time, text }) => (time ? `${time}  ${text}` : text)).join("\n");
}

async function start(): Promise<void> {
  const session = new Session();
  const found: PageState | CasePage = await session.load();
  if (found.kind === "sandbox") return new SandboxPage(session).start();
  document.title = `Case · ${found.title}`;
  document.getElementById("app")?.replaceChildren(...casePage(found));
}

start().catch((error: Error) => {
  const text = make("p", { class: "empty", role: "alert", test: "failure" }, error.message);
  document
    .getElementById("app")
    ?.replaceChildren(make("main", { id: "main" }, make("h1", {}, "Sandbox"), text));
});
