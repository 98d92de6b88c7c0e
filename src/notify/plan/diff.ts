import { isDeepStrictEqual } from "node:util";
import { redactAnswer } from "../../secrets/answer.ts";
import { REDACTED } from "../../secrets/secret.ts";
import {
  isMetadata,
  isSensitive,
  type Metadata,
  metadataValues,
  withValueAt,
} from "../model/metadata.ts";
import type { Resource } from "../model/resource.ts";
import { compareText } from "../model/routing.ts";
import type { LiveRecord } from "./live.ts";
import type { Difference } from "./plan.ts";

/** How strictly a record is compared. */
export interface Strictness {
  /** What the record has beyond what is wanted counts too; else a service may add its defaults. */
  readonly further?: boolean;
}

/**
 * What of a record is not as a step wants it. Values are compared as they are, a trailing slash and
 * the case of a host too: what a service makes of them is not known. Fields that the answer does not
 * tell, or that are redacted in it, count as equal. Secrets are never told.
 */
export function differencesOf(
  step: Resource,
  found: LiveRecord,
  { further = false }: Strictness = {},
): readonly Difference[] {
  if (!("name" in step)) return [];
  const named = fieldDifference("name", step.name, found.name);
  if (step.kind !== "destination") return named;
  const { type, metadata } = step.part;
  const types = [type, found.type ?? type];
  return [
    ...named,
    ...fieldDifference("type", type, found.type),
    ...(isMetadata(found.metadata)
      ? [
          ...missingOrDifferent(metadata, found.metadata),
          ...(further ? notWanted(metadata, found.metadata) : []),
        ]
          .map((difference) => maskedDifference(types, difference))
          .sort((a, b) => compareText(a.field, b.field))
      : []),
  ];
}

function fieldDifference(
  field: string,
  wanted: string,
  found: string | null | undefined,
): Difference[] {
  return found === undefined || found === null || found === wanted
    ? []
    : [{ field, wanted, found }];
}

/** A difference within the metadata, before it is masked. */
interface MetadataDifference {
  readonly path: readonly string[];
  readonly wanted: unknown;
  readonly found: unknown;
}

function missingOrDifferent(
  wanted: Metadata,
  found: Metadata,
  above: readonly string[] = [],
): MetadataDifference[] {
  return Object.entries(wanted).flatMap(([key, value]) => {
    const path = [...above, key];
    const other = Object.hasOwn(found, key) ? found[key] : undefined;
    if (other === REDACTED || (isNothing(value) && isNothing(other))) return [];
    if (isMetadata(value) && isMetadata(other)) return missingOrDifferent(value, other, path);
    return isDeepStrictEqual(value, other) ? [] : [{ path, wanted: value, found: other }];
  });
}

function notWanted(
  wanted: Metadata,
  found: Metadata,
  above: readonly string[] = [],
): MetadataDifference[] {
  return Object.entries(found).flatMap(([key, value]) => {
    const path = [...above, key];
    const other = Object.hasOwn(wanted, key) ? wanted[key] : undefined;
    if (isMetadata(value) && isMetadata(other)) return notWanted(other, value, path);
    // What both have is compared already.
    return other !== undefined || isNothing(value)
      ? []
      : [{ path, wanted: undefined, found: value }];
  });
}

/** A service may leave out what is empty, or send null for it. */
function isNothing(value: unknown): boolean {
  return (
    value === undefined ||
    value === null ||
    (isMetadata(value) && Object.values(value).every(isNothing))
  );
}

function maskedDifference(
  types: readonly string[],
  { path, wanted, found }: MetadataDifference,
): Difference {
  const hidden = [wanted, found].some((value) =>
    types.some((type) => holdsSecret(type, path, value)),
  );
  const shown = (value: unknown) => (hidden && value !== undefined ? REDACTED : value);
  return { field: ["metadata", ...path].join("."), wanted: shown(wanted), found: shown(found) };
}

function holdsSecret(type: string, path: readonly string[], value: unknown): boolean {
  const tree = withValueAt({}, path, value);
  // By the names that answers are redacted by, too.
  if (redactAnswer(tree) !== tree) return true;
  return metadataValues(tree).some((leaf) =>
    [leaf.value].flat(Number.POSITIVE_INFINITY).some((one) => isSensitive(type, leaf.path, one)),
  );
}
