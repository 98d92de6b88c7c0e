import { createReadStream } from "node:fs";
import { appendFile, type FileHandle, open } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { makeFolder, writeFileDurably } from "../../durable/write-file.ts";
import { fsReason } from "../../runtime/fs-reason.ts";
import { sandboxErrors } from "../errors.ts";
import type { EventEntry, JournalEntry } from "./delivery.ts";
import { EventHistory } from "./history.ts";

/** Lines that are written by one call. */
const BATCH = 500;

/** The journal of events that must not be lost: a file that only grows while the sandbox runs. */
export interface Journal {
  /**
   * Adds entries. They are on the disk when it resolves if they must not be lost; otherwise they
   * survive the end of the process, not that of the machine.
   * @throws the file system's own error
   */
  append(entries: readonly JournalEntry[], options?: { isDurable: boolean }): Promise<void>;
  close(): Promise<void>;
}

/**
 * Reads a journal into a history, writes it anew without what is no longer kept, and opens it. The
 * last line may be cut off by a kill: its trigger had no answer then.
 * @param onRemark called with the number of lines that could not be read
 * @param caused the events that the state has of its last change
 */
export async function openJournal(
  path: string,
  history: EventHistory,
  onRemark: (remark: string) => void,
  caused: readonly EventEntry[] = [],
): Promise<Journal> {
  const unread = await replay(path, history);
  history.applyCaused(caused);
  if (unread > 0) {
    onRemark(
      `${path}: ${unread === 1 ? "1 line was" : `${unread} lines were`} not readable and left out`,
    );
  }
  const lines = [...history.entries()].map((entry) => `${JSON.stringify(entry)}\n`);
  await writeFileDurably(path, lines.join(""));
  return appender(await open(path, "a", 0o600));
}

async function replay(path: string, history: EventHistory): Promise<number> {
  let unread = 0;
  try {
    for await (const line of createInterface({ input: createReadStream(path, "utf8") })) {
      if (line === "") continue;
      try {
        history.apply(JSON.parse(line) as JournalEntry);
      } catch {
        unread += 1;
      }
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  return unread;
}

/** Writes one after the other. Those that wait while the disk is slow share one sync. */
function appender(file: FileHandle): Journal {
  let last: Promise<unknown> = Promise.resolve();
  let waiting: { lines: string[]; isDurable: boolean; written: Promise<void> } | undefined;
  let isBroken = false;

  const flush = async (batch: NonNullable<typeof waiting>) => {
    if (waiting === batch) waiting = undefined;
    for (let at = 0; at < batch.lines.length; at += BATCH) {
      // After a write that failed half-way, its line ends here and is left out by the next reader.
      const text = (isBroken ? "\n" : "") + batch.lines.slice(at, at + BATCH).join("");
      isBroken = true;
      await file.appendFile(text);
      isBroken = false;
    }
    if (batch.isDurable) await file.datasync();
  };

  return {
    append: (entries, { isDurable } = { isDurable: false }) => {
      const lines = entries.map((entry) => `${JSON.stringify(entry)}\n`);
      if (waiting !== undefined) {
        waiting.lines.push(...lines);
        waiting.isDurable ||= isDurable;
        return waiting.written;
      }
      const batch = { lines, isDurable, written: Promise.resolve() };
      waiting = batch;
      batch.written = last.then(() => flush(batch));
      last = batch.written.catch(() => undefined);
      return batch.written;
    },
    close: async () => {
      await last;
      await file.close();
    },
  };
}

/** The files of a sandbox with a state: what it must not forget, and what streams received. */
export interface EventFiles {
  readonly history: EventHistory;
  readonly journal: Journal;
  readonly append: (stream: StreamName, line: string) => Promise<void>;
}

/** A stream destination; its name is unique in its project. */
export interface StreamName {
  readonly project: string;
  readonly destination: string;
  /** Replaces a name that is not valid in a path. */
  readonly id: string;
}

/**
 * Opens the files of a state, which the caller has locked: in the folder beside the state file
 * `journal.ndjson`, and `streams/PROJECT/DESTINATION.ndjson`.
 * @param caused the events that the state has of its last change
 * @throws {UsageError} where they cannot be read or written
 */
export async function openEventFiles(
  state: string,
  onRemark: (remark: string) => void,
  caused: readonly EventEntry[] = [],
): Promise<EventFiles> {
  const folder = `${state}.events`;
  const history = new EventHistory();
  const path = join(folder, "journal.ndjson");
  const journal = await openJournal(path, history, onRemark, caused).catch((error: unknown) => {
    throw sandboxErrors.sandbox_file_unusable(path, fsReason(error), error);
  });
  return {
    history,
    journal,
    append: async ({ project, destination, id }, line) => {
      const name = isPathName(destination) ? destination : id;
      const stream = join(folder, "streams", isPathName(project) ? project : "other", name);
      await makeFolder(dirname(stream));
      await appendFile(`${stream}.ndjson`, line, { mode: 0o600 });
    },
  };
}

function isPathName(name: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/u.test(name);
}
