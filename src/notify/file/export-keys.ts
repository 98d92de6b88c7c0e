import { compare } from "../plan/canonical.ts";
import { quoted } from "./problems.ts";

interface Named {
  readonly id: string;
  readonly name?: string | null | undefined;
}

/** What a record is called in a file. */
export interface Keyed<Record> {
  readonly record: Record;
  readonly key: string;
  /** By its own name, which finds it again; else the file must give its id. */
  readonly isNamed: boolean;
}

/**
 * Finds a name for each record, by id. One without a name, or with one that several have, is called
 * by its id.
 */
export function keysFor<Record extends Named>(
  what: string,
  records: readonly Record[],
  warn: (what: string) => void,
): ReadonlyMap<string, Keyed<Record>> {
  const counts = new Map<string, number>();
  for (const { name } of records) {
    if (isName(name)) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const taken = new Set(counts.keys());
  const keyed = new Map<string, Keyed<Record>>();
  for (const record of records.toSorted((a, b) => compare(a.id, b.id))) {
    const { id, name } = record;
    if (keyed.has(id)) continue;
    if (isName(name) && counts.get(name) === 1) {
      keyed.set(id, { record, key: name, isNamed: true });
      continue;
    }
    const why = isName(name) ? `several are called ${quoted(name)}` : "it has no name";
    warn(`The ${what} ${quoted(id)} stands here by its id: ${why}.`);
    const key = freeKey(id, taken);
    taken.add(key);
    keyed.set(id, { record, key, isNamed: false });
  }
  return keyed;
}

function isName(name: string | null | undefined): name is string {
  return typeof name === "string" && name.trim() !== "" && name !== "__proto__";
}

function freeKey(id: string, taken: ReadonlySet<string>): string {
  const first = isName(id) ? id : "unnamed";
  let key = first;
  for (let count = 2; taken.has(key); count += 1) key = `${first}-${count}`;
  return key;
}
