import { isJsonObject } from "../../values/json.ts";
import type { LiveRecord } from "../model/resource.ts";
import type { Resource } from "../model/routing.ts";
import type { KnownRecord, PendingUpdate } from "../state/state.ts";
import { fieldDifferences, fieldFingerprint, listedValue, namedFields } from "./changes.ts";
import { isSpelling } from "./diff.ts";

/**
 * The fields that an answer spells otherwise than they were sent, with the fingerprint of what it
 * shows; undefined where the answer does not show any field. Another value is not among them: it
 * stays a difference.
 */
export function shownOtherwise(
  salt: string,
  resource: Resource,
  answer: LiveRecord,
): KnownRecord["shown"] {
  const fields = namedFields(resource).filter(({ part }) => part === "metadata");
  if (fields.length === 0 || !isJsonObject(answer.metadata)) return undefined;
  return Object.fromEntries(
    fields
      .filter((field) => fieldDifferences(resource, answer, field, false).length > 0)
      .flatMap(({ path, value }): [string, string][] => {
        const listed = listedValue(answer, path);
        return isSpelling(value, listed) ? [[path, fieldFingerprint(salt, path, listed)]] : [];
      }),
  );
}

/** The same of a record that a create is certain to have made, whose values only the state has. */
export function shownOfCreate(
  salt: string,
  { fields = {} }: Pick<KnownRecord, "fields">,
  record: LiveRecord,
): KnownRecord["shown"] {
  if (!isJsonObject(record.metadata)) return undefined;
  return Object.fromEntries(
    Object.entries(fields).flatMap(([path, sent]): [string, string][] => {
      const listed = path.startsWith("metadata.") ? listedValue(record, path) : undefined;
      const shown = listed === undefined ? sent : fieldFingerprint(salt, path, listed);
      return shown === sent ? [] : [[path, shown]];
    }),
  );
}

/**
 * The fields of a record that is in place, where the state does not know yet how they are shown.
 * @returns undefined where it does
 */
export function shownInPlace(
  salt: string,
  resource: Resource,
  { shown: before }: Pick<KnownRecord, "shown">,
  listed: LiveRecord,
): KnownRecord["shown"] {
  if (before === undefined) return shownOtherwise(salt, resource, listed);
  const named = new Set(namedFields(resource).map(({ path }) => path));
  const isOpen = (path: string) => before[path] === "" && named.has(path);
  if (!Object.keys(before).some(isOpen)) return undefined;
  const shown = shownOtherwise(salt, resource, listed) ?? {};
  return Object.fromEntries([
    ...Object.entries(before).filter(([path]) => !isOpen(path)),
    ...Object.entries(shown).filter(([path]) => isOpen(path)),
  ]);
}

/** How fields are shown once an update is done. How it spells what was sent, a list will show. */
export function shownAfterUpdate(
  fields: KnownRecord["fields"],
  mask: readonly string[],
  known: Pick<KnownRecord, "shown"> | undefined,
): KnownRecord["shown"] {
  if (fields === undefined) return undefined;
  const kept = Object.entries(known?.shown ?? {}).filter(([path]) => Object.hasOwn(fields, path));
  const sent = mask.filter((path) => path.startsWith("metadata.")).map((path) => [path, ""]);
  return Object.fromEntries([...kept, ...sent]);
}

/** The fingerprints of what a list shows of the fields that an update changes. */
export function shownBefore(
  salt: string,
  record: LiveRecord | undefined,
  mask: readonly string[],
): PendingUpdate["before"] {
  if (record === undefined) return undefined;
  return Object.fromEntries(
    mask.flatMap((path): [string, string][] => {
      const value = listedValue(record, path);
      return value === undefined ? [] : [[path, fieldFingerprint(salt, path, value)]];
    }),
  );
}
