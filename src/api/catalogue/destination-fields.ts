import { isLoopback } from "../../runtime/loopback.ts";

/** One value of a destination's metadata or secrets. */
export interface DestinationField {
  /** As the service calls it. */
  readonly name: string;
  readonly required: boolean;
  /** What it is, in a few words. */
  readonly hint: string;
  /** For a secret, a reference as a routing file writes it. */
  readonly example: string;
  /** `map`: names to strings. `flag`: true or false. Absent: a string. */
  readonly shape?: "map" | "flag";
  /** The problem of a value, after its name: `must begin with https://`; none for a good one. */
  readonly check?: (value: string) => string | undefined;
}

type FieldRules = Pick<DestinationField, "shape" | "check">;

const field =
  (isRequired: boolean) =>
  (name: string, hint: string, example: string, more: FieldRules = {}): DestinationField => ({
    name,
    required: isRequired,
    hint,
    example,
    ...more,
  });

/** A field that must be given. */
export const required = field(true);

/** A field that may be given. */
export const optional = field(false);

/** What the AWS types share. */
export const AWS_SECRETS: readonly DestinationField[] = [
  required("awsKeyId", "AWS access key ID", "env:AWS_ACCESS_KEY_ID"),
  required("awsSecretKey", "AWS secret access key", "env:AWS_SECRET_ACCESS_KEY"),
  optional("awsSessionToken", "token of a temporary session", "env:AWS_SESSION_TOKEN"),
];

/** An address with TLS. */
export function httpsProblem(value: string): string | undefined {
  if (!/^https:\/\//iu.test(value)) return "must begin with https://";
  return URL.canParse(value) ? undefined : "must be a valid URL";
}

/** An address that the platform can post to: with TLS, but for a platform on this machine. */
export function webhookUrlProblem(value: string): string | undefined {
  const { hostname } = (/^http:\/\//iu.test(value) && URL.parse(value)) || {};
  return hostname !== undefined && isLoopback(hostname) ? undefined : httpsProblem(value);
}

/** An incoming webhook of Slack. */
export function slackUrlProblem(value: string): string | undefined {
  const wrong = httpsProblem(value);
  if (wrong) return wrong;
  // A host that only begins like this would get the channel's notifications.
  return new URL(value).hostname === "hooks.slack.com"
    ? undefined
    : "must begin with https://hooks.slack.com/";
}

/** An address of a message broker. */
export function brokerUrlProblem(value: string): string | undefined {
  return /^amqps?:\/\/\S/iu.test(value) ? undefined : "must begin with amqp:// or amqps://";
}

/** A key in PEM. */
export function privateKeyProblem(value: string): string | undefined {
  return value.includes("-----BEGIN ") ? undefined : "must be a private key in PEM format";
}

/** The key file of a Google service account, whole. */
export function keyFileProblem(value: string): string | undefined {
  try {
    JSON.parse(value);
    return undefined;
  } catch {
    return "must be JSON: the key file as it was downloaded";
  }
}
