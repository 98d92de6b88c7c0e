import { REDACTED, registerGuess, registerSecret } from "./secret.ts";

/** The form of a token in a path: a long part with digits, as in the URL of a Slack webhook. */
const TOKEN = /^(?=.*\d)[\w-]{8,}$|^[\w-]{20,}$/u;
/** The minimum length of a secret query value; shorter ones are words such as `json` or `v2`. */
const MIN_VALUE_LENGTH = 8;

/**
 * The secrets of a URL: its user name and password, the values of its query, and parts of its path
 * that look like tokens.
 */
export function addressSecrets(address: string | URL): string[] {
  return [...credentialsIn(address), ...tokensIn(address)];
}

/** A URL with each of its secrets redacted; any other text unchanged. */
export function redactAddress(address: string): string {
  return addressSecrets(address)
    .flatMap((part) => [part, encodeURIComponent(part)])
    .reduce((text, part) => text.replaceAll(part, REDACTED), address);
}

/** Registers the secrets of a URL. */
export function registerAddressSecrets(address: string | URL): void {
  for (const part of credentialsIn(address)) registerSecret(part);
  for (const part of tokensIn(address)) registerGuess(part);
}

function credentialsIn(address: string | URL): string[] {
  const url = URL.parse(String(address));
  if (url === null) return [];
  // The last is the form of basic authentication.
  const login =
    url.password === "" ? [] : [url.password, `${decode(url.username)}:${decode(url.password)}`];
  const user = url.username === "" ? [] : [url.username];
  const values = [...url.searchParams.values()].filter((value) => value.length >= MIN_VALUE_LENGTH);
  return [...user, ...login, ...values];
}

function tokensIn(address: string | URL): string[] {
  return (URL.parse(String(address))?.pathname ?? "").split("/").filter((part) => TOKEN.test(part));
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
