import { isDeepStrictEqual } from "node:util";
import { redactAnswer } from "../../secrets/answer.ts";
import { REDACTED } from "../../secrets/secret.ts";
import { isJsonObject } from "../../values/json.ts";
import {
  isSensitive,
  type Metadata,
  type MetadataReference,
  metadataValues,
  referenceAt,
  referenceText,
  withValueAt,
} from "../model/metadata.ts";
import { type LiveRecord, RESOURCES, referencesOf } from "../model/resource.ts";
import { compareText, type ExistingIds, keyFieldsOf, type Resource } from "../model/routing.ts";
import type { Difference } from "./plan.ts";

/**
 * The fields of a record that differ from a resource. Values are compared exactly, also a trailing
 * slash and the case of a host, because the service's rules are not known. Fields that the answer
 * lacks, or that are redacted in it, count as equal, and so do those that the resource does not
 * name. Secrets are never shown.
 */
export function differencesOf(resource: Resource, found: LiveRecord): readonly Difference[] {
  const { kind, names, content, references } = resource;
  return [
    ...(referencesOf(kind).length > 0
      ? [] // A route is found by all that it is made of.
      : RESOURCES[kind].key.flatMap(({ field }, at) =>
          normalizedSpelling(names[at]) === normalizedSpelling(found[field])
            ? []
            : fieldDifference(field, names[at], found[field]),
        )),
    ...Object.entries(content).flatMap(([field, wanted]) => {
      const other = found[field];
      if (!isJsonObject(wanted)) return fieldDifference(field, wanted, other);
      if (!isJsonObject(other)) return [];
      return metadataDifferences(wanted, other, false)
        .filter(({ wanted: value }) => value !== UNSET_VARIABLE)
        .map((difference) =>
          maskedDifference(field, typesOf(content, found), difference, references),
        )
        .sort((a, b) => compareText(a.field, b.field));
    }),
  ];
}

/**
 * The differences of one field of the content, which is compared whole: also what the record has in
 * it beyond the resource.
 * @param found absent: the value of the record is not known, and the wanted one is shown alone
 * @param key the field of the metadata; empty for a field of the content itself
 */
export function contentDifferences(
  { content, references }: Resource,
  found: LiveRecord | undefined,
  field: string,
  key: string,
): readonly Difference[] {
  const wanted = content[field];
  if (!isJsonObject(wanted)) {
    return found === undefined
      ? [{ field, wanted, found }]
      : fieldDifference(field, wanted, found[field]);
  }
  const part = { [key]: wanted[key] };
  const other = found?.[field];
  const listed = isJsonObject(other) && Object.hasOwn(other, key) ? { [key]: other[key] } : {};
  const different =
    found === undefined
      ? [{ path: [key], wanted: wanted[key], found: undefined }]
      : metadataDifferences(part, listed, true);
  return different
    .filter(({ wanted: value }) => value !== UNSET_VARIABLE)
    .map((one) => maskedDifference(field, typesOf(content, found), one, references))
    .sort((a, b) => compareText(a.field, b.field));
}

/** The types of a destination, by which values are hidden: that of the routing, and the listed one. */
function typesOf(content: Resource["content"], found: LiveRecord | undefined): string[] {
  return [content.type, found?.type].map((type) => (typeof type === "string" ? type : ""));
}

/** The comparison of a record that is known by its ID with a natural key. */
export interface KeyComparison {
  readonly different: readonly Difference[];
  /** The fields that differ only in spelling. */
  readonly spelling: readonly Difference[];
  /** Whether the list returns every field; one that it omits or has as null counts as equal. */
  readonly isWhole: boolean;
}

/** Compares the natural key of a record with that of a resource. */
export function compareKey(
  resource: Pick<Resource, "kind" | "names">,
  found: LiveRecord,
  ids: ExistingIds,
): KeyComparison {
  const fields = Object.entries(keyFieldsOf(resource, ids));
  const listed = fields.filter(
    ([field, wanted]) => wanted !== undefined && !isAbsent(found[field]),
  );
  const differences = listed.flatMap(([field, wanted]) =>
    String(found[field]) === wanted ? [] : { field, wanted, found: found[field] },
  );
  const isSpelling = ({ wanted, found: other }: Difference) =>
    normalizedSpelling(wanted) === normalizedSpelling(other);
  return {
    different: differences.filter((one) => !isSpelling(one)),
    spelling: differences.filter(isSpelling),
    isWhole: listed.length === fields.length,
  };
}

/** The value without what a service may change: the case of letters, and blanks around the text. */
export function normalizedSpelling(value: unknown): string {
  return String(value).trim().toLowerCase();
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || value === "";
}

function fieldDifference(field: string, wanted: unknown, found: unknown): Difference[] {
  return found === undefined || found === null || isDeepStrictEqual(found, wanted)
    ? []
    : [{ field, wanted, found }];
}

/** A difference within the metadata, before it is masked. */
interface MetadataDifference {
  readonly path: readonly string[];
  readonly wanted: unknown;
  readonly found: unknown;
}

function metadataDifferences(
  wanted: Metadata,
  found: Metadata,
  further: boolean,
  above: readonly string[] = [],
): MetadataDifference[] {
  const keys = new Set([...Object.keys(wanted), ...(further ? Object.keys(found) : [])]);
  return [...keys].flatMap((key) => {
    const path = [...above, key];
    const isWanted = Object.hasOwn(wanted, key);
    const value = isWanted ? wanted[key] : undefined;
    const other = Object.hasOwn(found, key) ? found[key] : undefined;
    if ((isWanted && other === REDACTED) || (isNothing(value) && isNothing(other))) return [];
    if (isJsonObject(value) && isJsonObject(other))
      return metadataDifferences(value, other, further, path);
    return isDeepStrictEqual(value, other) ? [] : [{ path, wanted: value, found: other }];
  });
}

/** Whether a value is empty: a service may omit such a field, or send null for it. */
export function isNothing(value: unknown): boolean {
  return (
    value === undefined ||
    value === null ||
    (isJsonObject(value) && Object.values(value).every(isNothing))
  );
}

/** The value of metadata whose variable is not set: it counts as equal to every other. */
export const UNSET_VARIABLE = Symbol("variable not set");

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
  const shown = (value: unknown) => (hidden && value !== undefined ? REDACTED : value);
  return { field: name, wanted: shown(wanted), found: shown(found) };
}

/** Whether a value at a path of the metadata of a destination is, or may hold, a secret. */
export function holdsSecret(type: string, path: readonly string[], value: unknown): boolean {
  const tree = withValueAt({}, path, value);
  // The names by which answers are redacted count, too.
  if (redactAnswer(tree) !== tree) return true;
  return metadataValues(tree).some((leaf) =>
    [leaf.value].flat(Number.POSITIVE_INFINITY).some((one) => isSensitive(type, leaf.path, one)),
  );
}

/** The wanted and the found value, or that both are hidden: two masks look like equal values. */
export function shownDifference({ wanted, found }: Difference): readonly string[] {
  if (wanted === REDACTED && found === REDACTED) return ["differs (hidden)"];
  return [`wanted ${shownValue(wanted)}`, `found ${shownValue(found)}`];
}

/** A value of a difference as JSON. */
export function shownValue(value: unknown): string {
  return JSON.stringify(value) ?? "nothing";
}
