import type { Difference } from "../../documents/routing.ts";
import { redactAddress } from "../../secrets/address.ts";
import { redactAnswer } from "../../secrets/answer.ts";
import { REDACTED } from "../../secrets/secret.ts";
import { compareText } from "../../values/basics.ts";
import { isJsonObject } from "../../values/json.ts";
import { isSame } from "../model/canonical.ts";
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
import type { LiveRecord } from "../model/resource.ts";
import type { Resource } from "../model/routing.ts";

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
