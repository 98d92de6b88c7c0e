import { isDeepStrictEqual } from "node:util";
import type { Api } from "../api/operations/endpoint.ts";
import type { CommandContext } from "../context/command-context.ts";
import { AmpError } from "../errors.ts";
import { SETTINGS } from "../settings.ts";
import { compareRecords, type InstallationChange, originalRecord } from "./compare.ts";
import type { NamedInstallation } from "./installations.ts";

/** The change of an installation between two polls of the list. */
export interface ListedChange {
  /** The time of the poll that found it, RFC 3339. */
  readonly time: string;
  readonly change: "added" | "removed" | "changed";
  readonly installation: NamedInstallation;
  /** The fields that changed; none of one that was added or removed. */
  readonly changes: readonly InstallationChange[];
}

/** The result of one poll of a list. */
export type PollResult =
  | {
      readonly kind: "listed";
      readonly time: Date;
      readonly installations: readonly NamedInstallation[];
      /** In the order of the list; of the first poll none. */
      readonly changes: readonly ListedChange[];
      /** Whether the poll before this one failed. */
      readonly isBack: boolean;
    }
  | {
      readonly kind: "unavailable";
      /** The time of the first poll that failed. */
      readonly since: Date;
      readonly reason: string;
      /** The time until the next poll, in milliseconds. */
      readonly pause: number;
    };

/** How the list is polled. */
export interface WatchPorts {
  readonly load: () => Promise<readonly NamedInstallation[]>;
  readonly now: () => Date;
  /** The pause between two polls, in milliseconds. */
  readonly every: number;
  /** Resolves after a time, or at once where the watch is over. */
  readonly sleep: (ms: number) => Promise<void>;
  readonly isOver: () => boolean;
}

/** The longest pause while the service does not answer; a longer interval stays as it is. */
const MAX_PAUSE = 60_000;

/**
 * Polls a list. After the first success, failures of the service are retried after growing pauses;
 * every other error ends the watch.
 */
export async function* watchList(ports: WatchPorts): AsyncGenerator<PollResult> {
  const { load, now, every, sleep, isOver } = ports;
  let before: ReadonlyMap<string, NamedInstallation> | undefined;
  let away: { readonly since: Date; readonly pause: number } | undefined;
  while (!isOver()) {
    try {
      const installations = await load();
      const time = now();
      const changes =
        before === undefined ? [] : await changesBetween(before, installations, time.toISOString());
      yield { kind: "listed", time, installations, changes, isBack: away !== undefined };
      before = new Map(installations.map((one) => [one.id, one]));
      away = undefined;
    } catch (error) {
      if (isOver()) return;
      if (before === undefined || !isOutage(error)) throw error;
      const pause = Math.max(every, Math.min(MAX_PAUSE, (away?.pause ?? every / 2) * 2));
      away = { since: away?.since ?? now(), pause };
      yield { kind: "unavailable", ...away, reason: error.message };
    }
    await sleep(away?.pause ?? every);
  }
}

/**
 * The service for a caller that asks again by itself and says so: each request is sent once, without a
 * line for each retry.
 */
export function askedOnce(api: Api): Api {
  const once = <Input extends object>(input: Input) => ({ ...input, singleAttempt: true });
  return {
    call: (endpoint, input) => api.call(endpoint, once(input)),
    list: (endpoint, input) => api.list(endpoint, once(input)),
    raw: (request) => api.raw(request),
  };
}

/** Whether an error may pass by itself: the service fails, is overloaded, or cannot be reached. */
export function isOutage(error: unknown): error is AmpError {
  return error instanceof AmpError && (error.exit === "service" || error.exit === "timeout");
}

async function changesBetween(
  before: ReadonlyMap<string, NamedInstallation>,
  installations: readonly NamedInstallation[],
  time: string,
): Promise<ListedChange[]> {
  const found: ListedChange[] = [];
  const left = new Map(before);
  for (const installation of installations) {
    const old = left.get(installation.id);
    left.delete(installation.id);
    if (old === undefined) {
      found.push({ time, change: "added", installation, changes: [] });
      continue;
    }
    const [one, other] = [originalRecord(old), originalRecord(installation)];
    // Few of thousands have changed.
    if (isDeepStrictEqual(one, other)) continue;
    const { changes } = await compareRecords(one, other);
    if (changes.length > 0) found.push({ time, change: "changed", installation, changes });
  }
  const gone = [...left.values()].map(
    (installation): ListedChange => ({ time, change: "removed", installation, changes: [] }),
  );
  return [...found, ...gone];
}

/**
 * Whether a command that waits for changes ends after one look, because it reads a case, in which
 * nothing changes. It says so.
 */
export function endsAfterOneLook({
  environment,
  report,
}: Pick<CommandContext, "environment" | "report">): boolean {
  if (!environment.env[SETTINGS.case.env]) return false;
  report.notice("A case does not change, so amp does not wait. This is the recorded data.");
  return true;
}
