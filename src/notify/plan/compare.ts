import type { Difference } from "../../documents/routing.ts";
import { redactAddress } from "../../secrets/address.ts";
import { holdsRedacted, redactAnswer } from "../../secrets/answer.ts";
import { REDACTED } from "../../secrets/secret.ts";
import { compareText } from "../../values/basics.ts";
import { isJsonObject } from "../../values/json.ts";
import { nameFieldOf, splitField } from "../model/address.ts";
import { fieldDigest, isHidden, isSame, normalizedName } from "../model/canonical.ts";
import {
  isSensitive,
  type Metadata,
  type MetadataReference,
  mapLeaves,
  metadataValues,
  referenceAt,
  referenceText,
  withValueAt,
} from "../model/metadata.ts";
import { type LiveRecord, RESOURCES, type ResourceKind } from "../model/resource.ts";
import type { Resource } from "../model/routing.ts";
import { type Entry, INSTEAD } from "../state/state.ts";
import type { Situation } from "./table.ts";

/** What of a resource is the same in the file, in the state and at the service. */
export interface Comparison {
  /** The worst of its fields, in the order `both`, `ours`, `drift`, `same`. */
  readonly fields: Situation["fields"];
  /** The paths of the fields that an update sends, such as `name` or `metadata.url`. */
  readonly mask: readonly string[];
  /** The old and new values of these fields; those of secrets are hidden. */
  readonly differences: readonly Difference[];
  /** Whether an update can send all of them: never a type, and nothing of a route. */
  readonly canSend: boolean;
  /** The fields in place that the service shows otherwise than they were sent. */
  readonly notKept: readonly Difference[];
  /** The fields that a file or command named before, and that this one does not name. */
  readonly keptFields: readonly string[];
  /** The fields of the entry with what the list shows of them now; absent: as they were. */
  readonly learned?: Entry["fields"];
}

/** A field that a routing names. The fields of metadata and secrets count one by one. */
interface NamedField {
  readonly path: string;
  readonly value: unknown;
  /** `fixed`: no update can change it. */
  readonly part: "metadata" | "secrets" | "fixed";
}

/** The fields that a routing names, in their order. */
function namedFields({ kind, content, secrets }: Resource): NamedField[] {
  const canUpdate = RESOURCES[kind].update !== undefined;
  const below = (part: "metadata" | "secrets", values: Readonly<Record<string, unknown>>) =>
    Object.entries(values).map(([name, value]): NamedField => {
      // A path with a further dot would name a field within a field.
      const isFixed = !canUpdate || name.includes(".");
      return { path: `${part}.${name}`, value, part: isFixed ? "fixed" : part };
    });
  return [
    ...Object.entries(content).flatMap(([name, value]) =>
      name === "metadata" && isJsonObject(value)
        ? below("metadata", value)
        : { path: name, value, part: "fixed" as const },
    ),
    ...below("secrets", secrets),
  ];
}

/** The digests of the fields of a resource, as an entry has them once they are sent. */
export function sentFields(key: string, resource: Resource): Entry["fields"] {
  return Object.fromEntries(
    namedFields(resource).map(({ path, value }) => [
      path,
      [fieldDigest(key, path, value), "unseen"] as [string, string],
    ]),
  );
}

/**
 * What a record shows of a field: a digest, `hidden` for a mask, or `unseen`. A field that is
 * missing from metadata that is shown has no value, which is one, too.
 */
export function listedField(key: string, record: LiveRecord, path: string): string {
  const { part, key: name } = splitField(path);
  const whole = record[part];
  if (name !== undefined && !isJsonObject(whole)) return "unseen";
  const value = name === undefined ? whole : (whole as Record<string, unknown>)[name];
  if (name === undefined && (value === undefined || value === null || value === ""))
    return "unseen";
  return isHidden(value) || holdsRedacted(value) ? "hidden" : fieldDigest(key, path, value);
}

/** The digests of what a record has at some paths: as the list shows them, else as they were sent. */
export function knownFields(
  key: string,
  entry: Entry,
  record: LiveRecord | undefined,
  paths: readonly string[],
): Record<string, string> {
  return Object.fromEntries(
    paths.map((path) => {
      const listed = record && listedField(key, record, path);
      return [path, isDigest(listed) ? listed : (entry.fields[path]?.[0] ?? "unknown")];
    }),
  );
}

/** Whether what is known of a value is its digest, not the word for what is not known. */
export function isDigest(known: string | undefined): known is string {
  return known !== undefined && !WORDS.has(known) && !known.startsWith(INSTEAD);
}

const WORDS: ReadonlySet<string> = new Set(["unseen", "hidden", "unknown"]);

/**
 * Compares the file with what amp sent, and the service with what it has shown since. It is the
 * only comparison; spelling is left out, see `canonical`.
 *
 * | file against sent | service against shown | result |
 * |---|---|---|
 * | same | same, or not shown | `same` |
 * | changed | same, or not shown | `ours` |
 * | same | changed | `drift` |
 * | changed | changed | `same` if equal now, else `both` |
 *
 * Without an entry a field is `same` only where the list shows it as the file has it. Where no list
 * has shown what was sent, another value is `drift`, unless that is what was shown `instead`: it was
 * sent again then, or so answered, and the service does not keep it.
 * @param entry absent: the state does not have the record
 * @param record absent: the service has no lists
 * @param isYoung whether the entry is younger than the horizon: a list teaches then only what it shows
 *   as it was sent, for the rest may be older
 */
export function compare(
  key: string,
  resource: Resource,
  entry: Entry | undefined,
  record: LiveRecord | undefined,
  isYoung = false,
): Comparison {
  const fields = namedFields(resource).map((field) => findingOf(key, field, entry, record));
  const found = [...nameFinding(resource, entry, record), ...fields];
  const differ = found.filter(({ result }) => result !== "same");
  const results = new Set(differ.map(({ result }) => result));
  const named = new Set(found.map(({ path }) => path));
  const sure = isYoung
    ? fields.filter(({ path, listed }) => listed === entry?.fields[path]?.[0])
    : fields;
  const learned = entry === undefined ? undefined : learnedFields(entry, sure);
  return {
    fields: ORDER.find((one) => results.has(one)) ?? "same",
    mask: differ.map(({ path }) => path),
    differences: differ.flatMap((one) => differencesAt(resource, record, one)),
    canSend:
      RESOURCES[resource.kind].update !== undefined && differ.every(({ part }) => part !== "fixed"),
    notKept: found.flatMap((one) => notKeptAt(resource, record, one)),
    keptFields: Object.keys(entry?.fields ?? {}).filter((path) => !named.has(path)),
    ...(learned === undefined ? {} : { learned }),
  };
}

const ORDER = ["both", "ours", "drift"] as const;

interface Finding extends NamedField {
  readonly result: Situation["fields"];
  /** The digest of the value in the file. */
  readonly wanted: string;
  readonly listed: string;
}

function findingOf(
  key: string,
  field: NamedField,
  entry: Entry | undefined,
  record: LiveRecord | undefined,
): Finding {
  const { path, value, part } = field;
  const wanted = fieldDigest(key, path, value);
  const isSecret = path.startsWith("secrets.");
  const listed = record === undefined || isSecret ? "unseen" : listedField(key, record, path);
  const [sent, shown] = entry?.fields[path] ?? [];
  const known = resultOf({ wanted, listed, sent, shown }, entry !== undefined);
  const isOther = known === "same" && isDigest(listed) && listed !== wanted;
  const isLeftOut = listed === fieldDigest(key, path, undefined);
  // Somebody may have changed it before a list could show it. What lists leave out, they may never show.
  const isUnconfirmed = isOther && shown === "unseen" && part !== "fixed" && !isLeftOut;
  return { path, value, part, wanted, listed, result: isUnconfirmed ? "drift" : known };
}

function resultOf(
  {
    wanted,
    listed,
    sent,
    shown,
  }: Record<"wanted" | "listed", string> & Record<"sent" | "shown", string | undefined>,
  isKnown: boolean,
): Situation["fields"] {
  if (listed === wanted) return "same";
  if (!isKnown) return "both";
  const before = shown?.replace(INSTEAD, "");
  const isChangedThere =
    isDigest(listed) && isDigest(before) && listed !== sent && listed !== before;
  if (sent === wanted) return isChangedThere ? "drift" : "same";
  return isChangedThere && sent !== "unknown" ? "both" : "ours";
}

function nameFinding(
  { kind, names }: Resource,
  entry: Entry | undefined,
  record: LiveRecord | undefined,
): Finding[] {
  const field = nameFieldOf(kind);
  const [wanted] = names;
  if (field === undefined || wanted === undefined) return [];
  const listed = record?.[field];
  const name = typeof listed === "string" && listed !== "" ? listed : undefined;
  const { key: [sent] = [wanted] } = entry ?? {};
  const finding = (result: Situation["fields"]): Finding[] => [
    { path: field, value: wanted, part: "metadata", wanted, listed: name ?? "unseen", result },
  ];
  if (name === wanted) return finding("same");
  if (entry?.fields[field]?.[0] === "unknown") return finding("ours");
  if (entry === undefined) return finding(name === undefined ? "same" : "both");
  const isChangedThere = name !== undefined && normalizedName(name) !== normalizedName(sent);
  if (sent === wanted) return finding(isChangedThere ? "drift" : "same");
  return finding(isChangedThere ? "both" : "ours");
}

function learnedFields(entry: Entry, found: readonly Finding[]): Entry["fields"] | undefined {
  const news = found.flatMap(({ path, wanted, listed, result, value }) => {
    const before = entry.fields[path];
    if (result !== "same" || value === undefined) return [];
    const shown = listed === "unseen" ? (before?.[1] ?? "unseen") : listed;
    if (before?.[0] === wanted && before[1] === shown) return [];
    return [[path, [wanted, shown] as [string, string]] as const];
  });
  return news.length === 0 ? undefined : { ...entry.fields, ...Object.fromEntries(news) };
}

function differencesAt(
  resource: Resource,
  record: LiveRecord | undefined,
  { path, value }: Finding,
): readonly Difference[] {
  if (path === nameFieldOf(resource.kind)) {
    return [{ field: path, wanted: value, found: record?.[path] ?? undefined }];
  }
  const { part, key = "" } = splitField(path);
  const hidden = { field: path, wanted: REDACTED, found: REDACTED };
  if (part === "secrets") return [hidden];
  const isShown = record !== undefined && (key === "" || isJsonObject(record[part]));
  const shown = contentDifferences(resource, isShown ? record : undefined, part, key);
  return shown.length > 0 ? shown : [hidden];
}

function notKeptAt(
  resource: Resource,
  record: LiveRecord | undefined,
  finding: Finding,
): readonly Difference[] {
  const { path, value, result, wanted, listed } = finding;
  if (result !== "same" || !isDigest(listed) || listed === wanted || record === undefined)
    return [];
  if (path === nameFieldOf(resource.kind)) return [];
  const { part, key = "" } = splitField(path);
  const whole = record[part];
  const there = key === "" ? whole : isJsonObject(whole) ? whole[key] : undefined;
  return contains(there, value) ? [] : differencesAt(resource, record, finding);
}

/** Whether a listed value has all of another one: a service may add parts of its own. */
function contains(listed: unknown, value: unknown): boolean {
  if (!isJsonObject(listed) || !isJsonObject(value)) return false;
  return Object.entries(value).every(
    ([name, part]) =>
      fieldDigest("", name, listed[name]) === fieldDigest("", name, part) ||
      contains(listed[name], part),
  );
}

/** Whether a list contradicts what amp did last with a record: it shows another name or value. */
export function isContradicted(key: string, kind: ResourceKind, entry: Entry, record: LiveRecord) {
  const isOtherKey = RESOURCES[kind].key.some(({ field }, at) => {
    const [sent, listed] = [entry.key?.[at], record[field]];
    if (sent === undefined || typeof listed !== "string" || listed === "") return false;
    return normalizedName(listed) !== normalizedName(sent);
  });
  if (isOtherKey) return true;
  return Object.entries(entry.fields).some(([path, [sent, shown]]) => {
    if (sent === "unknown") return true;
    const listed = listedField(key, record, path);
    return isDigest(listed) && !path.startsWith("secrets.") && listed !== sent && listed !== shown;
  });
}

/**
 * The differences of one field of the content, which is compared whole: also what the record has in
 * it beyond the resource.
 * @param found absent: the value of the record is not known, and the wanted one is shown alone
 * @param key the field of the metadata; empty for a field of the content itself
 */
function contentDifferences(
  resource: Resource,
  found: LiveRecord | undefined,
  field: string,
  key: string,
): readonly Difference[] {
  const wanted = resource.content[field];
  if (!isJsonObject(wanted)) {
    return [{ field, wanted, found: found?.[field] }];
  }
  const part = { [key]: wanted[key] };
  const other = found?.[field];
  const listed = isJsonObject(other) && Object.hasOwn(other, key) ? { [key]: other[key] } : {};
  const different =
    found === undefined
      ? [{ path: [key], wanted: wanted[key], found: undefined }]
      : metadataDifferences(part, listed);
  return masked(resource, found, field, different);
}

/** The differences of a field as they are shown. */
function masked(
  { content, references }: Resource,
  found: LiveRecord | undefined,
  field: string,
  differences: readonly MetadataDifference[],
): readonly Difference[] {
  // By the type of the routing, and the listed one.
  const types = [content.type, found?.type].map((type) => (typeof type === "string" ? type : ""));
  return differences
    .map((one) => maskedDifference(field, types, one, references))
    .sort((a, b) => compareText(a.field, b.field));
}

interface MetadataDifference {
  readonly path: readonly string[];
  readonly wanted: unknown;
  readonly found: unknown;
}

/** The values that differ, also those that only the record has. */
function metadataDifferences(
  wanted: Metadata,
  found: Metadata,
  above: readonly string[] = [],
): MetadataDifference[] {
  const keys = new Set([...Object.keys(wanted), ...Object.keys(found)]);
  return [...keys].flatMap((key) => {
    const path = [...above, key];
    const isWanted = Object.hasOwn(wanted, key);
    const value = isWanted ? wanted[key] : undefined;
    const other = Object.hasOwn(found, key) ? found[key] : undefined;
    if (isWanted && other === REDACTED) return [];
    if (isJsonObject(value) && isJsonObject(other)) return metadataDifferences(value, other, path);
    return isSame(value, other) ? [] : [{ path, wanted: value, found: other }];
  });
}

function maskedDifference(
  field: string,
  types: readonly string[],
  { path, wanted, found }: MetadataDifference,
  references: readonly MetadataReference[] = [],
): Difference {
  const name = [field, ...path].join(".");
  const below = references.filter((one) => path.every((key, at) => one.path[at] === key));
  if (below.length > 0) {
    const reference = referenceAt(references, path, wanted);
    const text = reference ? referenceText(reference) : REDACTED;
    return { field: name, wanted: text, found: found === undefined ? found : REDACTED };
  }
  const hidden = [wanted, found].some((value) =>
    types.some((type) => holdsSecret(type, path, value)),
  );
  const shown = (value: unknown) =>
    hidden && value !== undefined ? REDACTED : withoutAddressSecrets(value);
  return { field: name, wanted: shown(wanted), found: shown(found) };
}

/** Whether a value at a path of the metadata of a destination is, or may hold, a secret. */
function holdsSecret(type: string, path: readonly string[], value: unknown): boolean {
  const tree = withValueAt({}, path, value);
  // The names by which answers are redacted count, too.
  if (redactAnswer(tree) !== tree) return true;
  return metadataValues(tree).some((leaf) =>
    [leaf.value].flat(Number.POSITIVE_INFINITY).some((one) => isSensitive(type, leaf.path, one)),
  );
}

function withoutAddressSecrets(value: unknown): unknown {
  return mapLeaves(value, (leaf) => (typeof leaf === "string" ? redactAddress(leaf) : leaf));
}

/**
 * A difference in words: `found → wanted`. Headers, and the queries of addresses, are never shown.
 */
export function shownDifference({ field, wanted, found }: Difference): string {
  const [before, after] = [found, wanted].map(shownValue);
  if (/^metadata\.headers\b/u.test(field) || before === after) return "changed (hidden)";
  return found === undefined ? `→ ${after}` : `${before} → ${after}`;
}

function shownValue(value: unknown): string {
  const shown = mapLeaves(value, (leaf) =>
    typeof leaf === "string" ? leaf.replace(/^(\w+:\/\/[^?#]*)[?#].*/su, "$1") : leaf,
  );
  return JSON.stringify(shown) ?? "nothing";
}
