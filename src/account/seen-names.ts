import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { tried } from "../values/basics.ts";
import { isJsonObject } from "../values/json.ts";

/** What completion offers names of, as lists have shown them. */
export type SeenKind = "project" | "integration" | "customer" | "destination" | "topic";

/** The names that lists have shown, by project. */
export type SeenNames = Readonly<Record<string, Readonly<Partial<Record<SeenKind, string[]>>>>>;

/** More are not remembered of one kind: a Tab reads all of them. */
export const MAX_NAMES = 5_000;

/**
 * Remembers the names of a list for completion. They are a convenience: what cannot be written is
 * not remembered, and what two runs write at once has the names of one.
 * @param isWhole whether the list has all names of the kind, so that others are forgotten
 */
export function rememberNames(
  path: string,
  { project, kind, isWhole }: { project: string; kind: SeenKind; isWhole: boolean },
  names: ReadonlySet<string>,
): void {
  const all = readSeen(path);
  const kept = all[project]?.[kind];
  const before = Array.isArray(kept) ? kept : [];
  const now = [...new Set([...names, ...(isWhole ? [] : before)])].slice(0, MAX_NAMES).sort();
  if (now.length === before.length && now.every((name, at) => name === before[at])) return;
  const text = JSON.stringify({ ...all, [project]: { ...all[project], [kind]: now } });
  // Without node:crypto, which takes a list milliseconds to load.
  const temporary = `${path}.${Math.random().toString(36).slice(2)}`;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    try {
      writeFileSync(temporary, text, { mode: 0o600 });
      renameSync(temporary, path);
    } finally {
      rmSync(temporary, { force: true });
    }
  } catch {
    // A folder that is read-only, a full disk.
  }
}

function readSeen(path: string): SeenNames {
  const content: unknown = tried(() => JSON.parse(readFileSync(path, "utf8")));
  return isJsonObject(content) ? (content as SeenNames) : {};
}
