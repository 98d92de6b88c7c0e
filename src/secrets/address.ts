import { REDACTED, registerGuess, registerSecret } from "./secret.ts";

/** The form of a token in a path: a long part with digits, as in the URL of a Slack webhook. */
const TOKEN = /^(?=.*\d)[\w-]{8,}$|^[\w-]{20,}$/u;
/** The minimum length of a secret query value; shorter ones are words such as `json` or `v2`. */
const MIN_VALUE_LENGTH = 8;
/** The login and the query as they were typed: the parser of URLs writes some characters otherwise. */
const TYPED = /^[a-z][a-z\d+.-]*:[\\/]*(?:(?<login>[^\\/?#]*)@)?[^?#]*(?:\?(?<query>[^#]*))?/iu;

/**
 * The secrets of a URL, as they were typed and decoded: its user name and password, the values of
 * its query, and parts of its path that look like tokens.
 */
export function addressSecrets(address: string | URL): string[] {
  return [...credentialsIn(address), ...tokensIn(address)];
}

/** A URL with each of its secrets redacted; any other text unchanged. */
export function redactAddress(address: string): string {
  return addressSecrets(address)
    .sort((one, other) => other.length - one.length)
    .reduce((text, part) => text.replaceAll(part, REDACTED), address);
}

/** Registers the secrets of a URL, and its login in the form of basic authentication. */
export function registerAddressSecrets(address: string | URL): void {
  const { username = "", password = "" } = URL.parse(String(address)) ?? {};
  if (password !== "") registerSecret(`${decode(username)}:${decode(password)}`);
  for (const part of credentialsIn(address)) registerSecret(part);
  for (const part of tokensIn(address)) registerGuess(part);
}

function credentialsIn(address: string | URL): string[] {
  const url = URL.parse(String(address));
  if (url === null) return [];
  const { login = "", query = "" } = TYPED.exec(String(address).trim())?.groups ?? {};
  const [, user = "", password = ""] = /^([^:]*):?(.*)$/su.exec(login) ?? [];
  const words = [user, password, url.username, url.password].flatMap((one) => [one, decode(one)]);
  const typed = query.split("&").map((pair) => /=(.*)$/su.exec(pair)?.[1] ?? "");
  const values = [...typed, ...url.searchParams.values()].filter(
    (value) => decode(value.replaceAll("+", " ")).length >= MIN_VALUE_LENGTH,
  );
  return [...new Set([...words, ...values])].filter((part) => part !== "");
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
