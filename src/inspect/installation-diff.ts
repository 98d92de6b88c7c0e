import { isDeepStrictEqual } from "node:util";
import type { Installation } from "../api/schemas/installation.ts";
import type { ComparedSide, FieldDifference, InstallationDiff } from "../documents/inspect.ts";
import { NotFoundError } from "../errors.ts";
import { type Asker, findByIdOrName, type Lookup } from "../questions/find.ts";
import { redactAnswer } from "../secrets/answer.ts";
import { REDACTED } from "../secrets/secret.ts";
import { tried } from "../values/basics.ts";
import { defined, isEmptyValue, isJsonObject, jsonProblem, parseJson } from "../values/json.ts";
import { matching } from "../values/matching.ts";
import { originalOf } from "../values/odd-fields.ts";
import { RESULT_FIELDS } from "../values/result-fields.ts";
import { suggest } from "../values/suggested-command.ts";
import { inspectErrors } from "./errors.ts";
import { type InstallationSearch, NAMES } from "./find-installation.ts";
import type { NamedInstallation } from "./installations.ts";

/** Compares two installations that the service lists. */
export async function compareTwo(
  search: InstallationSearch,
  names: readonly [one: string, other: string],
  { all }: { readonly all: boolean },
): Promise<InstallationDiff> {
  const common = commonIntegration(search.installations, names);
  const both = common === undefined ? search : search.of((one) => one.integrationId === common);
  const before = await both.find(names[0], "<installation>");
  const after = await both.find(names[1], "<other>");
  if (before.id === after.id) throw inspectErrors.installations_same(before.id);
  const recordOf = (one: Installation) =>
    all ? originalRecord(one) : withoutIdentity(originalRecord(one));
  return {
    before: sideOf(before),
    after: sideOf(after),
    changes: compareRecords(recordOf(before), recordOf(after)),
    ...(all ? {} : { leftOut: IDENTITY_WORDS }),
  };
}

/** The only integration in which each text finds an installation; undefined if there are more. */
function commonIntegration(
  installations: readonly NamedInstallation[],
  texts: readonly string[],
): string | undefined {
  const found = texts.map(
    (text) => new Set(matching(installations, text, NAMES).map((one) => one.integrationId)),
  );
  const [first = new Set<string>(), ...others] = found;
  const [only, ...more] = [...first].filter((one) => others.every((set) => set.has(one)));
  return more.length === 0 ? only : undefined;
}

/**
 * Compares an installation with a saved list. One that is in only one of them is a difference, too.
 * @throws {NotFoundError} for one that is in neither
 */
export async function compareWithSnapshot(
  search: InstallationSearch,
  wanted: string,
  snapshot: Snapshot,
  asker: Asker,
): Promise<InstallationDiff> {
  const { file, records } = snapshot;
  const now = await search.find(wanted).catch((error: unknown) => {
    if (error instanceof NotFoundError) return error;
    throw error;
  });
  if (now instanceof NotFoundError) {
    const saved = await findSaved(snapshot, wanted, now, asker);
    return {
      since: file,
      before: sideOf(saved),
      changes: [{ area: "installation", field: "", change: "removed", before: saved }],
    };
  }
  const record = originalRecord(now);
  const saved = records.get(now.id);
  if (saved === undefined) {
    return {
      since: file,
      after: sideOf(now),
      changes: [{ area: "installation", field: "", change: "added", after: record }],
    };
  }
  const sides = { since: file, before: sideOf(saved), after: sideOf(now) };
  // A list that was saved with --fields has only some of them.
  const missing = Object.keys(record).filter((name) => !Object.hasOwn(saved, name));
  if (!REQUIRED.some((name) => missing.includes(name))) {
    return { ...sides, changes: compareRecords(saved, record) };
  }
  // --fields also writes columns, which no installation has: they were not removed from it.
  const isField = (name: string) =>
    Object.hasOwn(record, name) || RESULT_FIELDS.installation.some((one) => one === name);
  const changes = compareRecords(
    fieldsOf(saved, isField),
    fieldsOf(record, (name) => Object.hasOwn(saved, name)),
  );
  const leftOut = `fields that ${file} does not have: ${missing.join(", ")}`;
  return { ...sides, changes, leftOut };
}

/** Whether a difference is one of the configuration, and not of its state. */
export function isOfConfig({ area }: FieldDifference): boolean {
  return area !== "installation" && area !== "connection";
}

function fieldsOf(record: JsonRecord, isWanted: (name: string) => boolean): JsonRecord {
  return Object.fromEntries(Object.entries(record).filter(([name]) => isWanted(name)));
}

/** The fields that every installation has (spec 2.3). */
const REQUIRED = ["projectId", "integrationId", "healthStatus", "connection", "config"] as const;

async function findSaved(
  { file, records }: Snapshot,
  wanted: string,
  notListed: NotFoundError,
  asker: Asker,
): Promise<JsonRecord> {
  const lookup: Lookup<JsonRecord> = {
    noun: "saved installation",
    argument: "<installation>",
    list: suggest("installations list"),
    again: (name) => suggest("installations diff", [name], { since: file }),
    ids: (one) => [String(one.id), textAt(one.connection, "id")],
    names: (one) => groupNames(one),
    describe: (one) => ({ id: String(one.id), group: groupNames(one)[0] }),
    where: `Searched ${file}.`,
  };
  try {
    return await findByIdOrName([...records.values()], wanted, lookup, asker);
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
    const { detail } = notListed.facts;
    throw notListed.setFacts({
      detail: [detail, `${file} does not have it either.`].filter(Boolean).join(" "),
    });
  }
}

function sideOf(one: Installation | JsonRecord): ComparedSide {
  const [group] = groupNames(one as JsonRecord);
  return defined({ id: String(one.id), group });
}

function groupNames(record: JsonRecord): string[] {
  const groups = [
    record.group,
    isJsonObject(record.connection) ? record.connection.group : undefined,
  ];
  return groups.flatMap((group) =>
    [textAt(group, "groupName"), textAt(group, "groupRef")].filter((text) => text !== undefined),
  );
}

function textAt(value: unknown, name: string): string | undefined {
  const text = isJsonObject(value) ? value[name] : undefined;
  return typeof text === "string" && text !== "" ? text : undefined;
}

/** A saved list of installations: the JSON that `installations list` printed. */
interface Snapshot {
  /** The file as it was named. */
  readonly file: string;
  readonly records: ReadonlyMap<string, JsonRecord>;
}

/**
 * Reads a saved list: one JSON document with a list or a single installation, or a line of JSON for
 * each. Secrets are redacted, as in an answer of the service: the file may come from anywhere.
 * @param file the name of the file, for messages
 * @throws {UsageError} for anything else
 */
export function readSnapshot(text: string, file: string): Snapshot {
  const values = valuesOf(text, file);
  const records = new Map<string, JsonRecord>();
  for (const value of values) {
    if (!isJsonObject(value) || typeof value.id !== "string" || value.id === "") continue;
    records.set(value.id, redactAnswer(value));
  }
  if (records.size === 0 && values.length > 0)
    throw inspectErrors.saved_list_invalid(file, "It has no record with an id.");
  return { file, records };
}

function valuesOf(text: string, file: string): readonly unknown[] {
  const whole = tryParse(text);
  if (whole !== undefined) {
    if (Array.isArray(whole.value)) return whole.value;
    if (isJsonObject(whole.value)) return [whole.value];
    throw inspectErrors.saved_list_invalid(file, "It is neither a list nor an object.");
  }
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const values = lines.map(tryParse);
  const bad = values.indexOf(undefined);
  if (bad < 0 && values.length > 0) return values.map((one) => one?.value);
  // Where the first line is JSON, the file was meant as lines.
  const isLines = bad > 0;
  throw inspectErrors.saved_list_invalid(
    file,
    isLines ? `Line ${bad + 1} ${jsonProblem(lines[bad] ?? "")}.` : `It ${jsonProblem(text)}.`,
  );
}

function tryParse(text: string): { readonly value: unknown } | undefined {
  return tried(() => ({ value: parseJson(text) }));
}

type JsonRecord = Readonly<Record<string, unknown>>;

/** The maps of objects in the content of a config. */
const OBJECT_AREAS = ["read", "write", "subscribe"] as const;

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

/** Whether a read is not paused on either side: one that was resumed says so, others do not. */
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
        throw inspectErrors.installation_too_large(id, MAX_VALUES);
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
const IDENTITY_WORDS = "IDs, times, creators, group, consumer and secrets";

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

/** A record without what is redacted: whether it has a secret follows from its auth scheme. */
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
