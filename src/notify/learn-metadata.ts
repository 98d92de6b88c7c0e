import { learnSecret } from "../secret.ts";
import { learnAddress } from "../secret-address.ts";
import type { Metadata } from "./metadata.ts";
import { isSensitive } from "./sensitive.ts";

/** Has what opens something in the metadata of a destination kept from all that is said. */
export function learnMetadata(type: string, metadata: Metadata): void {
  learn(type, [], metadata);
}

function learn(type: string, path: readonly string[], value: unknown): void {
  if (typeof value === "object" && value !== null) {
    for (const [key, item] of Object.entries(value)) learn(type, [...path, key], item);
  } else if (typeof value === "string" || typeof value === "number") {
    const text = String(value);
    learnAddress(text);
    if (isSensitive(type, path, text)) learnSecret(text);
  }
}
