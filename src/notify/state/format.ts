import { createHash } from "node:crypto";
import { jsonOf, schemaIssueText } from "../../values/json.ts";
import { routingErrors } from "../errors.ts";
import { copyOf, setEntries } from "./change.ts";
import { journaledSaveSchema, type RoutingState, type StateEntry, stateSchema } from "./state.ts";

const FORMAT = "amp-routing-state";
const VERSION = 1;

/**
 * Reads the text of a state, and the journal that follows it.
 * @param location for messages
 * @throws {UsageError} if the text is damaged, not a state, or of another version
 */
export function parseState(source: string, location: string): RoutingState {
  const [snapshot, journal] = splitJournal(source);
  const value = parseJson(snapshot, location);
  const { format, version, journal: id } = Object(value) as Readonly<Record<string, unknown>>;
  if (format !== FORMAT) throw routingErrors.state_foreign(location);
  if (version !== VERSION) throw routingErrors.state_of_another_version(location, version, VERSION);
  const { data, error } = stateSchema.safeParse(value);
  if (data) {
    return id !== undefined ? replayJournal(data, journal, `${id}`, location) : data;
  }
  const [issue] = error.issues;
  const path = issue?.path ?? [];
  const { message = "not valid" }: { message?: string } =
    (issue?.code === "invalid_key" ? issue.issues[0] : issue) ?? {};
  const where = [lineOfPath(source, path), path.join(" > ") || "it"].filter(Boolean).join(": ");
  throw routingErrors.state_damaged(location, `${where}: ${schemaIssueText(message)}`);
}

/** The line of an entry, for example `line 12`; undefined for a path to anything else. */
function lineOfPath(source: string, [map, address]: readonly PropertyKey[]): string | undefined {
  if (typeof address !== "string") return undefined;
  const start = source.indexOf(JSON.stringify(map));
  const found = source.indexOf(JSON.stringify(address), start);
  return found < 0 ? undefined : `line ${source.slice(0, found).split("\n").length}`;
}

/**
 * Writes the text that {@link parseState} reads: a line for each entry. The serial is at the top,
 * where state servers look for it.
 * @param journal the ID of the journal that further saves go to; absent: there is none
 */
export function stateText(state: RoutingState, journal?: string): string {
  const { entries, left, marks, runs, ...rest } = state;
  const head = JSON.stringify({ format: FORMAT, version: VERSION, journal, ...rest }, undefined, 2);
  const maps = Object.entries({ entries, left, marks, runs }).flatMap(([name, map = new Map()]) =>
    map.size > 0 || name === "entries" ? `${JSON.stringify(name)}: ${linesOf(map)}` : [],
  );
  return `${head.slice(0, -2)},\n  ${maps.join(",\n  ")}\n}\n`;
}

function linesOf(entries: ReadonlyMap<string, object>): string {
  const lines = Array.from(entries, lineOf);
  return lines.length === 0 ? "{}" : `{\n${lines.join(",\n")}\n  }`;
}

/** The lines of entries. Entries are immutable, and each save contains all: a line is made once. */
const writtenLines = new WeakMap<object, { readonly address: string; readonly line: string }>();

function lineOf([address, entry]: readonly [string, object]): string {
  const known = writtenLines.get(entry);
  if (known?.address === address) return known.line;
  const line = `    ${JSON.stringify(address)}: ${JSON.stringify(entry)}`;
  writtenLines.set(entry, { address, line });
  return line;
}

function parseJson(source: string, location: string): unknown {
  if (source.trim() === "") throw routingErrors.state_empty(location);
  try {
    return JSON.parse(source);
  } catch {
    throw routingErrors.state_not_json(location);
  }
}

/** The saves of a run that a serial must have room for. */
const ROOM = 1_000_000;

/**
 * Refuses a state whose serial could soon not be read any more.
 * @throws {UsageError} before anything is sent or saved
 */
export function assertRoomForSaves(serial: number, location: string): void {
  if (serial <= Number.MAX_SAFE_INTEGER - ROOM) return;
  throw routingErrors.state_damaged(location, `the serial ${serial} is too high`);
}

/**
 * A journal is the saves that follow a snapshot, a line each. Writing the whole state at each save
 * is quadratic; a line is as long as what changed. The snapshot names its journal: neither is read
 * without the other.
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
  /^\s*\{\s*"format":\s*"amp-routing-state",\s*"version":\s*1,\s*"journal":\s*"([^"\\]+)"/u;

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
function replayJournal(
  snapshot: RoutingState,
  journal: string | undefined,
  id: string,
  location: string,
): RoutingState {
  if (journal === undefined || !isJournal(journal, id)) {
    throw routingErrors.journal_unreadable(location, "missing");
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
      throw routingErrors.journal_unreadable(location, `damaged in line ${at + 1}`);
    }
    setEntries(state, save.changes);
    state.serial = save.serial;
  }
  return state;
}

function readLine(line: string): ReturnType<typeof journaledSaveSchema.parse> | undefined {
  const [sum = ""] = line.split(" ", 1);
  const body = line.slice(sum.length + 1);
  return checksumOf(body) === sum ? journaledSaveSchema.safeParse(jsonOf(body)).data : undefined;
}
