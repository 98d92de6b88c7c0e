import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import type { Keyring } from "../src/account/keyring.ts";
import { runProgram } from "../src/cli/program.ts";
import { routes } from "../src/commands/routes.ts";
import type { Prompter } from "../src/context/command-context.ts";
import { createContext } from "../src/context/context.ts";
import { createOutputSettings } from "../src/context/output-settings.ts";
import type { Io, Sink } from "../src/io.ts";
import { ProtectedWork } from "../src/runtime/end-process.ts";
import type { Sandbox } from "../src/sandbox/sandbox.ts";
import { noteExit } from "./exit-codes.ts";
import { createSandbox } from "./platform.ts";
import { scriptedPrompter } from "./scripted-prompter.ts";
import { temporaryFolder } from "./temporary-folder.ts";
import { withVariables } from "./typed-variables.ts";
import { UNROUTED } from "./unrouted.ts";

/** A canned answer; one that is never asked for fails the test. */
export interface Reply {
  readonly method?: string;
  /** Path and query below the base URL; absent: whatever is asked. */
  readonly path?: string;
  readonly status?: number;
  /** A string is sent as it is, anything else as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A request that amp sent. */
export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers: Headers;
  readonly body: unknown;
}

/** What one run of amp finds: answers, environment, terminal, files, clock. */
export interface RunInput {
  readonly replies?: readonly Reply[];
  /** In place of replies: the embedded platform, in process. */
  readonly sandbox?: Sandbox | undefined;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly stdin?: string | Readable;
  /** Whether stdin, stdout and stderr are a terminal, or which of them. */
  readonly tty?:
    | boolean
    | { readonly in?: boolean; readonly out?: boolean; readonly err?: boolean };
  readonly columns?: number;
  /** The lines of the terminal; unlimited: nothing is paged. */
  readonly rows?: number;
  /** Whether stdout and stderr are files on disk. */
  readonly toFiles?: boolean;
  readonly prompter?: Prompter;
  readonly cwd?: string;
  readonly signal?: AbortSignal;
  readonly now?: Date;
  /** In place of replies or sandbox: whatever a network does. */
  readonly fetch?: ((request: Request) => Promise<Response>) | undefined;
  /** Told each text on stdout as it comes. */
  readonly onOutput?: (text: string) => void;
  /** The reader of stdout goes away after so many writes. */
  readonly closesAfter?: number;
  /** In place of the commands of amp. */
  readonly routes?: typeof routes;
  readonly keyring?: Keyring;
}

/** What one run did. */
export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly requests: readonly Sent[];
  /** stdout as JSON. */
  json(): unknown;
  /** The error object of stderr. */
  error(): Record<string, unknown>;
}

/** The table of routes, which {@link run} runs commands of. */
export { routes };

export const BASE_URL = "https://api.example.test/v1";
/** What each request of a test is called. */
export const REQUEST_ID = "11111111-2222-4333-8444-555555555555";
/** The morning after the seeded world of the sandbox was left. */
export const NOW = new Date("2026-09-02T08:30:00Z");

/** A sandbox with a standing clock, and a main project without routing. */
export function sandboxAt(
  now: Date = NOW,
  options: Parameters<typeof createSandbox>[0] = {},
): Sandbox {
  return createSandbox({ now: () => now, state: UNROUTED, ...options });
}

const refuses = () => Promise.reject(new Error("a test has no keyring"));
/** That of the machine would answer otherwise on another one. */
const NO_KEYRING: Keyring = { read: refuses, write: refuses, remove: refuses };

/** Runs amp in this process: argv in; code, stdout, stderr and requests out. */
export async function run(argv: readonly string[], world: RunInput = {}): Promise<Outcome> {
  const typed = withVariables(argv);
  const folder = world.cwd ?? temporaryFolder();
  const network = networkOf(world);
  const tty = typeof world.tty === "object" ? world.tty : everywhere(world.tty);
  const out = sinkOf(tty.out, world.columns, world);
  const err = sinkOf(tty.err, world.columns, { toFiles: world.toFiles ?? false });
  const io: Io = {
    argv: typed.words,
    env: {
      AMP_CONFIG_DIR: join(folder, "config"),
      TZ: "UTC",
      ...(world.sandbox
        ? { AMP_PROFILE: "sandbox" }
        : { AMP_BASE_URL: BASE_URL, AMP_API_KEY: "key-of-the-test", AMP_PROJECT: "acme" }),
      ...world.env,
      ...typed.env,
    },
    cwd: folder,
    program: [process.execPath, "-p", "process.argv.slice(1).join(' ')"],
    homeDir: folder,
    platform: "linux",
    runtime: "node 24; linux x64",
    stdin: Object.assign(stdinOf(world), { isTTY: tty.in ?? false }),
    out: out.sink,
    err: err.sink,
    now: () => world.now ?? NOW,
    signal: world.signal ?? new AbortController().signal,
    urgentSignal: new AbortController().signal,
    protectedWork: new ProtectedWork(),
  };
  const code = await runProgram({
    io,
    routes: world.routes ?? routes,
    createOutputSettings: async (given, options) => createOutputSettings(given, options),
    createContext: (given, options, createReporter) =>
      createContext(given, options, {
        createReporter,
        fetch: network.fetch,
        uuid: () => REQUEST_ID,
        keyring: world.keyring ?? NO_KEYRING,
        loadPrompter: async () => () => world.prompter ?? scriptedPrompter([]),
      }),
  });
  network.verify();
  if (world.routes === undefined) {
    noteExit(argv, code);
    await checkDocuments(argv, world, {
      stdout: out.text(),
      stderr: err.text(),
      methods: network.requests.map(({ method }) => method),
    });
  }
  return {
    code,
    stdout: out.text(),
    stderr: err.text(),
    requests: network.requests,
    json: () => JSON.parse(out.text()),
    error: () =>
      (JSON.parse(err.text().slice(err.text().indexOf("{"))) as { error: Record<string, unknown> })
        .error,
  };
}

/** Fails where the JSON of a run is not as docs/json.md says, or its error not what was done. */
async function checkDocuments(
  argv: readonly string[],
  { sandbox, fetch }: RunInput,
  written: { readonly stdout: string; readonly stderr: string; readonly methods: string[] },
): Promise<void> {
  if (!argv.some((word) => word.includes("json"))) return;
  const { oddDocuments, silentRefusals } = await import("./documents/check.ts");
  const silent = await silentRefusals(argv, written, written.methods);
  if (silent.length > 0) throw new Error(silent.join("\n"));
  const odd = oddDocuments(argv, written, sandbox !== undefined && fetch === undefined);
  if (odd.length > 0)
    throw new Error(`JSON that docs/json.md does not describe:\n${odd.join("\n")}`);
}

function networkOf({ replies = [], sandbox, fetch }: RunInput) {
  const requests: Sent[] = [];
  const left = [...replies];
  return {
    requests,
    fetch: async (request: Request): Promise<Response> => {
      const { pathname, search } = new URL(request.url);
      const sent = {
        method: request.method,
        path: pathname.replace(/^\/v1/u, "") + search,
        headers: request.headers,
        body: bodyOf(await request.clone().text()),
      };
      requests.push(sent);
      if (fetch) return fetch(request);
      if (sandbox) return sandbox.fetch(request);
      const index = left.findIndex((reply) => fits(reply, sent));
      const [reply] = index < 0 ? [] : left.splice(index, 1);
      if (!reply) throw new Error(`no reply for ${sent.method} ${sent.path}`);
      return answer(reply);
    },
    verify: () => {
      if (left.length > 0) throw new Error(`never asked for: ${JSON.stringify(left)}`);
    },
  };
}

function fits(reply: Reply, sent: Sent): boolean {
  return (
    (reply.method === undefined || reply.method === sent.method) &&
    (reply.path === undefined || reply.path === sent.path)
  );
}

function answer({ status = 200, body, headers = {} }: Reply): Response {
  const type = status >= 400 ? "application/problem+json" : "application/json";
  const text = body === undefined ? null : typeof body === "string" ? body : JSON.stringify(body);
  return new Response(text, { status, headers: { "content-type": type, ...headers } });
}

function bodyOf(text: string): unknown {
  if (text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function stdinOf({ stdin }: RunInput): Readable {
  if (stdin instanceof Readable) return stdin;
  return Readable.from(stdin === undefined ? [] : [stdin]);
}

function everywhere(tty = false) {
  return { in: tty, out: tty, err: tty };
}

function sinkOf(
  tty = false,
  columns = 80,
  {
    closesAfter = Number.POSITIVE_INFINITY,
    rows = Number.POSITIVE_INFINITY,
    onOutput = () => {},
    toFiles: isFile = false,
  }: RunInput = {},
) {
  const chunks: Uint8Array[] = [];
  const sink: Sink = {
    write: async (chunk) => {
      if (sink.closed) return;
      chunks.push(typeof chunk === "string" ? Buffer.from(chunk) : chunk);
      onOutput(Buffer.from(chunks.at(-1) ?? []).toString("utf8"));
    },
    isTty: tty,
    isUnread: () => false,
    isFile,
    columns,
    rows,
    get closed() {
      return chunks.length >= closesAfter;
    },
    stream: new Writable({ write: (_chunk, _encoding, done) => done() }),
  };
  return { sink, text: () => Buffer.concat(chunks).toString("utf8") };
}

/** A screen without the lines that are erased again: a slow machine shows how long a request takes. */
export function withoutWaitLines(stderr: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the control characters erase it
  return stderr.replace(/\r\u001b\[2K(?:[\u2800-\u28ff] [^\r\n]*)?/gu, "");
}
