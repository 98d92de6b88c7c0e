import { holdsRedacted } from "../../secrets/answer.ts";
import { REDACTED } from "../../secrets/secret.ts";
import { isJsonObject } from "../../values/json.ts";
import { splitField } from "../model/address.ts";
import type { LiveRecord } from "../model/resource.ts";
import { RESOURCES } from "../model/resource.ts";
import type { Resource } from "../model/routing.ts";
import { fingerprint } from "../state/fingerprint.ts";
import type { KnownRecord } from "../state/state.ts";
import { contentDifferences, isSpelling } from "./diff.ts";
import type { Difference } from "./plan.ts";

/** The differences between a resource and its record, by what an update can do about them. */
export interface Changes {
  /** The paths of the fields that an update sends, such as `metadata.url`. */
  readonly fields: readonly string[];
  /** The old and new values of these fields; those of secrets are hidden. */
  readonly differences: readonly Difference[];
  /** The differences that no update can remove, such as that of the type. */
  readonly fixed: readonly Difference[];
  /** Whether one of them is a new value of the routing, not a change at the service. */
  readonly redefines: boolean;
  /** Whether the service was sent these values before, and never listed them since. */
  readonly isUnkept: boolean;
}

/** A field that a routing names. The fields of metadata and secrets count one by one. */
export interface NamedField {
  readonly path: string;
  readonly value: unknown;
  /** `fixed`: no update can change it. */
  readonly part: "metadata" | "secrets" | "fixed";
}

/** The fields that a routing names, in their order. */
export function namedFields({ kind, content, secrets }: Resource): NamedField[] {
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

/** The fingerprints of the fields of a resource; undefined for one without content. */
export function fieldFingerprints(
  salt: string,
  resource: Resource,
): Readonly<Record<string, string>> | undefined {
  const fields = namedFields(resource);
  if (fields.length === 0) return undefined;
  return Object.fromEntries(
    fields.map(({ path, value }) => [path, fieldFingerprint(salt, path, value)]),
  );
}

/** The fields of a record that the routing named before, and does not name any more. */
export function keptFieldsOf(
  resource: Resource,
  { fields = {} }: Pick<KnownRecord, "fields">,
): { readonly keptFields?: readonly string[] } {
  const named = new Set(namedFields(resource).map(({ path }) => path));
  const keptFields = Object.keys(fields).filter((path) => !named.has(path));
  return keptFields.length === 0 ? {} : { keptFields };
}

/** The value of a field in the list; undefined where the list does not show it. */
export function listedValue(record: LiveRecord, path: string): unknown {
  const { part, key } = splitField(path);
  const whole = record[part];
  const value = key === undefined ? whole : isJsonObject(whole) ? whole[key] : undefined;
  return value === null || holdsRedacted(value) ? undefined : value;
}

/** The fingerprint of one field: equal values of two fields have different ones. */
export function fieldFingerprint(salt: string, path: string, value: unknown): string {
  return fingerprint(salt, { path, value });
}

/**
 * Compares a resource with its record. A field that the routing does not name is left alone, and
 * one that it names is compared whole: an update replaces it whole.
 *
 * A value that the service does not show counts as changed if the state does not prove the
 * opposite, and one that it shows in a way of its own counts as equal.
 * @param found absent: the service has no lists, and only the state says what changed
 * @param known absent: the state does not have the record
 */
export function changesOf(
  resource: Resource,
  found: LiveRecord | undefined,
  known: Pick<KnownRecord, "fields" | "shown"> | undefined,
  salt: string,
): Changes {
  const fields: string[] = [];
  const differences: Difference[] = [];
  const fixed: Difference[] = [];
  let redefines = false;
  let isUnkept = true;
  for (const { path, value, part } of namedFields(resource)) {
    const before = known?.fields?.[path];
    const mayDiffer = before !== fieldFingerprint(salt, path, value);
    const shown = known?.shown?.[path];
    // How the service spells it is not known: no list has shown it since it was sent.
    const isOpen = known?.shown === undefined || shown === "";
    const other = found && !mayDiffer ? listedValue(found, path) : undefined;
    const isSame =
      isOpen || part === "fixed"
        ? isSpelling(value, other)
        : shown === fieldFingerprint(salt, path, other);
    if (other !== undefined && isSame) continue;
    const different = fieldDifferences(resource, found, { path, value, part }, mayDiffer);
    if (different.length === 0) continue;
    redefines ||= mayDiffer;
    isUnkept &&= isOpen && !mayDiffer;
    if (part === "fixed") fixed.push(...different);
    else {
      fields.push(path);
      differences.push(...different);
    }
  }
  return { fields, differences, fixed, redefines, isUnkept };
}

/**
 * The differences of one field; `mayDiffer`: the state does not prove that it was sent as it is.
 */
export function fieldDifferences(
  resource: Resource,
  found: LiveRecord | undefined,
  { path, value, part }: NamedField,
  mayDiffer: boolean,
): readonly Difference[] {
  const { part: top, key = "" } = splitField(path);
  if (top === "secrets") return mayDiffer ? [{ field: path, ...HIDDEN }] : [];
  const isShown = found !== undefined && (part === "fixed" || isJsonObject(found[top]));
  const shown = contentDifferences(resource, isShown ? found : undefined, top, key);
  if (!isShown) return mayDiffer ? shown : [];
  if (shown.length > 0 || !mayDiffer) return shown;
  // A header with a credential is hidden in the list.
  const listed = isJsonObject(found[top]) ? found[top][key] : undefined;
  return holdsRedacted(listed) && value !== undefined ? [{ field: path, ...HIDDEN }] : [];
}

/** The values of a difference of secrets: that they changed is all that is shown. */
const HIDDEN = { wanted: REDACTED, found: REDACTED } as const;
