import { isLoopback } from "../../runtime/loopback.ts";

/** One value of a destination's metadata or secrets. */
export interface Field {
  /** As the service calls it. */
  readonly name: string;
  readonly required: boolean;
  /** What it is, in a few words. */
  readonly hint: string;
  /** For a secret, a reference as a routing file writes it. */
  readonly example: string;
  /** `map`: names to strings. `flag`: true or false. Absent: a string. */
  readonly shape?: "map" | "flag";
  /** What is wrong with a value, as a sentence; `undefined` where nothing is. */
  readonly check?: (value: string) => string | undefined;
}

type More = Pick<Field, "shape" | "check">;

/** A field that must be given. */
export function need(name: string, hint: string, example: string, more: More = {}): Field {
  return { name, required: true, hint, example, ...more };
}

/** A field that may be given. */
export function option(name: string, hint: string, example: string, more: More = {}): Field {
  return { name, required: false, hint, example, ...more };
}

/** What the AWS types share. */
export const AWS_SECRETS: readonly Field[] = [
  need("awsKeyId", "AWS access key ID", "env:AWS_ACCESS_KEY_ID"),
  need("awsSecretKey", "AWS secret access key", "env:AWS_SECRET_ACCESS_KEY"),
  option("awsSessionToken", "token of a temporary session", "env:AWS_SESSION_TOKEN"),
];

/** An address with TLS. */
export function https(value: string): string | undefined {
  if (!/^https:\/\//iu.test(value)) return "It must begin with https://.";
  return URL.canParse(value) ? undefined : "It is no URL.";
}

/** An address that the platform can post to: with TLS, but for a platform on this machine. */
export function webhookUrl(value: string): string | undefined {
  const { hostname } = (/^http:\/\//iu.test(value) && URL.parse(value)) || {};
  return hostname !== undefined && isLoopback(hostname) ? undefined : https(value);
}

/** An incoming webhook of Slack. */
export function slackUrl(value: string): string | undefined {
  const wrong = https(value);
  if (wrong) return wrong;
  // A host that only begins like this would get the channel's notifications.
  return new URL(value).hostname === "hooks.slack.com"
    ? undefined
    : "It must begin with https://hooks.slack.com/.";
}

/** An address of a message broker. */
export function amqp(value: string): string | undefined {
  return /^amqps?:\/\/\S/iu.test(value) ? undefined : "It must begin with amqp:// or amqps://.";
}

/** A key in PEM. */
export function pem(value: string): string | undefined {
  return value.includes("-----BEGIN ") ? undefined : "It must be a key in PEM form.";
}

/** The key file of a Google service account, whole. */
export function json(value: string): string | undefined {
  try {
    JSON.parse(value);
    return undefined;
  } catch {
    return "It must be JSON: the key file as it was downloaded.";
  }
}
