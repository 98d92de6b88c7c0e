import { createHash } from "node:crypto";
import { readOwnFile } from "../durable/read-file.ts";
import { appendDurably, FileChangedError, refuseLink } from "../durable/write-file.ts";
import { UsageError } from "../errors.ts";
import { fsReason } from "../runtime/fs-reason.ts";
import { isJsonObject } from "../values/json.ts";
import { timeOf } from "../values/period.ts";
import { tried } from "../values/tried.ts";

/**
 * A ledger is what amp itself observed of installations: a line of JSON whenever one begins or
 * ceases to meet a condition. It says since when, where the service does not. Lines are only added,
 * so a run that is killed loses at most its last line, and several checks may share a file.
 */
export interface LedgerKey {
  readonly project: string;
  readonly integration?: string | undefined;
  readonly groupRef?: string | undefined;
  readonly filters: readonly string[];
}

/** A line of a ledger, without what another version may have added. */
interface LedgerLine {
  readonly time: string;
  readonly check: string;
  readonly id?: string;
  readonly holds?: boolean;
}

/** The number of tries where another run adds lines at the same time. */
const TRIES = 5;

/**
 * Records which installations meet a condition now, and says since when each does.
 * @param met the IDs of those that do
 * @returns the time of the first observation by ID, of those that were met at every one since
 * @throws {UsageError} if the file is not a ledger, is a symbolic link, or cannot be read or
 * written
 */
export async function observe(
  path: string,
  key: LedgerKey,
  met: readonly string[],
  now: Date,
): Promise<ReadonlyMap<string, string>> {
  const check = checkOf(key);
  const time = now.toISOString();
  await refuseLink(path);
  for (let tries = 1; ; tries += 1) {
    const text = (await readOwnFile(path).catch(fileError(path, "read"))) ?? "";
    const { since, isKnown } = replay(text, check, path);
    const held = new Set(met);
    const changes = [
      ...[...since.keys()].filter((id) => !held.has(id)).map((id) => ({ id, holds: false })),
      ...[...held].filter((id) => !since.has(id)).map((id) => ({ id, holds: true })),
    ];
    const lines = [
      ...(isKnown ? [] : [{ time, check, about: aboutOf(key) }]),
      ...changes.map((change) => ({ time, check, ...change })),
    ];
    for (const { id, holds } of changes) {
      if (holds) since.set(id, time);
      else since.delete(id);
    }
    if (lines.length === 0) return since;
    // A line that was cut off is ended, so that it spoils no other.
    const before = text === "" || text.endsWith("\n") ? "" : "\n";
    const added = before + lines.map((line) => `${asciiJson(line)}\n`).join("");
    try {
      await appendDurably(path, Buffer.from(added), { size: Buffer.byteLength(text) });
      return since;
    } catch (error) {
      if (!(error instanceof FileChangedError) || tries === TRIES) fileError(path, "write")(error);
    }
  }
}

/** JSON in ASCII: half a character at a cut would not be as long when it is read. */
function asciiJson(line: object): string {
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return JSON.stringify(line).replace(/[^\x20-\x7e]/g, escaped);
}

/** Since when each installation meets the condition, by the lines of one check. */
function replay(text: string, check: string, path: string) {
  const since = new Map<string, string>();
  let isKnown = false;
  const lines = text.split("\n");
  for (const [at, line] of lines.entries()) {
    const entry = parseLine(line);
    if (entry === undefined) {
      // A cut-off line is the last one, or was the last before another run ended it.
      if (line.trim() === "" || isCut(line)) continue;
      throw new UsageError(`${path} is not a ledger: line ${at + 1} is not valid`, {
        remedy: "Choose another file, or move this one aside.",
        done: "Nothing was written to it.",
      });
    }
    if (entry.check !== check) continue;
    isKnown = true;
    const { id, holds, time } = entry;
    if (id === undefined) continue;
    if (!holds) since.delete(id);
    else if (!since.has(id)) since.set(id, time);
  }
  return { since, isKnown };
}

/** Whether a text may be the beginning of a line. */
function isCut(line: string): boolean {
  return '{"time":"'.startsWith(line.slice(0, 9)) || line.includes("\0");
}

function parseLine(line: string): LedgerLine | undefined {
  const value: unknown = tried(() => JSON.parse(line));
  const isLine =
    isJsonObject(value) && timeOf(value.time) !== undefined && typeof value.check === "string";
  return isLine ? (value as unknown as LedgerLine) : undefined;
}

/** The name of a check in its lines: that of the same question again. */
function checkOf(key: LedgerKey): string {
  return createHash("sha256")
    .update(JSON.stringify(aboutOf(key)))
    .digest("hex")
    .slice(0, 12);
}

function aboutOf({ project, integration, groupRef, filters }: LedgerKey) {
  return { project, integration, groupRef, filters: filters.toSorted() };
}

function fileError(path: string, verb: string) {
  return (error: unknown): never => {
    if (error instanceof UsageError) throw error;
    throw new UsageError(
      `Cannot ${verb} the ledger ${path}: ${fsReason(error)}`,
      {},
      { cause: error },
    );
  };
}
