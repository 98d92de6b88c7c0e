import type { BaseUrl } from "../account/base-url.ts";
import type { Credentials, ResolvedCredential } from "../account/credential.ts";
import { seenNamesPath } from "../account/folders.ts";
import { MAX_NAMES, rememberNames } from "../account/seen-names.ts";
import type { Settings } from "../account/settings.ts";
import { readTypedSetting, SETTING_READERS, type Sourced } from "../account/values.ts";
import type { ClientOptions, RequestNote, RequestObserver } from "../api/client/policy.ts";
import type { Network } from "../api/network/network.ts";
import type { Api, Endpoint } from "../api/operations/endpoint.ts";
import type { RateGate } from "../api/request/retry.ts";
import { AuthError, NotFoundError } from "../errors.ts";
import type { Io } from "../io.ts";
import { isLoopback, WORLD_HEADER } from "../runtime/loopback.ts";
import { version } from "../runtime/version.ts";
import { REDACTED, redactSecrets, type Secret } from "../secrets/secret.ts";
import { CASE_NOTE_HEADERS, CREDENTIAL_NAMES, DEFAULTS, SETTINGS } from "../settings.ts";
import { sanitizeLine } from "../ui/text.ts";
import { asList, once } from "../values/basics.ts";
import { batchesOf } from "../values/batches.ts";
import { isJsonObject } from "../values/json.ts";
import { createServiceClock } from "../values/service-clock.ts";
import { isEnabled } from "../values/setting.ts";
import { suggest } from "../values/suggested-command.ts";
import { readDuration } from "../values/time.ts";
import { readTraceContext } from "../values/trace-context.ts";

/** The limits of requests that must end sooner than the settings say. */
type RequestLimits = Partial<Pick<ClientOptions, "timeoutMs" | "retries">>;

/**
 * A service and credential that differ from those of the settings, for example of an unsaved login.
 */
export interface ServiceTarget extends RequestLimits {
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
  readonly settings: Settings;
  readonly credentials: Credentials;
  /**
   * What all clients of this call report to, and what replaces `fetch` and the random request IDs.
   */
  readonly shared: RequestObserver & Pick<ClientOptions, "fetch" | "uuid">;
  /** Decides about each request that writes. */
  readonly guard: { beforeWrite(api: Api, baseUrl: string, url: URL): Promise<void> };
  /** The limits that all clients of this call share. */
  readonly pace: () => Promise<RateGate>;
  /** The proxy and TLS settings of requests; undefined: the runtime's own. */
  readonly network: () => Promise<Network | undefined>;
}

const DEFAULT_TIMEOUT_MS = readDuration(DEFAULTS.timeout);

/**
 * A client for a service of the settings.
 * @param credential absent: none is sent, nor even looked for, so that an unusable one does not
 *   matter
 */
async function clientOf(
  parts: ClientDependencies,
  { value: { href: baseUrl } }: Sourced<BaseUrl>,
  credential?: () => Promise<ResolvedCredential>,
): Promise<Api> {
  const found = await credential?.();
  for (const notice of parts.settings.takeNotices()) parts.notify(notice);
  return createTargetClient(parts, { baseUrl, ...(found && credentialOptions(found)) });
}

function credentialOptions(
  found: ResolvedCredential,
): Pick<ClientOptions, "credential" | "explainMissingCredential"> {
  if (found.kind === "none") return { explainMissingCredential: () => found.why };
  const { kind, secret, source } = found;
  // A variable is the name of its credential; a profile and a file have one.
  const name = /^\w+$/u.test(source) ? source : `the ${CREDENTIAL_NAMES[kind]} of ${source}`;
  return { credential: { kind, secret: secret.reveal(), name } };
}

/** The module of clients is loaded now: ky takes long. */
async function createTargetClient(
  parts: ClientDependencies,
  target: Pick<ClientOptions, "baseUrl" | "credential" | "explainMissingCredential"> &
    RequestLimits,
): Promise<Api> {
  const options = await commonOptions(parts);
  const { createClient } = await import("../api/client/client.ts");
  const client: Api = createClient({
    ...options,
    ...target,
    beforeWrite: (url) => parts.guard.beforeWrite(client, target.baseUrl, url),
  });
  return client;
}

async function commonOptions(parts: ClientDependencies): Promise<Omit<ClientOptions, "baseUrl">> {
  const { io, debug, settings } = parts;
  const read = (name: keyof typeof SETTING_READERS) =>
    readTypedSetting(settings, name, SETTING_READERS[name]);
  return {
    ...parts.shared,
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
    rateGate: await parts.pace(),
    network: await parts.network(),
    sources: {
      project: (project) => {
        const { value, source, place = "option" } = settings.get("project") ?? {};
        // An option is what was typed.
        return value === project && place !== "option" ? source : undefined;
      },
      timeout: settings.get("timeout")?.source,
      isCi: isEnabled(io.env.CI),
    },
    ...(debug ? { onRequest: debugWriter(io) } : {}),
  };
}

/** What the headers of the answers tell: the time of the service, and the world of a sandbox. */
export function listenToHeaders({ env }: Io, notify: (text: string) => void) {
  const clock = createServiceClock();
  const said = new Set<string>();
  let world: string | undefined;
  /** Says once what the answers of an opened case say of themselves; no other service may. */
  const tellCaseNotes = (headers: Headers) => {
    for (const name of CASE_NOTE_HEADERS) {
      const encoded = headers.get(name);
      if (!encoded || !env[SETTINGS.case.env] || said.has(encoded)) continue;
      said.add(encoded);
      notify(decodeURIComponent(encoded));
    }
  };
  return {
    serviceTime: clock.now,
    world: () => world,
    onSend: ({ hostname }: URL) => {
      const listen = clock.listen();
      return (headers: Headers) => {
        listen(headers);
        if (!isLoopback(hostname)) return;
        world = headers.get(WORLD_HEADER) || world;
        tellCaseNotes(headers);
      };
    },
  };
}

/**
 * Writes the lines of `--debug`: method, URL, status and time of each request. A line never
 * contains a header or body, nor the user name, password and query values of a URL.
 */
function debugWriter({ err }: Pick<Io, "err">): (note: RequestNote) => void {
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

/**
 * Masks a secret in the logs of GitHub Actions: once for each secret, before its first use, and on
 * stderr, which the runner reads as well. The line shows the secret to whoever else reads it: it is
 * not written to a file, nor for a secret of the environment, which the workflow masks itself.
 */
export function createCiMask({ env, err }: Pick<Io, "env" | "err">) {
  const masked = new Set<string>();
  return async (secret: Secret): Promise<void> => {
    const value = secret.reveal();
    if (env.GITHUB_ACTIONS !== "true" || err.isFile || masked.has(value)) return;
    if (Object.values(env).some((one) => one?.trim() === value)) return;
    masked.add(value);
    // A secret has no line breaks, so only the percent sign needs an escape.
    await err.write(`::add-mask::${value.replaceAll("%", "%25")}\n`);
  };
}

/** The service of the settings; its client is made with the first request. */
export function defaultService(parts: ClientDependencies): Api {
  const { settings, credentials } = parts;
  const anonymous = once(async () => clientOf(parts, settings.baseUrl()));
  const own = once(async () => clientOf(parts, settings.baseUrl(), credentials.ofService));
  const reading = once(async () => {
    const read = settings.readBaseUrl();
    return read ? clientOf(parts, read, credentials.ofReads) : own();
  });
  const api = hintedApi(
    () => settings.baseUrl().value.href,
    own,
    async (endpoint, send) => {
      if (endpoint.onReadHost) return send(await reading());
      if (endpoint.credential !== "optional") return send(await own());
      try {
        return await send(await anonymous());
      } catch (error) {
        // A service may protect what the specification leaves open: then, and only then, it gets
        // the credential. The refused request was a read, so that it may be repeated.
        if (!isRefused(error) || (await credentials.ofService()).kind === "none") throw error;
        return send(await own());
      }
    },
  );
  const { env } = parts.io;
  // A case is read once, and nobody presses Tab in a job.
  return env[SETTINGS.case.env] || isEnabled(env.CI) ? api : rememberingApi(api, parts);
}

/** An API whose lists leave their names for completion. */
function rememberingApi(api: Api, { io, settings }: ClientDependencies): Api {
  const collect = ({ shows, path }: Endpoint, input: ListInput) => {
    if (shows === undefined) return undefined;
    const names = new Set<string>();
    return {
      add(items: unknown) {
        for (const item of Array.isArray(items) ? items : []) {
          if (names.size === MAX_NAMES) return;
          const name = shownName(item);
          if (name !== undefined) names.add(name);
        }
      },
      keep(isEnd: boolean) {
        const profile = settings.profileIfReadable()?.name ?? "";
        const isAll = Object.values(input.query ?? {}).every((value) => value === undefined);
        const isWhole = isEnd && isAll && !path.includes("{integrationId}");
        const project = input.path?.projectIdOrName ?? "";
        rememberNames(seenNamesPath(io, profile), { project, kind: shows, isWhole }, names);
      },
    };
  };
  return {
    async call(endpoint, input) {
      const answer = await api.call(endpoint, input);
      const seen = collect(endpoint, input);
      seen?.add(answer);
      seen?.keep(true);
      return answer;
    },
    async list(endpoint, input) {
      const answer = await api.list(endpoint, input);
      const seen = collect(endpoint, input);
      if (seen === undefined || Array.isArray(answer)) {
        seen?.add(answer);
        seen?.keep(true);
        return answer;
      }
      return (async function* () {
        let isEnd = false;
        try {
          for await (const batch of batchesOf(answer)) {
            seen.add(batch);
            yield batch;
          }
          isEnd = true;
        } finally {
          seen.keep(isEnd);
        }
      })();
    },
    raw: (request) => api.raw(request),
  };
}

interface ListInput {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: object;
}

/** The name of a record, or of the owner of an installation, if a line of a shell can have it. */
function shownName(item: unknown): string | undefined {
  if (!isJsonObject(item)) return undefined;
  const { name, group } = item;
  const owner = isJsonObject(group) ? group.groupName || group.groupRef : undefined;
  const shown = owner ?? name;
  // One that begins with a dash would be an option of the line.
  if (typeof shown !== "string" || !/^(?!-)[^\p{C}]{1,100}$/u.test(shown)) return undefined;
  return redactSecrets(shown) === shown ? shown : undefined;
}

/** A service that the caller names. */
export function targetService(parts: ClientDependencies, target: ServiceTarget): Api {
  const client = once(() => createTargetClient(parts, target));
  return hintedApi(
    () => target.baseUrl,
    client,
    async (_endpoint, send) => send(await client()),
  );
}

function isRefused(error: unknown): boolean {
  return error instanceof AuthError && (error.facts.status === 401 || error.facts.status === 403);
}

/**
 * An API whose 404 has the likely reason where the base URL lacks its version.
 * @param client sends requests that are not in the table of endpoints
 * @param sending sends an operation with the client that it needs
 */
function hintedApi(
  href: () => string,
  client: () => Promise<Api>,
  sending: <Result>(endpoint: Endpoint, send: (api: Api) => Promise<Result>) => Promise<Result>,
): Api {
  const hint = (error: unknown) => {
    if (!(error instanceof NotFoundError) || error.facts.status !== 404) return;
    const base = href();
    if (/\/v\d+(?:\/|$)/u.test(base)) return;
    const text = `The base URL ${base} has no version such as /v1, which may be why.`;
    error.setFacts({
      remedy: asList(error.facts.remedy, text).join(" "),
      // Any other command fails with the same base URL.
      suggestion: suggest("projects list", [], { baseUrl: `${base}/v1` }),
    });
  };
  const sendHinted: typeof sending = async (endpoint, send) => {
    try {
      return await sending(endpoint, send);
    } catch (error) {
      hint(error);
      throw error;
    }
  };
  return {
    call: (endpoint, input) => sendHinted(endpoint, (api) => api.call(endpoint, input)),
    list: (endpoint, input) => sendHinted(endpoint, (api) => api.list(endpoint, input)),
    raw: async (request) => {
      const answer = await (await client()).raw(request);
      hint(answer.error);
      return answer;
    },
  };
}
