import type { ClientOptions, RequestNote, RetryNote } from "../api/client/client-options.ts";
import type { Network } from "../api/network/network.ts";
import type { Api } from "../api/operations/endpoint.ts";
import type { RateGate } from "../api/request/retry.ts";
import type { ResolvedSettings } from "../config/resolve-settings.ts";
import { UsageError } from "../errors.ts";
import type { Io } from "../io.ts";
import { version } from "../runtime/version.ts";
import { REDACTED, redactSecrets } from "../secrets/secret.ts";
import { SETTINGS, type SettingName } from "../settings.ts";
import { sanitize } from "../ui/text.ts";
import { durationText, readDuration } from "../values/duration.ts";
import { readSize } from "../values/size.ts";

/** A service with a credential that is not that of the settings: one that is about to be saved. */
export interface ServiceTarget {
  readonly baseUrl: string;
  readonly credential?: NonNullable<ClientOptions["credential"]>;
}

/** What clients are made of, apart from the target. */
export interface ClientDependencies {
  readonly io: Io;
  /** `--debug`: each request gets a line on stderr. */
  readonly debug: boolean;
  /** Gets a line for each setting that shadows another, and for each wait before a retry. */
  readonly notify: (notice: string) => void;
  readonly settings: ResolvedSettings;
  /** In place of the global one. */
  readonly fetch: ClientOptions["fetch"] | undefined;
  /** In place of random ones: what requests are called. */
  readonly uuid: ClientOptions["uuid"] | undefined;
  /** One for all clients of this call. */
  readonly pace: () => Promise<RateGate>;
  /** How requests get out. */
  readonly network: () => Promise<Network | undefined>;
}

const DEFAULT_TIMEOUT_MS = 30_000;

/** Creates a client for a service that the caller names. */
export async function createTargetClient(
  parts: ClientDependencies,
  target: ServiceTarget,
): Promise<Api> {
  return loadClient({ ...(await commonOptions(parts)), ...target });
}

/** Creates a client for the service and the credential of the settings. */
export async function createDefaultClient(parts: ClientDependencies): Promise<Api> {
  const { settings, notify } = parts;
  const { href: baseUrl } = settings.baseUrl().value;
  const answer = await settings.credential();
  for (const notice of settings.notices) notify(notice);
  const common = await commonOptions(parts);
  return answer.kind === "none"
    ? loadClient({ ...common, baseUrl, explainMissingCredential: () => answer.why })
    : loadClient({
        ...common,
        baseUrl,
        credential: { kind: answer.kind, secret: answer.secret.reveal() },
      });
}

/** Imported with the first request: ky and zod are dear. */
async function loadClient(options: ClientOptions): Promise<Api> {
  const { createClient } = await import("../api/client/client.ts");
  return createClient(options);
}

async function commonOptions({
  io,
  debug,
  notify,
  settings,
  fetch,
  uuid,
  pace,
  network,
}: ClientDependencies): Promise<Omit<ClientOptions, "baseUrl">> {
  const read = (name: keyof typeof SETTING_READERS) =>
    readTypedSetting(settings, name, SETTING_READERS[name]);
  return {
    timeoutMs: read("timeout") ?? DEFAULT_TIMEOUT_MS,
    retries: read("retries"),
    maxWaitMs: read("maxWait"),
    maxBodyBytes: read("maxBody"),
    signal: io.signal,
    userAgent: `amp/${version} (${io.runtime})`,
    now: () => io.now(),
    rateGate: await pace(),
    network: await network(),
    onRetry: (note) => notify(retryNotice(note)),
    ...(fetch === undefined ? {} : { fetch }),
    ...(uuid === undefined ? {} : { uuid }),
    ...(debug ? { onRequest: debugWriter(io) } : {}),
  };
}

function retryNotice({ does, why, waitMs, attempt }: RetryNote): string {
  return `Could not ${does} yet: ${why}. Attempt ${attempt} follows in ${durationText(waitMs)}.`;
}

/** How the settings that are more than a text are read. */
export const SETTING_READERS = {
  timeout: readDuration,
  maxWait: readDuration,
  maxBody: readSize,
  retries: readRetries,
} as const satisfies Partial<Record<SettingName, (text: string) => unknown>>;

/**
 * The value of a setting, read.
 * @throws {UsageError} that names where the value comes from
 */
export function readTypedSetting<Value>(
  settings: Pick<ResolvedSettings, "get">,
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

/**
 * Checks what was typed whether this command comes to use it or not: a typing error is told when it
 * is made, and not by the one command of a script that is the first to ask the service.
 * @param names of the options that were typed with a value
 * @throws {UsageError} for an empty value, and for one that cannot be read
 */
export function checkTypedOptions(
  settings: Pick<ResolvedSettings, "get">,
  names: readonly string[],
) {
  const readers: Readonly<Partial<Record<SettingName, (text: string) => unknown>>> =
    SETTING_READERS;
  for (const name of names.filter(isSetting)) {
    readTypedSetting(settings, name, readers[name] ?? String);
  }
}

function readRetries(text: string): number {
  if (/^(?:\d|10)$/u.test(text.trim())) return Number(text);
  throw new UsageError(`${JSON.stringify(text)} is no number from 0 to 10`);
}

function isSetting(name: string): name is SettingName {
  return Object.hasOwn(SETTINGS, name);
}

/**
 * What `--debug` tells, and the only one who does: what was sent where, what came back and how long
 * it took. Never a header or a body, and of an address no user info and no value of a query.
 */
export function debugWriter({ err }: Pick<Io, "err">): (note: RequestNote) => void {
  return ({ method, url, status, failure, ms, attempt, proxy, ...ids }) => {
    const { requestId, clientRequestId } = ids;
    const parts = [
      method,
      redactedAddress(url),
      status ?? failure,
      `${Math.round(ms)} ms`,
      proxy && `through the proxy ${proxy}`,
      attempt > 1 && `attempt ${attempt}`,
      requestId && `request ${requestId}`,
      clientRequestId && clientRequestId !== requestId && `sent as ${clientRequestId}`,
    ];
    const line = redactSecrets(parts.filter(Boolean).join(" "));
    err.write(`debug: ${sanitize(line, { inCell: true })}\n`).catch(() => {});
  };
}

/** The query of a request of the user's own may hold anything; that of amp's own holds identifiers. */
const PUBLIC_QUERY_NAMES = new Set(["groupRef", "cursor", "pageToken", "limit"]);

function redactedAddress(address: string): string {
  const url = URL.parse(address);
  if (url === null) return REDACTED;
  const user = url.username === "" && url.password === "" ? "" : `${REDACTED}@`;
  const query = [...url.searchParams].map(([name, value]) => {
    const shown = PUBLIC_QUERY_NAMES.has(name) ? encodeURIComponent(value) : REDACTED;
    return `${encodeURIComponent(name)}=${shown}`;
  });
  const tail = query.length === 0 ? "" : `?${query.join("&")}`;
  return `${url.protocol}//${user}${url.host}${url.pathname}${tail}`;
}
