import { setTimeout as pause } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import type { Api, ListResult } from "../api/operations/endpoint.ts";
import { RECORD_FIELDS } from "../api/operations/record-fields.ts";
import type { CommandContext } from "../context/command-context.ts";
import { InterruptedError } from "../errors.ts";
import { batchesOf } from "../values/batches.ts";
import { counted } from "../values/counted.ts";
import { durationText } from "../values/duration.ts";
import type { LiveOutput } from "../view/live.ts";
import type { Selection } from "../view/selection.ts";
import { compareRecords, originalRecord } from "./compare.ts";
import type { NamedInstallation } from "./installations.ts";
import { askedOnce, endsAfterOneLook, isOutage } from "./patience.ts";
import {
  CHANGE_VIEW,
  createWatchFrames,
  LIMIT_REACHED,
  type ListedChange,
  type ListView,
  type PollResult,
  watchedChange,
} from "./watch-view.ts";

/** The part of a command's context that watching uses. */
export type WatchContext = Pick<
  CommandContext,
  "api" | "environment" | "now" | "report" | "signal"
> & {
  readonly selection: Selection;
  live(): Promise<LiveOutput>;
};

/** The list that is watched. */
export interface WatchedList {
  readonly load: (api: Api) => Promise<ListResult<NamedInstallation>>;
  readonly view: ListView;
  /** The pause between two polls, in milliseconds. */
  readonly every: number;
}

/**
 * Shows a list and what changes in it, until the user ends it or the reader is gone.
 * @throws {InterruptedError} for any other signal than Ctrl-C
 */
export async function watchInstallations(
  context: WatchContext,
  { load, view, every }: WatchedList,
): Promise<void> {
  const { api, now, report, signal, selection, live } = context;
  const output = await live();
  const frameOf = createWatchFrames(every, view, selection.isCut);
  let isFirst = true;
  const polls = watchList({
    load: async () => {
      const listed = selection.of(
        await load(isFirst ? api : askedOnce(api)),
      ) as ListResult<NamedInstallation>;
      const installations: NamedInstallation[] = [];
      for await (const batch of batchesOf(listed)) installations.push(...batch);
      await assertPathsExist(selection);
      return installations;
    },
    now,
    every,
    sleep: (ms) => pause(ms, undefined, { signal }).catch(() => {}),
    isOver: () => signal.aborted || output.isClosed,
  });
  let isAway = false;
  try {
    for await (const poll of polls) {
      if (output.isScreen) await output.draw(frameOf(poll));
      else {
        if (isFirst && poll.kind === "listed")
          report.notice(beginning(poll.installations, every, selection.isCut()));
        await writePoll(output, report, poll, isAway);
      }
      isFirst = false;
      isAway = poll.kind === "unavailable";
      if (endsAfterOneLook(context)) break;
    }
  } finally {
    await output.close();
  }
  // Ctrl-C is how a watch ends.
  if (signal.aborted && signal.reason !== "SIGINT") throw new InterruptedError("Interrupted");
}

/**
 * A filter by a mistyped path would watch an empty list for ever.
 * @throws {UsageError} for a path that no item has, and that is none of an installation
 */
async function assertPathsExist(selection: Selection): Promise<void> {
  const paths = selection.absent().filter(({ name }) => name.includes("."));
  if (paths.length === 0) return;
  const { assertDescribed } = await import("./explained-records.ts");
  for (const path of paths) assertDescribed(RECORD_FIELDS.installation, path);
}

function beginning(
  installations: readonly NamedInstallation[],
  every: number,
  isCut: boolean,
): string {
  const count =
    counted(installations.length, "installation") + (isCut ? ` (${LIMIT_REACHED})` : "");
  return `Watching ${count} every ${durationText(every)}. Press Ctrl-C to end.`;
}

/** Writes what a poll found; an outage once, and its end. */
async function writePoll(
  output: LiveOutput,
  report: WatchContext["report"],
  poll: PollResult,
  wasAway: boolean,
): Promise<void> {
  if (poll.kind === "unavailable") {
    if (wasAway) return;
    const time = poll.since.toISOString();
    const gone = { time, change: "unavailable", reason: poll.reason } as const;
    if (output.isJson) return output.write([gone], CHANGE_VIEW);
    return report.warn(`The service does not respond: ${poll.reason}. Still watching.`);
  }
  if (poll.isBack) {
    const back = { time: poll.time.toISOString(), change: "available" } as const;
    if (output.isJson) await output.write([back], CHANGE_VIEW);
    else report.notice("The service responds again.");
  }
  if (poll.changes.length > 0) await output.write(poll.changes.map(watchedChange), CHANGE_VIEW);
}

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
        before === undefined ? [] : changesBetween(before, installations, time.toISOString());
      yield { kind: "listed", time, installations, changes, isBack: away !== undefined };
      before = new Map(installations.map((one) => [one.id, one]));
      away = undefined;
    } catch (error) {
      if (isOver()) return;
      if (before === undefined || !isOutage(error)) throw error;
      const wait = Math.max(every, Math.min(MAX_PAUSE, (away?.pause ?? every / 2) * 2));
      away = { since: away?.since ?? now(), pause: wait };
      yield { kind: "unavailable", ...away, reason: error.message };
    }
    await sleep(away?.pause ?? every);
  }
}

function changesBetween(
  before: ReadonlyMap<string, NamedInstallation>,
  installations: readonly NamedInstallation[],
  time: string,
): ListedChange[] {
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
    const changes = compareRecords(one, other);
    if (changes.length > 0) found.push({ time, change: "changed", installation, changes });
  }
  const gone = [...left.values()].map(
    (installation): ListedChange => ({ time, change: "removed", installation, changes: [] }),
  );
  return [...found, ...gone];
}
