import { isDeepStrictEqual } from "node:util";
import { redact } from "../../api/redact.ts";
import { REDACTED } from "../../secret.ts";
import { isMetadata, leaves, type Metadata, place } from "../metadata.ts";
import { isSensitive } from "../sensitive.ts";
import type { Step } from "../steps.ts";
import { compare } from "./canonical.ts";
import type { LiveRecord } from "./natural-key.ts";
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
  step: Step,
  found: LiveRecord,
  { further = false }: Strictness = {},
): readonly Difference[] {
  if (!("name" in step)) return [];
  const named = told("name", step.name, found.name);
  if (step.kind !== "destination") return named;
  const { type, metadata } = step.part;
  const types = [type, found.type ?? type];
  return [
    ...named,
    ...told("type", type, found.type),
    ...(isMetadata(found.metadata)
      ? [
          ...lacking(metadata, found.metadata),
          ...(further ? surplus(metadata, found.metadata) : []),
        ]
          .map((difference) => masked(types, difference))
          .sort((a, b) => compare(a.field, b.field))
      : []),
  ];
}

function told(field: string, wanted: string, found: string | null | undefined): Difference[] {
  return found === undefined || found === null || found === wanted
    ? []
    : [{ field, wanted, found }];
}

/** A difference within the metadata, before it is masked. */
interface Raw {
  readonly path: readonly string[];
  readonly wanted: unknown;
  readonly found: unknown;
}

function lacking(wanted: Metadata, found: Metadata, above: readonly string[] = []): Raw[] {
  return Object.entries(wanted).flatMap(([key, value]) => {
    const path = [...above, key];
    const other = Object.hasOwn(found, key) ? found[key] : undefined;
    if (other === REDACTED || (isNothing(value) && isNothing(other))) return [];
    if (isMetadata(value) && isMetadata(other)) return lacking(value, other, path);
    return isDeepStrictEqual(value, other) ? [] : [{ path, wanted: value, found: other }];
  });
}

function surplus(wanted: Metadata, found: Metadata, above: readonly string[] = []): Raw[] {
  return Object.entries(found).flatMap(([key, value]) => {
    const path = [...above, key];
    const other = Object.hasOwn(wanted, key) ? wanted[key] : undefined;
    if (isMetadata(value) && isMetadata(other)) return surplus(other, value, path);
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

function masked(types: readonly string[], { path, wanted, found }: Raw): Difference {
  const hidden = [wanted, found].some((value) => types.some((type) => isSecret(type, path, value)));
  const shown = (value: unknown) => (hidden && value !== undefined ? REDACTED : value);
  return { field: ["metadata", ...path].join("."), wanted: shown(wanted), found: shown(found) };
}

function isSecret(type: string, path: readonly string[], value: unknown): boolean {
  const tree = place({}, path, value);
  // By the names that answers are redacted by, too.
  if (redact(tree) !== tree) return true;
  return leaves(tree).some((leaf) =>
    [leaf.value].flat(Number.POSITIVE_INFINITY).some((one) => isSensitive(type, leaf.path, one)),
  );
}
