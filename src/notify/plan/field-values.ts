import { isDeepStrictEqual } from "node:util";
import { holdsRedacted } from "../../secrets/answer.ts";
import { isJsonObject } from "../../values/json.ts";
import { type Address, addressOf, addressParts, splitField } from "../model/address.ts";
import { type LiveRecord, RESOURCES, referencesOf } from "../model/resource.ts";
import type { Resource } from "../model/routing.ts";
import type { EarlierValues, RunChange } from "../state/history.ts";
import type { KnownRecord } from "../state/state.ts";
import { fieldDifferences, fieldFingerprint, listedValue, namedFields } from "./changes.ts";
import { holdsSecret, isSpelling, withoutAddressSecrets } from "./diff.ts";

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

/**
 * The values of fields before they change, as the service lists them. A value that is or may hold a
 * secret is only named, and so is one that the service does not show.
 * @param record absent: the service has no lists
 * @param paths such as `name` and `metadata.url`
 */
function earlierValues(record: LiveRecord | undefined, paths: readonly string[]): EarlierValues {
  const before: Record<string, NonNullable<RunChange["before"]>[string]> = {};
  const hidden: string[] = [];
  for (const path of paths) {
    const { part: top, key = "" } = splitField(path);
    const part = record?.[top];
    const isShown = top !== "secrets" && record !== undefined && (key === "" || isJsonObject(part));
    const value = isJsonObject(part) && key !== "" ? part[key] : part;
    const isSecret =
      holdsRedacted(value) ||
      (key !== "" && holdsSecret(String(record?.type), [key], value)) ||
      !isDeepStrictEqual(withoutAddressSecrets(value), value);
    if (!isShown || isSecret) hidden.push(path);
    else before[path] = (value ?? null) as (typeof before)[string];
  }
  return {
    ...(Object.keys(before).length === 0 ? {} : { before }),
    ...(hidden.length === 0 ? {} : { hidden }),
  };
}

/** The earlier values of what an update changes; the type of a destination says what they mean. */
export function valuesBeforeUpdate(
  record: LiveRecord | undefined,
  paths: readonly string[],
): EarlierValues {
  return earlierValues(record, record?.type === undefined ? paths : [...paths, "type"]);
}

/** The values of a whole record, for the history of its deletion. */
export function valuesOf(kind: keyof typeof RESOURCES, record: LiveRecord): EarlierValues {
  if (RESOURCES[kind].key.some(({ references }) => references !== undefined)) return {};
  const paths = ["type", "metadata"].flatMap((top) => {
    const part = record[top];
    if (part === undefined || part === null) return [];
    return isJsonObject(part) ? Object.keys(part).map((key) => `${top}.${key}`) : [top];
  });
  return earlierValues(record, paths);
}

/** The address before a run gave another name; of what it adopted, only its listed name says it. */
export function addressBefore({ address, from, before }: RunChange): Address | undefined {
  if (from !== undefined) return from;
  const { kind } = addressParts(address);
  const name = referencesOf(kind).length === 0 ? before?.name : undefined;
  return typeof name === "string" && name !== "" ? addressOf(kind, name) : undefined;
}
