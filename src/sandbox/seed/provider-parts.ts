import type { BatchSupport, Support } from "../../api/schemas/provider.ts";

const NO_BULK = { insert: false, update: false, upsert: false, delete: false };

/** The support of a seeded provider: every field, false unless given. */
export function supports(said: Support): Support {
  return {
    bulkWrite: NO_BULK,
    delete: false,
    proxy: true,
    read: false,
    search: { operators: { equals: false } },
    subscribe: false,
    write: false,
    ...said,
  };
}

/** A batch write with its record limit, and other limits for some objects. */
export function batch(
  defaultRecordLimit: number,
  objectRecordLimits: Readonly<Record<string, number>> = {},
): BatchSupport {
  return { supported: true, defaultRecordLimit, objectRecordLimits };
}

/** A batch write that is not supported. */
export const NO_BATCH: BatchSupport = { supported: false };

/** Media at addresses that do not exist. */
export function media(name: string) {
  const at = (variant: string) => ({
    iconURL: `https://media.sandbox.invalid/${name}/${variant}/icon.svg`,
    logoURL: `https://media.sandbox.invalid/${name}/${variant}/logo.svg`,
  });
  return { regular: at("regular"), darkMode: at("dark") };
}

/** Documentation at an address that does not exist. */
export function docs(page: string): string {
  return `https://docs.sandbox.invalid/${page}`;
}
