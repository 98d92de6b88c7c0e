import { createHash } from "node:crypto";
import { UsageError } from "../../errors.ts";
import { copyOf, setEntries } from "./change.ts";
import { journaledSaveSchema, type RoutingState, type StateEntry } from "./state.ts";

/**
 * A journal is the saves that follow a snapshot, a line each. Writing the whole state at each save
 * is quadratic; a line is as long as what changed. The snapshot names its journal, and an amp that
 * knows no journals refuses the version of such a snapshot, so neither is read without the other.
 */
const HEADER = "amp-routing-journal";

/** The first line of a journal. */
export function journalHeader(id: string): string {
  return `${HEADER} ${id}\n`;
}

/** The line of a save. Its checksum tells a changed line from a whole one. */
export function journalLine(serial: number, changes: readonly StateEntry[]): string {
  const body = JSON.stringify({ serial, changes });
  return `${checksumOf(body)} ${body}\n`;
}

function checksumOf(body: string): string {
  return createHash("sha256").update(body).digest("hex").slice(0, 16);
}

/** The text of a snapshot together with its journal, as a backend reads them. */
export function withJournal(snapshot: string, journal: string): string {
  return `${snapshot}\n${journal}`;
}

/** Whether a text is the journal with an ID. */
export function isJournal(text: string, id: string): boolean {
  return text.startsWith(journalHeader(id));
}

/** The parts of a text of {@link withJournal}; the journal is absent from any other text. */
export function splitJournal(text: string): readonly [snapshot: string, journal?: string] {
  // No line of a JSON text begins with a word like this one.
  const at = text.indexOf(`\n${HEADER} `);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

const SNAPSHOT_HEAD =
  /^\s*\{\s*"format":\s*"amp-routing-state",\s*"version":\s*[234],\s*"journal":\s*"([^"\\]+)"/u;

/** The ID of the journal that a snapshot needs; undefined if it needs none. */
export function journalIdOf(snapshot: string): string | undefined {
  return SNAPSHOT_HEAD.exec(snapshot)?.[1];
}

/**
 * The state after the saves of its journal. A last line that was not written to its end is left
 * out: its save never succeeded, so nothing was sent after it.
 * @param location of the state, for messages
 * @throws {UsageError} for the journal of another snapshot, and for one that is damaged
 */
export function replayJournal(
  snapshot: RoutingState,
  journal: string | undefined,
  id: string,
  location: string,
): RoutingState {
  if (journal === undefined || !isJournal(journal, id)) {
    throw journalError(`The journal of ${location} is missing`, location);
  }
  const lines = journal.split("\n");
  const rest = lines.pop() ?? "";
  const last = lines.at(-1) ?? "";
  // After a power failure, a part of the last line may be zeros, also if its end was written.
  if (rest === "" && last.includes("\0")) lines.pop();
  const state = copyOf(snapshot);
  for (const [at, line] of lines.entries()) {
    if (at === 0) continue;
    const save = readLine(line);
    if (save?.serial !== state.serial + 1) {
      throw journalError(`The journal of ${location} is damaged in line ${at + 1}`, location);
    }
    setEntries(state, save.changes);
    state.serial = save.serial;
  }
  return state;
}

function readLine(line: string): ReturnType<typeof journaledSaveSchema.parse> | undefined {
  const [sum = ""] = line.split(" ", 1);
  const body = line.slice(sum.length + 1);
  if (checksumOf(body) !== sum) return undefined;
  try {
    return journaledSaveSchema.safeParse(JSON.parse(body)).data;
  } catch {
    return undefined;
  }
}

function journalError(message: string, location: string): UsageError {
  const fileName = location.split(/[/\\]/u).at(-1);
  return new UsageError(message, {
    detail: "An interrupted run left its last results in the journal.",
    remedy: `Restore good copies of ${location} and of its journal (.amp/${fileName}/journal next to it), both from the same time.`,
    done: "The state was not changed, and nothing was sent.",
  });
}
