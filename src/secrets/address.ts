import { registerSecret } from "./secret.ts";

/** A part of a path that is as long and is no word is a token, as a Slack URL has them. */
const TOKEN = /^(?=.*\d)[\w-]{8,}$|^[\w-]{20,}$/u;
/** Shorter values of a query are words such as `json` or `v2`. */
const MIN_VALUE_LENGTH = 8;

/**
 * Has what may open something in an address kept from all that is said: user info, the values of a
 * query, and parts of the path that look like tokens.
 */
export function registerAddressSecrets(address: string | URL): void {
  const url = typeof address === "string" ? URL.parse(address) : address;
  if (url === null) return;
  for (const part of [url.password, url.username]) registerSecret(part);
  // As it would be sent by basic authentication.
  if (url.password !== "") registerSecret(`${decode(url.username)}:${decode(url.password)}`);
  const parts = [...url.pathname.split("/").filter((part) => TOKEN.test(part))];
  const values = [...url.searchParams.values()].filter((value) => value.length >= MIN_VALUE_LENGTH);
  for (const part of [...parts, ...values]) registerSecret(part);
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
