import type { CasePage, PageState } from "../model.ts";

type Query = Readonly<Record<string, string | undefined>>;

const TOKEN = tokenOfAddress();

/**
 * What the server shows: a sandbox or a case.
 * @throws {Error} with the words of the server
 */
export async function load(): Promise<PageState | CasePage> {
  return (await request("state")).json();
}

/** The connection to a running sandbox, with its state as it was last read. */
export class Session {
  state: PageState;
  project: string;
  #stream = new AbortController();

  constructor(state: PageState) {
    this.state = state;
    this.project = state.project;
  }

  /** @throws {Error} with the words of the server */
  async reload(): Promise<void> {
    this.state = await this.get<PageState>("state");
  }

  /** @throws {Error} with the words of the server */
  async get<Answer>(path: string, query: Query = {}): Promise<Answer> {
    return (await request(path, { project: this.project, ...query })).json();
  }

  /** @throws {Error} with the words of the server */
  async post(path: string, body: object): Promise<void> {
    await request(path, {}, { method: "POST", body: JSON.stringify(body) });
  }

  /** Shows another project: the stream begins anew. */
  choose(project: string): void {
    this.project = project;
    this.#stream.abort();
  }

  /** Whether deliveries to a destination wait until it is resumed. */
  isPaused(destination: string): boolean {
    const { destinations } = this.state.routing;
    return destinations.some(({ id, state }) => id === destination && state === "paused");
  }

  /** The words of a command of amp that reaches this sandbox. */
  command(...words: readonly string[]): readonly string[] {
    const { baseUrl, project, projects } = this.state;
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
        const { signal } = this.#stream;
        const { body } = await request("stream", { project: this.project }, { signal });
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
}

async function request(path: string, query: Query = {}, init: RequestInit = {}): Promise<Response> {
  const url = new URL(path, location.href);
  for (const [name, value] of Object.entries(query)) if (value) url.searchParams.set(name, value);
  const headers = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" };
  const answer = await fetch(url, { ...init, headers }).catch(() => {
    throw new Error("The sandbox does not answer. Start it again.");
  });
  if (!answer.ok) throw new Error(await problemText(answer));
  return answer;
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
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  onFrame: (name: string, data: unknown) => void,
): Promise<void> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  for (let text = ""; ; ) {
    const { done, value } = await reader.read();
    if (done) return;
    const parts = (text + value).split("\n\n");
    text = parts.pop() ?? "";
    for (const [at, part] of parts.entries()) {
      const [, name, data] = /^event: ?(.*)\ndata: ?(.*)$/mu.exec(part) ?? [];
      if (name !== undefined && data !== undefined) onFrame(name, JSON.parse(data));
      // Hundreds may come at once, and a person may scroll meanwhile.
      if (at % 20 === 19) await new Promise((resolve) => setTimeout(resolve));
    }
  }
}
