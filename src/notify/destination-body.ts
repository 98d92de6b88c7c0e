import type { CreateDestination } from "../api/schemas/notification.ts";
import type { DestinationContent } from "./destination-input.ts";

/** The request that creates a destination; the one place where secrets come out. */
export function destinationBody(
  named: { readonly name: string; readonly type: string },
  { metadata, secrets }: DestinationContent,
): CreateDestination {
  const entries = Object.entries(secrets);
  const body = { name: named.name, type: named.type, metadata };
  // A server of the spec alone knows no `secrets`: without any, the field is not sent.
  if (entries.length === 0) return body;
  return {
    ...body,
    secrets: Object.fromEntries(entries.map(([name, secret]) => [name, secret.reveal()])),
  };
}
