import type { CasePage, PageState } from "../model.ts";

/** A frame of the stream. */
export interface Frame {
  readonly name: string;
  readonly data: unknown;
}

type Query = Readonly<Record<string, string | undefined>>;

/** The connection to the server that served this page. */
export class Session {
  /** The newest state of the sandbox. */
  state: PageState | undefined;
  project: string | undefined;
  readonly #token = tokenOfAddress();

  /** The state of what is shown; that of a sandbox is kept. */
  async load(): Promise<PageState | CasePage> {
    const state = (await this.get("state")) as PageState | CasePage;
    if (state.kind === "sandbox") {
      this.state = state;
      this.project = state.project;
    }
    return state;
  }

  /**
   * Asks the server.
   * @throws {Error} with the words of the server
   */
  async get(path: string, query: Query = {}): Promise<unknown> {
    return (await this.#fetch(path, query)).json();
  }

  /**
   * Lets the server do something in the project that is shown.
   * @throws {Error} with the words of the server
   */
  async post(path: string, body: object): Promise<unknown> {
    const answer = await this.#fetch(path, {}, { ...body, project: this.project });
    return answer.json();
  }

  /** The words of a command of amp that reaches this sandbox. */
  command(...words: readonly string[]): readonly string[] {
    const { baseUrl = "", project = "", projects = [] } = this.state ?? {};
    const isDefault = /^http:\/\/(?:127\.0\.0\.1|localhost):4747\//u.test(baseUrl);
    return [
      "amp",
      ...words,
      ...(project === projects[0] || words[0] === "sandbox" ? [] : ["--project", project]),
      "--profile",
      "sandbox",
      ...(isDefault ? [] : ["--base-url", baseUrl]),
    ];
  }

  /**
   * What happens, as it happens, over broken connections.
   * @param onConnection called with whether there is a connection
   */
  async *frames(onConnection: (isLive: boolean) => void, signal: AbortSignal) {
    for (let wait = 250; !signal.aborted; wait = Math.min(wait * 2, 5000)) {
      try {
        const { body } = await this.#fetch("stream", {}, undefined, signal);
        if (body === null) throw new Error("the stream has no body");
        onConnection(true);
        wait = 250;
        for await (const frame of framesOf(body)) yield frame;
      } catch {
        // The next attempt follows.
      }
      if (signal.aborted) return;
      onConnection(false);
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  }

  async #fetch(
    path: string,
    query: Query,
    body?: object,
    signal: AbortSignal | null = null,
  ): Promise<Response> {
    const url = new URL(path, new URL("./", location.href));
    for (const [name, value] of Object.entries({ project: this.project, ...query }))
      if (value && body === undefined) url.searchParams.set(name, value);
    const answer = await fetch(url, {
      method: body === undefined ? "GET" : "POST",
      headers: {
        authorization: `Bearer ${this.#token}`,
        ...(body && { "content-type": "application/json" }),
      },
      body: body ? JSON.stringify(body) : null,
      signal,
    });
    if (answer.ok) return answer;
    throw new Error(await problemText(answer));
  }
}

/**
 * The token that the address came with. It leaves the address, so that it is in no history, and
 * stays in this tab.
 */
function tokenOfAddress(): string {
  const given = location.hash.slice(1);
  const key = "amp-sandbox-token";
  if (given === "" || given.startsWith("/")) return sessionStorage.getItem(key) ?? "";
  sessionStorage.setItem(key, given);
  history.replaceState(null, "", `${location.pathname}#/`);
  return given;
}

async function problemText(answer: Response): Promise<string> {
  if (answer.status === 401)
    return "This page needs the link that amp printed, with its token. Open that link again.";
  const problem = (await answer.json().catch(() => ({}))) as {
    readonly title?: string;
    readonly detail?: string;
    readonly issues?: readonly { readonly name?: string; readonly detail?: string }[];
  };
  const { title = `HTTP ${answer.status}`, detail, issues = [] } = problem;
  const texts = issues.map((issue) => [issue.name, issue.detail].filter(Boolean).join(": "));
  return [detail ?? title, ...texts].join(" ");
}

async function* framesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Frame> {
  let text = "";
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const parts = (text + value).split("\n\n");
    text = parts.pop() ?? "";
    for (const part of parts) {
      const name = /^event: ?(.*)$/mu.exec(part)?.[1];
      const data = /^data: ?(.*)$/mu.exec(part)?.[1];
      if (name !== undefined && data !== undefined) yield { name, data: JSON.parse(data) };
    }
  }
}
