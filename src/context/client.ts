import type { Api } from "../api/api.ts";
import type { ClientOptions, RetryNote } from "../api/client-options.ts";
import type { Pace } from "../api/pace.ts";
import type { ResolvedSettings } from "../config/resolve.ts";
import { durationText, readDuration } from "../duration.ts";
import { UsageError } from "../errors.ts";
import type { Io } from "../io.ts";
import type { SettingName } from "../settings.ts";
import { readSize } from "../size.ts";
import { version } from "../version.ts";
import { debugWriter } from "./debug.ts";
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
  /** In place of random ones: what requests are called. */
  readonly uuid: ClientOptions["uuid"] | undefined;
  /** One for all clients of this call. */
  readonly pace: () => Promise<Pace>;
}

const DEFAULT_TIMEOUT_MS = 30_000;

/** A client for a target that is named; `tell` gets a line for each wait before a request goes again. */
export async function clientOf(
  parts: ClientParts,
  target: Target,
  tell: (notice: string) => void,
): Promise<Api> {
  return create({ ...commonOptions(parts, await parts.pace(), tell), ...target });
}

/** The same for what the settings name; `tell` also gets a line for each value that shadows another. */
export async function clientOfSettings(
  parts: ClientParts,
  tell: (notice: string) => void,
): Promise<Api> {
  const { settings } = parts;
  const { href: baseUrl } = settings.baseUrl().value;
  const answer = await settings.credential();
  for (const notice of settings.notices) tell(notice);
  const common = commonOptions(parts, await parts.pace(), tell);
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

/** The value of a setting, read; what is wrong with it names where it comes from. */
function readBy<Value>(
  settings: ResolvedSettings,
  name: SettingName,
  read: (text: string) => Value,
): Value | undefined {
  const given = settings.get(name);
  if (given === undefined) return undefined;
  try {
    return read(given.value);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new UsageError(`${given.source}: ${error.message}`, error.facts);
  }
}

function readRetries(text: string): number {
  if (/^(?:\d|10)$/u.test(text.trim())) return Number(text);
  throw new UsageError(`${JSON.stringify(text)} is no number from 0 to 10`);
}

function commonOptions(
  { io, look, settings, fetch, uuid }: ClientParts,
  pace: Pace,
  tell: (notice: string) => void,
): Omit<ClientOptions, "baseUrl"> {
  return {
    timeoutMs: readBy(settings, "timeout", readDuration) ?? DEFAULT_TIMEOUT_MS,
    retries: readBy(settings, "retries", readRetries),
    maxWaitMs: readBy(settings, "maxWait", readDuration),
    maxBodyBytes: readBy(settings, "maxBody", readSize),
    signal: io.signal,
    userAgent: `amp/${version} (${io.runtime})`,
    now: () => io.now(),
    pace,
    onRetry: (note) => tell(retryNotice(note)),
    ...(fetch === undefined ? {} : { fetch }),
    ...(uuid === undefined ? {} : { uuid }),
    ...(look.debug ? { onRequest: debugWriter(io) } : {}),
  };
}

function retryNotice({ does, why, waitMs, attempt }: RetryNote): string {
  return `Could not ${does} yet: ${why}. Attempt ${attempt} follows in ${durationText(waitMs)}.`;
}
