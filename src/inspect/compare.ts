import { isDeepStrictEqual } from "node:util";
import type { Installation } from "../api/schemas/installation.ts";
import { UsageError } from "../errors.ts";
import { REDACTED } from "../secrets/secret.ts";
import { defined, isEmptyValue, isJsonObject } from "../values/json.ts";
import { originalOf } from "../values/odd-fields.ts";

/** A record as JSON has it. */
export type JsonRecord = Readonly<Record<string, unknown>>;

/** The part of an installation that a difference is in. */
export type ComparedArea = "installation" | "connection" | "config" | ObjectArea;

/** The maps of objects in the content of a config. */
const OBJECT_AREAS = ["read", "write", "subscribe"] as const;
type ObjectArea = (typeof OBJECT_AREAS)[number];

/** A field that differs between two installations, or between two states of one. */
export interface FieldDifference {
  readonly area: ComparedArea;
  /** The object that is read, written or subscribed to, where the difference is in one. */
  readonly object?: string;
  /** The dotted path within the area or object; empty where the whole object is meant. */
  readonly field: string;
  readonly change: "added" | "removed" | "changed";
  /** The value on either side; absent where there is none. */
  readonly before?: unknown;
  readonly after?: unknown;
}

/** The maximum values of a record: those of the service have a few hundred. */
const MAX_VALUES = 50_000;

/**
 * Compares two records field by field. A list is one value: its items have no names by which a
 * reader would find them, and to compare each with each takes long.
 * @throws {UsageError} for a record that no service sends
 */
export function compareRecords(before: JsonRecord, after: JsonRecord): FieldDifference[] {
  assertComparable(before);
  assertComparable(after);
  return changesAt([], before, after).filter((change) => !isRunningBoth(change));
}

/**
 * Whether a read is not paused on either side: one that was resumed says so, any other says
 * nothing.
 */
function isRunningBoth({ area, field, before, after }: FieldDifference): boolean {
  return area === "read" && field === "disabled" && !(before ?? false) && !(after ?? false);
}

/** An installation as the service sent it, without what amp adds for its views. */
export function originalRecord(installation: Installation): JsonRecord {
  const original = originalOf(installation);
  return isJsonObject(original) ? original : {};
}

function assertComparable(record: JsonRecord): void {
  let count = 0;
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    for (const item of Object.values(value)) {
      count += 1;
      if (count > MAX_VALUES) {
        const id = JSON.stringify(record.id);
        throw new UsageError(`Installation ${id} has more than ${MAX_VALUES} values to compare`);
      }
      visit(item);
    }
  };
  visit(record);
}

/** The differences at a place: one for each field below it, and one for a whole object. */
function changesAt(path: readonly string[], before: unknown, after: unknown): FieldDifference[] {
  if (isDeepStrictEqual(before, after)) return [];
  const place = placeOfPath(path);
  const sides = [before, after].filter((value) => value !== undefined);
  const isWholeObject = place.object !== undefined && place.field === "";
  const isSplit =
    sides.every(isJsonObject) && (sides.length === 2 || !(isWholeObject || isEmptyValue(sides[0])));
  if (isSplit) {
    const keys = new Set(sides.flatMap(Object.keys));
    return [...keys].flatMap((key) =>
      changesAt([...path, key], valueAt(before, key), valueAt(after, key)),
    );
  }
  const change = before === undefined ? "added" : after === undefined ? "removed" : "changed";
  return [defined({ ...place, change, before, after })];
}

function valueAt(value: unknown, key: string): unknown {
  return isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

function placeOfPath(path: readonly string[]): Pick<FieldDifference, "area" | "object" | "field"> {
  const [first = "", content, area, objects, object, ...rest] = path;
  const objectArea = OBJECT_AREAS.find((one) => one === area);
  const isObject = first === "config" && content === "content" && objects === "objects";
  if (isObject && objectArea !== undefined && object !== undefined) {
    return { area: objectArea, object, field: rest.join(".") };
  }
  if ((first === "connection" || first === "config") && path.length > 1) {
    return { area: first, field: path.slice(1).join(".") };
  }
  return { area: "installation", field: path.join(".") };
}

/** The fields that are never the same in two installations. */
const IDENTITY = {
  installation: ["id", "createTime", "createdBy", "updateTime", "group"],
  connection: ["id", "createTime", "group", "consumer"],
  config: ["id", "revisionId", "createTime", "createdBy"],
} as const;

/** The words for the fields that {@link withoutIdentity} leaves out. */
export const IDENTITY_WORDS = "IDs, times, creators, group, consumer and secrets";

/** A record without secrets and the fields that differ between any two installations. */
export function withoutIdentity(record: JsonRecord): JsonRecord {
  const without = (value: JsonRecord, names: readonly string[]) =>
    Object.fromEntries(
      Object.entries(withoutSecrets(value)).filter(([name]) => !names.includes(name)),
    );
  return Object.fromEntries(
    Object.entries(without(record, IDENTITY.installation)).map(([name, value]) => {
      const isPart = (name === "connection" || name === "config") && isJsonObject(value);
      return [name, isPart ? without(value, IDENTITY[name]) : value];
    }),
  );
}

/**
 * A record without what is redacted: that one has a secret which another lacks says its auth
 * scheme.
 */
function withoutSecrets(record: JsonRecord): JsonRecord {
  return Object.fromEntries(
    Object.entries(record).flatMap(([name, value]) => {
      if (value === REDACTED) return [];
      if (!isJsonObject(value) || isEmptyValue(value)) return [[name, value]];
      const left = withoutSecrets(value);
      return isEmptyValue(left) ? [] : [[name, left]];
    }),
  );
}
