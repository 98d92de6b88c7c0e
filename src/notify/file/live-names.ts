import { compareText } from "../../values/basics.ts";
import { routingErrors } from "../errors.ts";
import type { LiveRecord } from "../model/resource.ts";
import { quoted } from "./issues.ts";

/** Receives a fact that a name cannot show. */
export type Warn = (warning: string) => void;

interface NamedRecord<Record> {
  readonly record: Record;
  readonly key: string;
  /**
   * Whether the name is the record's own and finds it again; otherwise the file must give its ID.
   */
  readonly isNamed: boolean;
}

/**
 * Finds a name for each record, by ID. A record without a unique name is called by its ID.
 * @throws {ConflictError} if a record has no ID: the routing would be incomplete
 */
export function namesInFile<Record extends LiveRecord>(
  noun: string,
  records: readonly Record[],
  warn: Warn,
): ReadonlyMap<string, NamedRecord<Record>> {
  if (lackIds(records)) {
    const lacking = records.filter(({ id }) => id === "").length;
    throw routingErrors.listed_without_id(lacking, noun);
  }
  const counts = new Map<string, number>();
  for (const { name } of records) {
    if (isName(name)) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const taken = new Set(counts.keys());
  const named = new Map<string, NamedRecord<Record>>();
  for (const record of sortedById(records)) {
    const { id, name } = record;
    if (named.has(id)) continue;
    if (isName(name) && counts.get(name) === 1) {
      named.set(id, { record, key: name, isNamed: true });
      continue;
    }
    const reason = isName(name) ? `several are named ${quoted(name)}` : "it has no name";
    warn(`The ${noun} ${quoted(id)} is referenced by its ID: ${reason}.`);
    const key = freeKey(id, taken);
    taken.add(key);
    named.set(id, { record, key, isNamed: false });
  }
  return named;
}

/** True if a record of a list has no ID, so that it is unknown what it connects. */
export function lackIds(records: readonly LiveRecord[]): boolean {
  return records.some(({ id }) => id === "");
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

/** The records in one order, whatever the order of the list. */
export function sortedById<Record extends { readonly id: string }>(
  records: readonly Record[],
): Record[] {
  return records.toSorted((a, b) => compareText(a.id, b.id));
}
