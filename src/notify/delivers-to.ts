import { destinationType } from "../api/destination-types.ts";
import type { Metadata } from "./metadata.ts";
import { whereTo } from "./sensitive.ts";

/** A destination as far as it says where it delivers to. */
interface Delivering {
  readonly type?: string | null | undefined;
  readonly metadata?: Metadata | null | undefined;
}

/** Where a destination delivers to, fit for the screen: the URL's host, the name of the stream. */
export function deliversTo({ type, metadata }: Delivering): string | undefined {
  const fields = destinationType(type ?? "")?.metadata ?? [];
  return whereTo(metadata ?? {}, ["url", ...fields.map(({ name }) => name)]);
}
