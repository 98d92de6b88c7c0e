import type { Api } from "../api/api.ts";
import type { ClientOptions, RetryNote } from "../api/client-options.ts";
import type { Network } from "../api/network.ts";
import type { Pace } from "../api/pace.ts";
import type { ResolvedSettings } from "../config/resolve.ts";
import { durationText } from "../duration.ts";
import type { Io } from "../io.ts";
import { version } from "../version.ts";
import { debugWriter } from "./debug.ts";
import type { Look } from "./look.ts";
import { READERS, readSetting } from "./typed-options.ts";

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
  /** How requests get out. */
  readonly network: () => Promise<Network | undefined>;
}

const DEFAULT_TIMEOUT_MS = 30_000;

/** A client for a target that is named; `tell` gets a line for each wait before a request goes again. */
export async function clientOf(
  parts: ClientParts,
  target: Target,
  tell: (notice: string) => void,
): Promise<Api> {
  return create({ ...(await commonOptions(parts, tell)), ...target });
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
  const common = await commonOptions(parts, tell);
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

async function commonOptions(
  { io, look, settings, fetch, uuid, pace, network }: ClientParts,
  tell: (notice: string) => void,
): Promise<Omit<ClientOptions, "baseUrl">> {
  const read = (name: keyof typeof READERS) => readSetting(settings, name, READERS[name]);
  return {
    timeoutMs: read("timeout") ?? DEFAULT_TIMEOUT_MS,
    retries: read("retries"),
    maxWaitMs: read("maxWait"),
    maxBodyBytes: read("maxBody"),
    signal: io.signal,
    userAgent: `amp/${version} (${io.runtime})`,
    now: () => io.now(),
    pace: await pace(),
    network: await network(),
    onRetry: (note) => tell(retryNotice(note)),
    ...(fetch === undefined ? {} : { fetch }),
    ...(uuid === undefined ? {} : { uuid }),
    ...(look.debug ? { onRequest: debugWriter(io) } : {}),
  };
}

function retryNotice({ does, why, waitMs, attempt }: RetryNote): string {
  return `Could not ${does} yet: ${why}. Attempt ${attempt} follows in ${durationText(waitMs)}.`;
}
