import { appendFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { makeFolder } from "../../durable/make-folder.ts";
import { UsageError } from "../../errors.ts";
import { fsReason } from "../../runtime/fs-reason.ts";
import type { EventEntry } from "./delivery.ts";
import { EventHistory } from "./event-history.ts";
import { type Journal, openJournal } from "./journal.ts";

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

/** The folder beside the state file: `journal.ndjson`, and `streams/PROJECT/DESTINATION.ndjson`. */
export function eventFolder(state: string): string {
  return `${state}.events`;
}

/**
 * Opens the files of a state, which the caller has locked.
 * @param caused the events that the state has of its last change
 * @throws {UsageError} where they cannot be read or written
 */
export async function openEventFiles(
  state: string,
  onRemark: (remark: string) => void,
  caused: readonly EventEntry[] = [],
): Promise<EventFiles> {
  const folder = eventFolder(state);
  const history = new EventHistory();
  const path = join(folder, "journal.ndjson");
  const journal = await openJournal(path, history, onRemark, caused).catch((error: unknown) => {
    const message = `The sandbox cannot use ${path}: ${fsReason(error)}`;
    throw new UsageError(message, {}, { cause: error });
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
