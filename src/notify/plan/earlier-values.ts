import { isDeepStrictEqual } from "node:util";
import { holdsRedacted } from "../../secrets/answer.ts";
import { isJsonObject } from "../../values/json.ts";
import { type Address, addressOf, addressParts } from "../model/address.ts";
import { splitField } from "../model/names.ts";
import { type LiveRecord, RESOURCES, referencesOf } from "../model/resource.ts";
import type { EarlierValues, RunChange } from "../state/history.ts";
import { holdsSecret, withoutAddressSecrets } from "./diff.ts";

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
