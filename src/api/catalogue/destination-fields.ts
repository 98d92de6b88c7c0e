import { isLoopback } from "../../runtime/loopback.ts";

/** One value of a destination's metadata or secrets. */
export interface DestinationField {
  /** The service's name of the field. */
  readonly name: string;
  readonly required: boolean;
  /** A short description of the content. */
  readonly hint: string;
  /** A valid value; for a secret, a reference as a routing file has it. */
  readonly example: string;
  /** The shape: `map` for names with strings, `flag` for true or false; absent: a string. */
  readonly shape?: "map" | "flag";
  /** Whether the value works like a password: it is typed hidden. */
  readonly isCredential?: true;
  /** The problem of a value, as text after its name: `must begin with https://`, if any. */
  readonly check?: (value: string) => string | undefined;
}

type FieldRules = Pick<DestinationField, "shape" | "check" | "isCredential">;

const field =
  (isRequired: boolean) =>
  (name: string, hint: string, example: string, more: FieldRules = {}): DestinationField => ({
    name,
    required: isRequired,
    hint,
    example,
    ...more,
  });

/** Makes a required field. */
export const requiredField = field(true);

/** Makes an optional field. */
export const optionalField = field(false);

/** The secrets of all AWS types. */
export const AWS_SECRETS: readonly DestinationField[] = [
  requiredField("awsKeyId", "AWS access key ID", "env:AWS_ACCESS_KEY_ID"),
  requiredField("awsSecretKey", "AWS secret access key", "env:AWS_SECRET_ACCESS_KEY"),
  optionalField("awsSessionToken", "token of a temporary session", "env:AWS_SESSION_TOKEN"),
];

/** The problem of a URL without TLS. */
export const NEEDS_TLS = "must begin with https://";

/** The problem of a value that is not an https URL. */
export function httpsProblem(value: string): string | undefined {
  if (!/^https:\/\//iu.test(value)) return NEEDS_TLS;
  return URL.canParse(value) ? undefined : "must be a valid URL";
}

/** The problem of a URL that the platform cannot post to: it needs TLS, except on this machine. */
export function webhookUrlProblem(value: string): string | undefined {
  const { hostname } = (/^http:\/\//iu.test(value) && URL.parse(value)) || {};
  return hostname !== undefined && isLoopback(hostname) ? undefined : httpsProblem(value);
}

/** The problem of a value that is not an incoming webhook of Slack. */
export function slackUrlProblem(value: string): string | undefined {
  const wrong = httpsProblem(value);
  if (wrong) return wrong;
  // A host that only begins with this name would receive the channel's notifications.
  return new URL(value).hostname === "hooks.slack.com"
    ? undefined
    : "must begin with https://hooks.slack.com/";
}

/** The problem of a value that is not the URL of a message broker. */
export function brokerUrlProblem(value: string): string | undefined {
  return /^amqps?:\/\/\S/iu.test(value) ? undefined : "must begin with amqp:// or amqps://";
}

/** The problem of a value that is not a key in PEM. */
export function privateKeyProblem(value: string): string | undefined {
  return value.includes("-----BEGIN ") ? undefined : "must be a private key in PEM format";
}

/** The problem of a value that is not the whole key file of a Google service account. */
export function keyFileProblem(value: string): string | undefined {
  try {
    JSON.parse(value);
    return undefined;
  } catch {
    return "must be JSON: the downloaded key file";
  }
}
