import type { CasePage, PageState } from "../model.ts";

type Query = Readonly<Record<string, string | undefined>>;

/** The connection to the server that served this page. */
export class Session {
  state: PageState | undefined;
  project: string | undefined;
  readonly #token = tokenOfAddress();
  #stream = new AbortController();

  /** What is shown; the state of a sandbox is kept. */
  async load(): Promise<PageState | CasePage> {
    const state = await this.get<PageState | CasePage>("state");
    if (state.kind === "sandbox") {
      this.state = state;
      this.project = state.project;
    }
    return state;
  }

  /** @throws {Error} with the words of the server */
  async get<Answer>(path: string, query: Query = {}): Promise<Answer> {
    return (await this.#fetch(path, query)).json();
  }

  /** @throws {Error} with the words of the server */
  async post(path: string, body: object): Promise<void> {
    await this.#fetch(path, {}, JSON.stringify(body));
  }

  /** Shows another project: the stream begins anew. */
  choose(project: string): void {
    this.project = project;
    this.#stream.abort();
  }

  /** Whether deliveries to a destination wait until it is resumed. */
  isPaused(destination: string): boolean {
    const { destinations = [] } = this.state?.routing ?? {};
    return destinations.some(({ id, state }) => id === destination && state === "paused");
  }

  /** The words of a command of amp that reaches this sandbox. */
  command(...words: readonly string[]): readonly string[] {
    const { baseUrl = "", project = "", projects = [] } = this.state ?? {};
    const isDefault = /^http:\/\/(?:127\.0\.0\.1|localhost):4747\//u.test(baseUrl);
    const isOwn = project === projects[0] || words[0] === "sandbox";
    const target = [...(isOwn ? [] : ["--project", project]), "--profile", "sandbox"];
    return ["amp", ...words, ...target, ...(isDefault ? [] : ["--base-url", baseUrl])];
  }

  /** What happens, as it happens, over broken connections. */
  async follow(
    onConnection: (isLive: boolean) => void,
    onFrame: (name: string, data: unknown) => void,
  ): Promise<never> {
    for (let wait = 250; ; wait = Math.min(wait * 2, 5000)) {
      try {
        this.#stream = new AbortController();
        const { body } = await this.#fetch("stream", {});
        onConnection(true);
        wait = 250;
        if (body) await readFrames(body, onFrame);
      } catch {
        // The next attempt follows.
      }
      onConnection(false);
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  }

  async #fetch(path: string, query: Query, body?: string): Promise<Response> {
    const url = new URL(path, new URL("./", location.href));
    const all: Query = body === undefined ? { project: this.project, ...query } : {};
    for (const [name, value] of Object.entries(all)) if (value) url.searchParams.set(name, value);
    const authorization = `Bearer ${this.#token}`;
    const answer = await fetch(url, {
      ...(body !== undefined && { method: "POST", body }),
      headers: { authorization, "content-type": "application/json" },
      signal: path === "stream" ? this.#stream.signal : null,
    }).catch(() => {
      throw new Error("The sandbox does not answer. Start it again.");
    });
    if (!answer.ok) throw new Error(await problemText(answer));
    return answer;
  }
}

/** The token that the address came with. It leaves the address for this tab: no history has it. */
function tokenOfAddress(): string {
  const given = location.hash.slice(1);
  const key = "amp-token";
  if (given === "" || given.startsWith("/")) return sessionStorage.getItem(key) ?? "";
  sessionStorage.setItem(key, given);
  history.replaceState(null, "", `${location.pathname}#/`);
  return given;
}

async function problemText(answer: Response): Promise<string> {
  if (answer.status === 401) return "Open this page by the link that amp printed: it has a token.";
  const problem: { readonly detail?: string } = await answer.json().catch(() => ({}));
  return problem.detail ?? `HTTP ${answer.status}`;
}

async function readFrames(
  body: ReadableStream<Uint8Array>,
  onFrame: (name: string, data: unknown) => void,
): Promise<void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  for (let text = ""; ; ) {
    const { done, value } = await reader.read();
    if (done) return;
    const parts = (text + decoder.decode(value, { stream: true })).split("\n\n");
    text = parts.pop() ?? "";
    for (const [at, part] of parts.entries()) {
      const [, name, data] = /^event: ?(.*)\ndata: ?(.*)$/mu.exec(part) ?? [];
      if (name !== undefined && data !== undefined) onFrame(name, JSON.parse(data));
      // Hundreds may come at once, and a person may scroll meanwhile.
      if (at % 20 === 19) await new Promise((resolve) => setTimeout(resolve));
    }
  }
}
