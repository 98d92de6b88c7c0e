import { SANDBOX_API_KEY, SANDBOX_DEFAULTS } from "./defaults.ts";
import {
  createSandbox,
  loadCatalogue,
  type RequestLine,
  readState,
  serveSandbox,
  writeState,
} from "./index.ts";

/** What `amp sandbox start` was told, and the ports that it runs with. */
export interface SandboxRun {
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  /** File to keep the world in. */
  readonly state?: string | undefined;
  /** The text of a provider catalogue. */
  readonly providers?: string | undefined;
  readonly specOnly: boolean;
  /** Ends the sandbox. */
  readonly signal: AbortSignal;
  readonly now: () => Date;
  /** Told once it listens. */
  readonly ready: (facts: SandboxFacts) => Promise<void>;
  readonly onRequest: (line: RequestLine) => void;
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
 * @throws {ConflictError} where the port is taken
 * @throws {UsageError} where the state or the catalogue is none
 */
export async function runSandbox(run: SandboxRun): Promise<void> {
  const { state: path, providers } = run;
  const sandbox = createSandbox({
    specOnly: run.specOnly,
    now: run.now,
    onRequest: run.onRequest,
    ...(providers === undefined ? {} : { providers: loadCatalogue(providers) }),
    ...(path === undefined
      ? {}
      : { state: await readState(path), onChange: (world) => writeState(path, world) }),
  });
  const server = await serveSandbox(sandbox, {
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

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) =>
    signal.addEventListener("abort", () => resolve(), { once: true }),
  );
}
