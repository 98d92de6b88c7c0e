import type { Api } from "../api/api.ts";
import type { ClientOptions, RequestNote, RetryNote } from "../api/client-options.ts";
import type { ResolvedSettings } from "../config/resolve.ts";
import { readDuration } from "../duration.ts";
import { UsageError } from "../errors.ts";
import type { Io } from "../io.ts";
import { version } from "../version.ts";
import type { Look } from "./look.ts";

/** A service with a credential that is not that of the settings: one that is about to be saved. */
export interface Target {
  readonly baseUrl: string;
  readonly credential?: NonNullable<ClientOptions["credential"]>;
}

/** What clients are made of, apart from the target. */
export interface ClientParts {
  readonly io: Io;
  readonly look: Look;
  readonly settings: ResolvedSettings;
  /** In place of the global one. */
  readonly fetch: ClientOptions["fetch"] | undefined;
}

const DEFAULT_TIMEOUT_MS = 30_000;

/** A client for a target that is named. */
export async function clientOf(parts: ClientParts, target: Target): Promise<Api> {
  return create({ ...commonOptions(parts), ...target });
}

/** The client for what the settings name; `tell` gets a line for each value that shadows another. */
export async function clientOfSettings(
  parts: ClientParts,
  tell: (notice: string) => void,
): Promise<Api> {
  const { settings } = parts;
  const { href: baseUrl } = settings.baseUrl().value;
  const answer = await settings.credential();
  for (const notice of settings.notices) tell(notice);
  const common = commonOptions(parts);
  return answer.kind === "none"
    ? create({ ...common, baseUrl, explainMissingCredential: () => answer.why })
    : create({
        ...common,
        baseUrl,
        credential: { kind: answer.kind, secret: answer.secret.reveal() },
      });
}

/** Imported with the first request: ky and zod are dear. */
async function create(options: ClientOptions): Promise<Api> {
  const { createClient } = await import("../api/client.ts");
  return createClient(options);
}

function timeoutOf(settings: ResolvedSettings): number {
  const given = settings.get("timeout");
  if (given === undefined) return DEFAULT_TIMEOUT_MS;
  try {
    return readDuration(given.value);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new UsageError(`${given.source}: ${error.message}`, error.facts);
  }
}

function commonOptions({ io, look, settings, fetch }: ClientParts): Omit<ClientOptions, "baseUrl"> {
  return {
    timeoutMs: timeoutOf(settings),
    signal: io.signal,
    userAgent: `amp/${version} (${io.runtime})`,
    now: () => io.now(),
    ...(fetch === undefined ? {} : { fetch }),
    ...(look.debug ? debugObservers(io) : {}),
  };
}

/** What `--debug` tells: what was sent where and how long it took; never a header or a body. */
function debugObservers(io: Io): Pick<ClientOptions, "onRequest" | "onRetry"> {
  const say = (parts: readonly unknown[]) =>
    void io.err.write(`debug: ${parts.filter(Boolean).join(" ")}\n`);
  return {
    onRequest: ({ method, url, status, failure, ms, attempt, requestId }: RequestNote) =>
      say([
        method,
        url,
        status ?? failure,
        `${Math.round(ms)} ms`,
        attempt > 1 && `attempt ${attempt}`,
        requestId && `request ${requestId}`,
      ]),
    onRetry: ({ waitMs, attempt }: RetryNote) =>
      say([`attempt ${attempt} follows in ${Math.round(waitMs)} ms`]),
  };
}
