import { isDeepStrictEqual } from "node:util";
import type { Installation } from "../api/schemas/installation.ts";
import { UsageError } from "../errors.ts";
import { REDACTED } from "../secrets/secret.ts";
import { defined, isEmptyValue, isJsonObject } from "../values/json.ts";
import { originalOf } from "../values/odd-fields.ts";

/** A record as JSON has it. */
export type JsonRecord = Readonly<Record<string, unknown>>;

/** One operation of a JSON Patch (RFC 6902); no other kinds are made. */
export type PatchOperation =
  | { readonly op: "add" | "replace"; readonly path: string; readonly value: unknown }
  | { readonly op: "remove"; readonly path: string };

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

/** The differences of two records, and the patch that makes the second of the first. */
export interface Comparison {
  readonly changes: readonly FieldDifference[];
  readonly patch: readonly PatchOperation[];
}

/** The maximum values of a record: those of the service have a few hundred. */
const MAX_VALUES = 50_000;

/**
 * Compares two records field by field. A list is one value: its items have no names by which a
 * reader would find them, and to compare each with each takes long.
 * @throws {UsageError} for a record that no service sends
 */
export async function compareRecords(before: JsonRecord, after: JsonRecord): Promise<Comparison> {
  assertComparable(before);
  assertComparable(after);
  const { createPatch } = await import("rfc6902");
  const patch = createPatch(before, after, (one, other, place) => {
    if (!Array.isArray(one) || !Array.isArray(other)) return undefined;
    if (isDeepStrictEqual(one, other)) return [];
    return [{ op: "replace", path: place.toString(), value: other }];
  }) as readonly PatchOperation[];
  const changes = patch.flatMap((operation) => {
    const path = segmentsOf(operation.path);
    return changesAt(
      path,
      valueIn(before, path),
      "value" in operation ? operation.value : undefined,
    );
  });
  return { changes: changes.filter((change) => !isRunningBoth(change)), patch };
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

function segmentsOf(pointer: string): string[] {
  const [, ...segments] = pointer.split("/");
  return segments.map((segment) => segment.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function valueIn(record: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined),
    record,
  );
}

/** The differences at a place: one for each field below it, and one for a whole object. */
function changesAt(
  path: readonly string[],
  before: unknown,
  after: unknown,
): readonly FieldDifference[] {
  const place = placeOfPath(path);
  const [only] = [before, after].filter((value) => value !== undefined);
  const isAlone = before === undefined || after === undefined;
  const isWholeObject = place.object !== undefined && place.field === "";
  if (isAlone && isJsonObject(only) && !isEmptyValue(only) && !isWholeObject) {
    return Object.keys(only).flatMap((key) =>
      changesAt([...path, key], valueIn(before, [key]), valueIn(after, [key])),
    );
  }
  const change = before === undefined ? "added" : after === undefined ? "removed" : "changed";
  return [defined({ ...place, change, before, after })];
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
