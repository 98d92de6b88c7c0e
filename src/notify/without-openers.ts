import type { Listed } from "../api/api.ts";
import type { Destination } from "../api/schemas/notification.ts";
import { REDACTED } from "../secret.ts";
import { isMetadata } from "./metadata.ts";
import { isSensitive, masked } from "./sensitive.ts";

/** The destination as it is shown, in JSON too: what opens something in its metadata is hidden. */
export function withoutOpener(destination: Destination): Destination {
  const { type, metadata } = destination;
  if (!isMetadata(metadata)) return destination;
  return { ...destination, metadata: hide(type ?? "", [], metadata) as typeof metadata };
}

/** The same for a list of any length. */
export function withoutOpeners(list: Listed<Destination>): Listed<Destination> {
  return Symbol.asyncIterator in list ? batches(list) : list.map(withoutOpener);
}

async function* batches(list: AsyncIterable<readonly Destination[]>) {
  for await (const batch of list) yield batch.map(withoutOpener);
}

function hide(type: string, path: readonly string[], value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => hide(type, path, item));
  if (isMetadata(value)) {
    const entries = Object.entries(value);
    return Object.fromEntries(
      entries.map(([key, item]) => [key, hide(type, [...path, key], item)]),
    );
  }
  if (value === null || !isSensitive(type, path, value)) return value;
  // Of an address, the host says where it leads to.
  return typeof value === "string" && path[0] !== "headers" ? masked(value) : REDACTED;
}
