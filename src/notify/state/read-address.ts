import { UsageError } from "../../errors.ts";
import type { Address } from "../address.ts";

/** What an address looks like: the kind, and a name for each thing that it connects. */
const FORM = /^(?:(?:destination|topic)\/[^/]+|(?:event|destination)-route\/[^/]+\/[^/]+)$/u;

/** Whether a text is an address, of something that exists or not. */
export function isAddress(text: string): text is Address {
  return FORM.test(text);
}

/**
 * Reads an address that was typed.
 * @throws {UsageError} for what is none
 */
export function readAddress(typed: string): Address {
  if (isAddress(typed)) return typed;
  throw new UsageError(`${JSON.stringify(typed)} is no address`, {
    remedy: [
      "Addresses read destination/NAME, topic/NAME, event-route/TOPIC/EVENT",
      "or destination-route/TOPIC/DESTINATION.",
    ].join(" "),
  });
}
