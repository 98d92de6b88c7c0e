import { registerSecret } from "./secret.ts";

/** The form of a token in a path: a long part with digits, as in the URL of a Slack webhook. */
const TOKEN = /^(?=.*\d)[\w-]{8,}$|^[\w-]{20,}$/u;
/** The minimum length of a secret query value; shorter ones are words such as `json` or `v2`. */
const MIN_VALUE_LENGTH = 8;

/**
 * Registers the secrets of a URL: its user name and password, the values of its query, and parts of
 * its path that look like tokens.
 */
export function registerAddressSecrets(address: string | URL): void {
  const url = typeof address === "string" ? URL.parse(address) : address;
  if (url === null) return;
  for (const part of [url.password, url.username]) registerSecret(part);
  // This is the form of basic authentication.
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
