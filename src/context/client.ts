import type { ClientOptions, RequestNote } from "../api/client/client-options.ts";
import type { Network } from "../api/network/network.ts";
import type { Api } from "../api/operations/endpoint.ts";
import type { RateGate } from "../api/request/retry.ts";
import type { SourcedCredential } from "../config/credential.ts";
import type { ResolvedSettings } from "../config/resolve-settings.ts";
import { SETTING_READERS } from "../config/setting-values.ts";
import { UsageError } from "../errors.ts";
import type { Io } from "../io.ts";
import { version } from "../runtime/version.ts";
import { REDACTED, redactSecrets } from "../secrets/secret.ts";
import { CREDENTIAL_NAMES, DEFAULTS, SETTINGS, type SettingName } from "../settings.ts";
import { sanitizeLine } from "../ui/text.ts";
import { readDuration } from "../values/duration.ts";
import { defined } from "../values/json.ts";
import type { ServiceClock } from "../values/service-clock.ts";
import { readTraceContext } from "../values/trace-context.ts";

/**
 * A service and credential that differ from those of the settings, for example of an unsaved
 * login.
 */
export interface ServiceTarget {
  readonly baseUrl: string;
  readonly credential?: NonNullable<ClientOptions["credential"]>;
}

/** The parts of a client apart from its target. */
export interface ClientDependencies {
  readonly io: Io;
  /** Whether each request gets a line on stderr (`--debug`). */
  readonly debug: boolean;
  /** Called with a line for each setting that shadows another. */
  readonly notify: (notice: string) => void;
  readonly onWait: NonNullable<ClientOptions["onWait"]>;
  readonly onRetry: NonNullable<ClientOptions["onRetry"]>;
  readonly settings: ResolvedSettings;
  /** Called with the fields of answers that are not as specified. */
  readonly onOddFields: NonNullable<ClientOptions["onOddFields"]>;
  /** The clock of the service that all clients of this call listen to. */
  readonly serviceClock: ServiceClock;
  readonly onWorld: NonNullable<ClientOptions["onWorld"]>;
  readonly onCaseNote: NonNullable<ClientOptions["onCaseNote"]>;
  /** A replacement for the global `fetch`. */
  readonly fetch: ClientOptions["fetch"] | undefined;
  /** A replacement for the random client request IDs. */
  readonly uuid: ClientOptions["uuid"] | undefined;
  /** Decides about each request that writes. */
  readonly guard: { beforeWrite(api: Api, baseUrl: string, url: URL): Promise<void> };
  /** The limits that all clients of this call share. */
  readonly pace: () => Promise<RateGate>;
  /** The proxy and TLS settings of requests; undefined: the runtime's own. */
  readonly network: () => Promise<Network | undefined>;
}

const DEFAULT_TIMEOUT_MS = readDuration(DEFAULTS.timeout);

/** Creates a client for a service that the caller names. */
export async function createTargetClient(
  parts: ClientDependencies,
  target: ServiceTarget,
): Promise<Api> {
  return loadClient(parts, { ...(await commonOptions(parts)), ...target });
}

/**
 * Creates a client for the service of the settings that sends no credential: the credential is not even
 * looked for, so that an unusable one does not matter.
 */
export async function createAnonymousClient(parts: ClientDependencies): Promise<Api> {
  const { href: baseUrl } = parts.settings.baseUrl().value;
  for (const notice of parts.settings.notices) parts.notify(notice);
  return loadClient(parts, { ...(await commonOptions(parts)), baseUrl });
}

/** Creates a client for the service and the credential of the settings. */
export async function createDefaultClient(parts: ClientDependencies): Promise<Api> {
  const { settings, notify } = parts;
  const { href: baseUrl } = settings.baseUrl().value;
  const answer = await settings.credential();
  for (const notice of settings.notices) notify(notice);
  const common = await commonOptions(parts);
  return answer.kind === "none"
    ? loadClient(parts, { ...common, baseUrl, explainMissingCredential: () => answer.why })
    : loadClient(parts, {
        ...common,
        baseUrl,
        credential: credentialOf(answer),
      });
}

/** Creates a client for operations, logs and backfills; undefined where they are at the base URL. */
export async function createReadClient(parts: ClientDependencies): Promise<Api | undefined> {
  const { settings } = parts;
  const read = settings.readBaseUrl();
  if (read === undefined) return undefined;
  const answer = await settings.readCredential();
  const common = { ...(await commonOptions(parts)), baseUrl: read.value.href };
  const known =
    answer.kind === "none"
      ? { explainMissingCredential: () => answer.why }
      : { credential: credentialOf(answer) };
  return loadClient(parts, { ...common, ...known });
}

function credentialOf({ kind, secret, source }: SourcedCredential) {
  // A variable is the name of its credential; a profile and a file have one.
  const isVariable = /^\w+$/u.test(source);
  const name = isVariable ? source : `the ${CREDENTIAL_NAMES[kind]} of ${source}`;
  return { kind, secret: secret.reveal(), name };
}

/** Loads the client with the first request: ky and zod take long to load. */
async function loadClient({ guard }: ClientDependencies, options: ClientOptions): Promise<Api> {
  const { createClient } = await import("../api/client/client.ts");
  const client: Api = createClient({
    ...options,
    beforeWrite: (url) => guard.beforeWrite(client, options.baseUrl, url),
  });
  return client;
}

async function commonOptions({
  io,
  debug,
  onWait,
  onRetry,
  settings,
  fetch,
  uuid,
  pace,
  network,
  onOddFields,
  serviceClock,
  onWorld,
  onCaseNote,
}: ClientDependencies): Promise<Omit<ClientOptions, "baseUrl">> {
  const read = (name: keyof typeof SETTING_READERS) =>
    readTypedSetting(settings, name, SETTING_READERS[name]);
  return {
    timeoutMs: read("timeout") ?? DEFAULT_TIMEOUT_MS,
    retries: read("retries"),
    maxWaitMs: read("maxWait"),
    maxBodyBytes: read("maxBody"),
    signal: io.signal,
    trace: readTraceContext(io.env, (variable) => {
      if (debug)
        io.err.write(`debug: ${variable} is ignored: not a W3C trace context\n`).catch(() => {});
    }),
    userAgent: `amp/${version} (${io.runtime})`,
    now: () => io.now(),
    rateGate: await pace(),
    network: await network(),
    onWait,
    onRetry,
    onOddFields,
    serviceClock,
    onWorld,
    onCaseNote,
    sources: {
      project: (project) => {
        const { value, source = "" } = settings.get("project") ?? {};
        // An option or variable is what was typed; the source of other values is a path or a profile.
        return value === project && !/^(?:--.*|\w+)$/u.test(source) ? source : undefined;
      },
      timeout: settings.get("timeout")?.source,
    },
    ...defined({ fetch, uuid }),
    ...(debug ? { onRequest: debugWriter(io) } : {}),
  };
}

/**
 * Reads the value of a setting.
 * @throws {UsageError} that names the source of the value
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
 * Checks the typed options, even if the command does not use them: otherwise a typing error would
 * stay unnoticed until the first command of a script that sends a request.
 * @param names the options that were typed with a value
 * @throws {UsageError} for an empty or invalid value
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

function isSetting(name: string): name is SettingName {
  return Object.hasOwn(SETTINGS, name);
}

/**
 * Writes the lines of `--debug`: method, URL, status and time of each request. A line never
 * contains a header or body, nor the user name, password and query values of a URL.
 */
export function debugWriter({ err }: Pick<Io, "err">): (note: RequestNote) => void {
  return ({ method, url, status, failure, ms, attempt, proxy, ...ids }) => {
    const { requestId, clientRequestId } = ids;
    const parts = [
      method,
      redactedAddress(url),
      status ?? failure,
      `${Math.round(ms)} ms`,
      proxy && `via proxy ${proxy}`,
      attempt > 1 && `attempt ${attempt}`,
      requestId && `request ID ${requestId}`,
      clientRequestId && clientRequestId !== requestId && `client request ID ${clientRequestId}`,
    ];
    const line = redactSecrets(parts.filter(Boolean).join(" "));
    err.write(`debug: ${sanitizeLine(line)}\n`).catch(() => {});
  };
}

/** Query parameters without secrets. The query of `amp api` may contain anything. */
const PUBLIC_QUERY_NAMES = new Set(["groupRef", "cursor", "pageSize", "pageToken", "limit"]);

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
