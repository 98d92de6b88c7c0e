import type { CasePage, EventRow, MessageRow, PageInstallation } from "../model.ts";
import { offer, openFail, openForward, openReset, openTrigger } from "./acts.ts";
import {
  button,
  type Child,
  commandBox,
  factList,
  fold,
  h,
  idText,
  later,
  preformatted,
  redraw,
  setClock,
  tick,
  timeElement,
} from "./dom.ts";
import { EventList, EventPanel } from "./events.ts";
import { LongList } from "./list.ts";
import { RoutingView } from "./routing.ts";
import { load, Session } from "./session.ts";

const go = (...path: readonly string[]) => {
  location.hash = `/${path.map(encodeURIComponent).join("/")}`;
};

const panelTitle = (text: string) => h("h2", { id: "panel-title", tabindex: -1 }, text);

const HEALTH = { healthy: "✓ healthy", failing: "✕ failing", attention: "! attention" };

function healthText(health: PageInstallation["health"]): HTMLElement {
  return h("span.result", { "data-result": health }, HEALTH[health]);
}

function installationRow(one: PageInstallation): readonly Child[] {
  const { customer, integration, provider, health, reason } = one;
  const about = [h("span.about", `${integration}, ${provider}`), h("span.about", reason)];
  return [h("span.type", customer), ...about, h("span.results", healthText(health))];
}

/** All that is shown of a running sandbox: header, views by address, and a panel beside them. */
class SandboxPage {
  readonly #session: Session;
  readonly #picture: RoutingView;
  readonly #events: EventList;
  readonly #panel: EventPanel;
  readonly #installations = new LongList<PageInstallation>({
    label: "Installations",
    render: installationRow,
    open: (id) => go("installations", id),
  });
  readonly #search = h("input", {
    type: "search",
    placeholder: "Search",
    "aria-label": "Search installations",
    test: "search-installations",
    input: () => this.#drawInstallations(),
  });
  readonly #aside = h("aside.panel", { "aria-labelledby": "panel-title", hidden: "" });
  readonly #views = h("div.views");
  readonly #nav = h("nav", { "aria-label": "Views" });
  readonly #facts = h("div.facts-line");
  readonly #connection = h("span.live", { role: "status", test: "connection" });

  constructor(session: Session) {
    this.#session = session;
    this.#picture = new RoutingView(session);
    this.#events = new EventList(session, (id) => go("events", id));
    this.#panel = new EventPanel(session);
  }

  async start(): Promise<void> {
    const acts = [
      button("Fail deliveries…", () => openFail(this.#session), { test: "fail" }),
      button("Forward clock…", () => openForward(this.#session), { test: "forward" }),
      button("Reset…", () => openReset(this.#session), { test: "reset" }),
    ];
    const group = h("div.buttons", { role: "group", "aria-label": "Acts" }, ...acts);
    const routing = h("section.routing", { "aria-label": "Routing" });
    routing.append(h("h2", "Routing"), this.#picture.element);
    const installations = h("section.events", { "aria-label": "Installations" });
    const filters = h("search.filters", this.#search);
    installations.append(h("h2", "Installations"), filters, this.#installations.element);
    this.#views.append(routing, this.#events.element, installations);
    document
      .getElementById("app")
      ?.replaceChildren(
        h("header.top", h("h1", "Sandbox"), this.#nav, this.#facts, group),
        h("main", { id: "main", tabindex: -1 }, this.#views, this.#aside),
      );
    addEventListener("hashchange", () => void this.#show());
    addEventListener("keydown", ({ key }) => {
      if (key === "Escape" && !document.querySelector("dialog")) this.#close();
    });
    setInterval(tick, 500);
    this.#drawState();
    await this.#show();
    await this.#follow();
  }

  /** Shows what the address names. */
  async #show(): Promise<void> {
    const [, view = "", id] = location.hash.slice(1).split("/").map(decodeURIComponent);
    const isInstallations = view === "installations";
    for (const [at, section] of [...this.#views.children].entries())
      (section as HTMLElement).hidden = (at === 2) !== isInstallations;
    const link = (href: string, text: string, isCurrent: boolean) =>
      h("a", { href, "data-key": href, "aria-current": isCurrent && "page" }, text);
    const links = [
      link("#/", "Events", !isInstallations),
      link("#/installations", "Installations", isInstallations),
    ];
    redraw(this.#nav, ...links);
    (isInstallations ? this.#installations : this.#events.list).mark(id);
    this.#aside.hidden = !id;
    document.body.classList.toggle("has-panel", Boolean(id));
    if (!id) return;
    const close = button("×", () => this.#close(), { class: "close", "aria-label": "Close" });
    if (isInstallations) redraw(this.#aside, close, ...this.#installation(id));
    else {
      redraw(this.#aside, close, this.#panel.element);
      await this.#panel.open(id).catch(({ message }: Error) => {
        this.#panel.element.replaceChildren(panelTitle("Not available"), h("p", message));
      });
    }
    document.getElementById("panel-title")?.focus();
  }

  #close(): void {
    const [, view = ""] = location.hash.slice(1).split("/");
    const isInstallations = view === "installations";
    if (this.#aside.hidden) return;
    go(...(isInstallations ? [view] : []));
    (isInstallations ? this.#installations : this.#events.list).element.focus();
  }

  #installation(id: string): readonly Child[] {
    const found = this.#session.state.installations.find((one) => one.id === id);
    if (found === undefined) return [panelTitle("Not found")];
    const { customer, integration, provider, health, reason, since } = found;
    const commands = [["installations", "get", id] as const, ["case", "create", id] as const];
    return [
      panelTitle(customer),
      factList({
        Health: healthText(health),
        Reason: reason,
        Since: since && timeElement(since, true),
        Integration: integration,
        Provider: provider,
        ID: idText(id),
      }),
      button("Trigger an event about it…", () => openTrigger(this.#session, { about: id })),
      h("p.hint", "More on the command line:"),
      ...commands.map((words) => commandBox(() => this.#session.command(...words))[0]),
    ];
  }

  async #refresh(): Promise<void> {
    const { world } = this.#session.state;
    await this.#session.reload();
    // It was reset, perhaps while there was no connection.
    if (this.#session.state.world !== world) {
      this.#picture.forget();
      this.#close();
    }
    this.#drawState();
    this.#panel.changed();
  }

  #drawInstallations(): void {
    const wanted = this.#search.value.trim().toLowerCase();
    const all = this.#session.state.installations;
    const isFound = (one: PageInstallation) =>
      Object.values(one).join("\n").toLowerCase().includes(wanted);
    this.#installations.show(all.filter(isFound));
  }

  #drawState(): void {
    const { project, projects, clock, routing, faults } = this.#session.state;
    setClock(clock.now);
    document.title = `Sandbox · ${project}`;
    const change = () => this.#session.choose(select.value);
    const props = { "aria-label": "Project", "data-key": "project", change };
    const choices = projects.map((value) => [value] as const);
    const select = offer(h("select", props), choices, project);
    const scale = `waits ${clock.timeScale.toLocaleString("en")}× shorter`;
    redraw(
      this.#facts,
      projects.length > 1 ? select : h("span", project),
      h("span.clock", { test: "clock" }),
      clock.timeScale !== 1 && h("span", scale),
      ...faults.map(({ destination = "any destination", kind, status, left }) =>
        h("span.mark", { test: "fault" }, `next ${left} to ${destination}: ${status ?? kind}`),
      ),
      this.#connection,
    );
    tick();
    this.#picture.show(routing);
    this.#events.offer();
    this.#events.reloadSoon();
    this.#drawInstallations();
  }

  async #follow(): Promise<void> {
    const refreshSoon = later(250, () => this.#refresh());
    const onConnection = (isLive: boolean) => {
      this.#connection.textContent = isLive ? "Live" : "Reconnecting…";
      this.#connection.classList.toggle("off", !isLive);
      // What happened before, or while there was no connection.
      if (isLive) refreshSoon();
    };
    await this.#session.follow(onConnection, (name, data) => {
      if (name === "event") {
        this.#events.reloadSoon();
        this.#picture.occurred(data as EventRow);
      } else if (name === "attempt") {
        const { eventId, message } = data as { eventId: string; message: MessageRow };
        this.#events.update(eventId, message);
        this.#panel.changed(eventId);
        this.#picture.attempted(message);
        refreshSoon();
      } else if (name === "state") refreshSoon();
    });
  }
}

function table(
  columns: readonly string[],
  lines: readonly (readonly (string | number)[])[],
): HTMLElement {
  const head = columns.map((name) => h("th", { scope: "col" }, name));
  const body = lines.map((line) => h("tr", ...line.map((text) => h("td", text))));
  return h("table", h("thead", h("tr", ...head)), h("tbody", ...body));
}

function part(name: string, ...content: readonly Child[]): HTMLElement {
  return h(
    "section.part",
    { test: name.toLowerCase(), "aria-label": name },
    h("h2", name),
    ...content,
  );
}

const lineList = (texts: readonly string[]) => h("ul.lines", ...texts.map((text) => h("li", text)));

/** The operations with logs, and the others in one part that can be folded. */
function operationParts(operations: CasePage["operations"]): readonly HTMLElement[] {
  const [others = [], logged = []] = [false, true].map((isLogged) =>
    operations.filter(({ logs }) => logs.length > 0 === isLogged),
  );
  const rest = others.map(({ id, time, what, status }) => [time, id, what, status]);
  return [
    ...logged.map(({ id, time, what, status, logs }) => {
      const aside = h("span.aside", h("span", id), timeElement(time, true));
      const outcome = h("span.outcome", { "data-result": status }, status);
      const lines = preformatted(`Logs of ${id}`, logs.join("\n"));
      return fold(id, [`${what} `, outcome, aside], [lines], true);
    }),
    fold(
      "operations",
      [`${others.length} operations without recorded logs`],
      [table(["Time", "ID", "Operation", "Result"], rest)],
    ),
  ];
}

/** Fills the document with a saved case, which does not change. */
function showCase(found: CasePage): void {
  document.title = `Case · ${found.title}`;
  const verdict = found.verdict.map(({ label, texts }) => [label, lineList(texts)]);
  const parts = [
    h("h2", found.title, " ", h("small", found.aside)),
    h("p.headline", { "data-tone": found.tone, test: "headline" }, found.headline),
    part("Verdict", factList(Object.fromEntries(verdict))),
    part("Evidence", lineList(found.evidence)),
    part("Operations", ...operationParts(found.operations)),
    part("Redacted", table(["Kind", "Where"], found.redacted)),
  ];
  document
    .getElementById("app")
    ?.replaceChildren(
      h("header.top", h("h1", "Case"), h("span", found.origin)),
      h("main.case", { id: "main", tabindex: -1 }, ...parts),
    );
}

async function start(): Promise<void> {
  const found = await load();
  if (found.kind === "case") showCase(found);
  else await new SandboxPage(new Session(found)).start();
}

start().catch(({ message }: Error) => {
  const text = h("p.empty", { role: "alert", test: "failure" }, message);
  const main = h("main", { id: "main" }, h("h1", "Sandbox"), text);
  document.getElementById("app")?.replaceChildren(main);
});
