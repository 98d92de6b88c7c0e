import type { Api, ListResult } from "../api/operations/endpoint.ts";
import { RECORD_FIELDS } from "../api/operations/record-fields.ts";
import type { CommandContext } from "../context/command-context.ts";
import { InterruptedError } from "../errors.ts";
import { batchesOf } from "../values/batches.ts";
import { counted } from "../values/counted.ts";
import { durationText } from "../values/duration.ts";
import type { LiveOutput } from "../view/live.ts";
import type { Selection } from "../view/selection.ts";
import type { NamedInstallation } from "./installations.ts";
import { askedOnce, endsAfterOneLook, type PollResult, watchList } from "./watch.ts";
import {
  CHANGE_VIEW,
  createWatchFrames,
  LIMIT_REACHED,
  type ListView,
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
  const frames = createWatchFrames(every, view, selection.isCut);
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
    sleep: (ms) => sleep(ms, signal),
    isOver: () => signal.aborted || output.isClosed,
  });
  let isAway = false;
  try {
    for await (const poll of polls) {
      if (output.isScreen) await output.draw(frames.next(poll));
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
  const { assertDescribed } = await import("./known-fields.ts");
  for (const path of paths) assertDescribed(RECORD_FIELDS.installation, path);
}

/** Resolves after a time, or at once where the user ends the watch. */
function sleep(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  const end = () => resolve();
  signal.addEventListener("abort", end);
  if (signal.aborted) end();
  return promise.finally(() => {
    clearTimeout(timer);
    // A watch may go on for days.
    signal.removeEventListener("abort", end);
  });
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
