import { isDeepStrictEqual } from "node:util";
import { redactAddress } from "../../secrets/address.ts";
import { redactAnswer } from "../../secrets/answer.ts";
import { REDACTED } from "../../secrets/secret.ts";
import { compareText } from "../../values/basics.ts";
import { isJsonObject } from "../../values/json.ts";
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
import { type LiveRecord, RESOURCES, referencesOf } from "../model/resource.ts";
import { type ExistingIds, keyFieldsOf, type Resource } from "../model/routing.ts";
import type { Difference } from "./plan.ts";
import { normalizedSpelling, sameButSpelling } from "./spelling.ts";

/**
 * The fields of a record that differ from a resource. Fields that the answer lacks, or that are
 * redacted in it, count as equal, and so do those that the resource does not name. Secrets are
 * never shown.
 * @param same by default values are compared exactly, also a trailing slash and the case of a host:
 * of a
 *   record that amp did not write, the service's spelling is not known
 */
export function differencesOf(
  resource: Resource,
  found: LiveRecord,
  same: Comparison = isDeepStrictEqual,
): readonly Difference[] {
  const { kind, names, content } = resource;
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
      if (!isJsonObject(wanted)) return fieldDifference(field, wanted, other, same);
      if (!isJsonObject(other)) return [];
      return masked(resource, found, field, metadataDifferences(wanted, other, { same }));
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
  resource: Resource,
  found: LiveRecord | undefined,
  field: string,
  key: string,
): readonly Difference[] {
  const wanted = resource.content[field];
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
      : metadataDifferences(part, listed, { further: true });
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

/**
 * Whether a field is listed as it was sent, in the service's own spelling, and possibly with
 * further parts.
 */
export function isSpelling(sent: unknown, listed: unknown): boolean {
  const same = sameButSpelling;
  return metadataDifferences({ value: sent }, { value: listed }, { same }).length === 0;
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || value === "";
}

type Comparison = (wanted: unknown, found: unknown) => boolean;

function fieldDifference(
  field: string,
  wanted: unknown,
  found: unknown,
  same: Comparison = isDeepStrictEqual,
): Difference[] {
  return found === undefined || found === null || same(wanted, found)
    ? []
    : [{ field, wanted, found }];
}

interface MetadataDifference {
  readonly path: readonly string[];
  readonly wanted: unknown;
  readonly found: unknown;
}

/** How metadata is compared; `further`: also what only the record has. */
interface HowCompared {
  readonly further?: boolean;
  readonly same?: Comparison;
}

function metadataDifferences(
  wanted: Metadata,
  found: Metadata,
  how: HowCompared,
  above: readonly string[] = [],
): MetadataDifference[] {
  const { further = false, same = isDeepStrictEqual } = how;
  const keys = new Set([...Object.keys(wanted), ...(further ? Object.keys(found) : [])]);
  return [...keys].flatMap((key) => {
    const path = [...above, key];
    const isWanted = Object.hasOwn(wanted, key);
    const value = isWanted ? wanted[key] : undefined;
    const other = Object.hasOwn(found, key) ? found[key] : undefined;
    if ((isWanted && other === REDACTED) || (isNothing(value) && isNothing(other))) return [];
    if (isJsonObject(value) && isJsonObject(other))
      return metadataDifferences(value, other, how, path);
    return same(value, other) ? [] : [{ path, wanted: value, found: other }];
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
export function holdsSecret(type: string, path: readonly string[], value: unknown): boolean {
  const tree = withValueAt({}, path, value);
  // The names by which answers are redacted count, too.
  if (redactAnswer(tree) !== tree) return true;
  return metadataValues(tree).some((leaf) =>
    [leaf.value].flat(Number.POSITIVE_INFINITY).some((one) => isSensitive(type, leaf.path, one)),
  );
}

/** A value of the metadata without the secrets of the URLs in it. */
export function withoutAddressSecrets(value: unknown): unknown {
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

/** A value of a difference as JSON. */
export function shownValue(value: unknown): string {
  const shown = mapLeaves(value, (leaf) =>
    typeof leaf === "string" ? leaf.replace(/^(\w+:\/\/[^?#]*)[?#].*/su, "$1") : leaf,
  );
  return JSON.stringify(shown) ?? "nothing";
}
