import { resolve } from "node:path";
import { withLock } from "../durable/lock.ts";
import type { RequestLine } from "./app.ts";
import { SANDBOX_API_KEY, SANDBOX_DEFAULTS } from "./defaults.ts";
import type { Exchange } from "./faults/faulty-sandbox.ts";
import { loadCatalogue } from "./operations/providers.ts";
import { createSandbox, type SandboxOptions } from "./sandbox.ts";
import { type Served, serveSandbox } from "./serve.ts";
import { readSandboxState, writeSandboxState } from "./state.ts";

/** What `amp sandbox start` was told, and the ports that it runs with. */
export interface SandboxRun {
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  /** What a relative path is relative to; absent: where the process is. */
  readonly cwd?: string;
  /** File to keep the world in. */
  readonly state?: string | undefined;
  /** The text of a provider catalogue. */
  readonly providers?: string | undefined;
  /** The text of a script of faults. */
  readonly faults?: string | undefined;
  readonly specOnly: boolean;
  /** Ends the sandbox. */
  readonly signal: AbortSignal;
  readonly now: () => Date;
  /** Told once it listens. */
  readonly ready: (facts: SandboxFacts) => Promise<void>;
  readonly onRequest: (line: RequestLine) => void;
  /** Told of each request that goes wrong by the script; its answer is not that of `onRequest`. */
  readonly onFault?: (exchange: Exchange) => void;
}

/** What a client needs to know of a running sandbox. */
export interface SandboxFacts {
  readonly url: string;
  readonly port: number;
  readonly apiKey: string;
  readonly project: string;
  readonly org: string;
  readonly integration: string;
}

/**
 * Serves a sandbox until the signal.
 * @throws {ConflictError} where the port is taken, or another sandbox keeps its world in the file
 * @throws {UsageError} where the state, the catalogue or the script is none
 */
export async function runSandbox(run: SandboxRun): Promise<void> {
  if (run.state === undefined) return serve(run);
  const path = resolve(run.cwd ?? "", run.state);
  // Each has the world in memory: of two, one would write over what the other has kept.
  await withLock(path, { command: "amp sandbox start" }, () => serve(run, path));
}

async function serve(run: SandboxRun, path?: string): Promise<void> {
  const { providers } = run;
  const options: SandboxOptions = {
    specOnly: run.specOnly,
    now: run.now,
    onRequest: run.onRequest,
    ...(providers === undefined ? {} : { providers: loadCatalogue(providers) }),
    ...(path === undefined
      ? {}
      : {
          state: await readSandboxState(path),
          onChange: (world) => writeSandboxState(path, world),
        }),
  };
  const server = await serveSandbox(await served(options, run), {
    host: run.host ?? SANDBOX_DEFAULTS.host,
    port: run.port ?? SANDBOX_DEFAULTS.port,
  });
  try {
    const { project, org, integration } = SANDBOX_DEFAULTS;
    await run.ready({
      url: server.url,
      port: server.port,
      apiKey: SANDBOX_API_KEY,
      project,
      org,
      integration,
    });
    await aborted(run.signal);
  } finally {
    await server.close();
  }
}

async function served(options: SandboxOptions, { faults, onFault }: SandboxRun): Promise<Served> {
  if (faults === undefined) return createSandbox(options);
  const { createFaultySandbox, onTheWire } = await import("./faults/faulty-sandbox.ts");
  const { parseScript } = await import("./faults/script.ts");
  return onTheWire(
    createFaultySandbox({
      ...options,
      script: parseScript(faults),
      observe: (moment, exchange) => {
        if (moment === "answered" && exchange.fault) onFault?.(exchange);
      },
    }),
  );
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) =>
    signal.addEventListener("abort", () => resolve(), { once: true }),
  );
}
