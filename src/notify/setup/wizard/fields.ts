import type { DestinationField } from "../../../api/catalogue/destination-types.ts";
import type { Choice } from "../../../context/command-context.ts";
import { UsageError } from "../../../errors.ts";
import { Secret } from "../../../secrets/secret.ts";
import { readSecret } from "../../model/destination-input.ts";
import type { AnswerCheck } from "../../model/names.ts";
import type { Secrets } from "../../model/secrets.ts";
import { type WizardContext, withDefaultFirst } from "./context.ts";

/** The labels of fields whose names do not make good words. */
const LABELS: Readonly<Record<string, string>> = {
  url: "URL",
  awsKeyId: "AWS access key ID",
  awsSecretKey: "AWS secret access key",
  awsSessionToken: "AWS session token",
  credentials: "Service account key (JSON)",
  dbName: "Database",
  dbUser: "Database user",
  name: "Queue or topic name",
  privateKey: "Private key (PEM)",
  projectId: "Google Cloud project ID",
  tls: "Use TLS",
  topicId: "Pub/Sub topic ID",
};

/** The name of a field in words: `streamName` as "Stream name". */
export function labelOf({ name }: Pick<DestinationField, "name">): string {
  const words = name
    .replaceAll(/([a-z\d])([A-Z])/gu, "$1 $2")
    .toLowerCase()
    .replaceAll(/\b(?:id|url)\b/gu, (word) => word.toUpperCase());
  return LABELS[name] ?? words.charAt(0).toUpperCase() + words.slice(1);
}

/** Asks for one value of the metadata, unless a valid one is given; `undefined` for none. */
export async function askField(
  { prompt }: WizardContext,
  field: DestinationField,
  given: unknown,
  before: unknown,
): Promise<unknown> {
  const flag = field.name === "url" ? "--url" : `--metadata ${field.name}=…`;
  const message = labelOf(field);
  if (field.shape === "flag") {
    const flagGiven = asFlag(given);
    return flagGiven ?? (await prompt.confirm({ message, flag, default: asFlag(before) ?? false }));
  }
  const check = fieldCheck(field);
  // A value of another shape is for the service to check.
  if (given !== undefined && (typeof given !== "string" || check(given) === true)) return given;
  const preset = given ?? before;
  const answer = await prompt.input({
    message,
    flag,
    check,
    ...(typeof preset === "string" ? { default: preset } : {}),
  });
  return answer === "" ? undefined : answer;
}

/** The check of a field; an optional one may be left empty. */
export function fieldCheck({
  required,
  check,
}: Pick<DestinationField, "required" | "check">): AnswerCheck {
  return (answer) => {
    if (answer.trim() === "") return !required || "Required";
    const problem = check?.(answer);
    return problem === undefined || `${problem.charAt(0).toUpperCase()}${problem.slice(1)}`;
  };
}

function asFlag(value: unknown): boolean | undefined {
  if (typeof value === "boolean") return value;
  return value === "true" || value === "false" ? value === "true" : undefined;
}

/** How the secrets of a destination are provided. */
type SecretSourceChoice = "typed" | "env" | "file" | "earlier";

/** Asks for the secrets that no option gives. */
export async function askSecrets(
  context: WizardContext,
  fields: readonly DestinationField[],
  given: Secrets,
  before: Secrets = {},
): Promise<Secrets> {
  const missing = fields.filter(({ name }) => !Object.hasOwn(given, name));
  if (!missing.some(({ required }) => required)) return given;
  const source = await askSource(context, missing, Object.keys(before).length > 0);
  if (source === "earlier") return { ...before, ...given };
  const secrets: [string, Secret][] = [];
  for (const field of missing) {
    const secret = await ASK_SECRET[source](context, field);
    if (secret) secrets.push([field.name, secret]);
  }
  return { ...given, ...Object.fromEntries(secrets) };
}

function askSource(
  { prompt }: WizardContext,
  fields: readonly DestinationField[],
  hasEarlier: boolean,
): Promise<SecretSourceChoice> {
  const choices: Choice<SecretSourceChoice>[] = [
    { value: "typed", label: "Type them here", note: "hidden, and not saved" },
    { value: "env", label: "Environment variables" },
    { value: "file", label: "Files" },
  ];
  // A key of several lines cannot be typed.
  const first = fields.some(({ example }) => example.startsWith("file:")) ? "file" : "typed";
  return prompt.select({
    message: `Secrets (${listed(fields.map(labelOf))})`,
    flag: "--secret",
    choices: [
      ...(hasEarlier ? [{ value: "earlier" as const, label: "Keep the current secrets" }] : []),
      ...withDefaultFirst(choices, ({ value }) => value === first),
    ],
  });
}

/** One or two labels, or the first and a number: a question must fit its line. */
function listed([first = "", second, ...more]: readonly string[]): string {
  if (more.length > 0) return `${first} and ${more.length + 1} more`;
  return second === undefined ? first : `${first}, ${second}`;
}

type AskSecret = (context: WizardContext, field: DestinationField) => Promise<Secret | undefined>;

const ASK_SECRET: Readonly<Record<Exclude<SecretSourceChoice, "earlier">, AskSecret>> = {
  typed: async ({ prompt }, field) => {
    const question = { message: secretLabel(field), flag: flagOf(field), check: fieldCheck(field) };
    const typed = await prompt.secret(question);
    return typed === "" ? undefined : new Secret(typed);
  },
  env: (context, field) => {
    const suggested = /^env:(.+)$/u.exec(field.example)?.[1];
    return askReference(context, field, "environment variable", suggested, (name) => ({
      from: "env",
      name,
    }));
  },
  file: (context, field) => {
    const suggested = /^file:(.+)$/u.exec(field.example)?.[1];
    return askReference(context, field, "file", suggested, (path) => ({ from: "file", path }));
  },
};

/** Asks until the variable or file can be read and holds a valid secret. */
async function askReference(
  { prompt, warn, sources }: WizardContext,
  field: DestinationField,
  kind: string,
  suggested: string | undefined,
  referenceTo: (answer: string) => NonNullable<Secret["reference"]>,
): Promise<Secret | undefined> {
  for (;;) {
    const answer = await prompt.input({
      message: `${secretLabel(field)}: ${kind}`,
      flag: flagOf(field),
      check: fieldCheck({ required: field.required }),
      ...(suggested === undefined || !field.required ? {} : { default: suggested }),
    });
    if (answer === "") return undefined;
    try {
      const secret = await readSecret(field.name, referenceTo(answer), sources);
      const wrong = field.check?.(secret.reveal());
      if (wrong === undefined) return secret;
      warn(`${answer}: ${wrong}`);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      warn(error.message);
    }
  }
}

function secretLabel(field: DestinationField): string {
  return `${labelOf(field)}${field.required ? "" : " (optional)"}`;
}

function flagOf({ name }: DestinationField): string {
  return `--secret ${name}=…`;
}
