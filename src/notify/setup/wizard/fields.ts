import type { DestinationProblem } from "../../../api/catalogue/destination-problems.ts";
import {
  type DestinationField,
  type DestinationType,
  NEEDS_TLS,
} from "../../../api/catalogue/destination-types.ts";
import { refusedText } from "../../../api/catalogue/mistakes.ts";
import type { Choice } from "../../../context/command-context.ts";
import { UsageError } from "../../../errors.ts";
import { Secret } from "../../../secrets/secret.ts";
import { capitalised } from "../../../values/counted.ts";
import { isJsonObject } from "../../../values/json.ts";
import { readSecret } from "../../model/destination-input.ts";
import { type AnswerCheck, notEmpty } from "../../model/names.ts";
import type { Secrets } from "../../model/secrets.ts";
import type { WizardContext } from "./context.ts";

const headerName: AnswerCheck = (answer) =>
  /^[\w!#$%&'*+.^`|~-]+$/u.test(answer) || "Letters, digits and dashes, for example X-Team";

/**
 * Asks for the headers of a webhook. Their values are hidden, and read from a variable where they
 * are saved: most headers that are added carry a credential.
 */
export async function askHeaders(
  { prompt }: WizardContext,
  before: unknown,
): Promise<Readonly<Record<string, string>> | undefined> {
  const flag = "--metadata headers.NAME=…";
  const earlier = isJsonObject(before) ? (before as Readonly<Record<string, string>>) : undefined;
  const names = Object.keys(earlier ?? {});
  const wants = await prompt.confirm({
    message:
      names.length === 0
        ? "Add headers, such as Authorization?"
        : `Replace the headers (${names.join(", ")})?`,
    flag,
    default: false,
  });
  if (!wants) return earlier;
  const headers = new Map<string, string>();
  for (let more = true; more; ) {
    const name = await prompt.input({ message: "Header name", flag, check: headerName });
    const message = `Value of ${name}`;
    headers.set(name, await prompt.secret({ message, flag, check: notEmpty }));
    more = await prompt.confirm({ message: "Add another header?", flag, default: false });
  }
  return Object.fromEntries(headers);
}

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
  return LABELS[name] ?? capitalised(words);
}

/** Asks for one value of the metadata; `undefined` for none. */
export async function askField(
  { prompt, allow }: WizardContext,
  field: DestinationField,
  given: unknown,
  before: unknown,
): Promise<unknown> {
  const flag = field.name === "url" ? "--url" : `--metadata ${field.name}=…`;
  const message = labelOf(field);
  if (field.shape === "flag") {
    // A flag that was given before the type was known is still text.
    const flagGiven = asFlag(given);
    return flagGiven ?? (await prompt.confirm({ message, flag, default: asFlag(before) ?? false }));
  }
  if (field.isCredential) {
    const kept = given ?? before;
    const isKept = typeof kept === "string" && fieldCheck(allow, field)(kept) === true;
    const typed = await prompt.secret({
      message: isKept ? `${message} (empty to keep the current one)` : message,
      flag,
      check: (answer) => (isKept && answer === "") || fieldCheck(allow, field)(answer),
    });
    return typed === "" ? kept : typed;
  }
  const answer = await prompt.input({
    message,
    flag,
    check: fieldCheck(allow, field),
    ...(typeof before === "string" ? { default: before } : {}),
  });
  return answer === "" ? undefined : answer;
}

/** The check of a field; an optional one may be left empty. */
function fieldCheck(
  allow: readonly string[],
  field: Pick<DestinationField, "required"> & Partial<Pick<DestinationField, "name" | "check">>,
): AnswerCheck {
  return (answer) => {
    if (answer.trim() === "") return !field.required || "Required";
    const problem = field.check?.(answer);
    const word = problem === undefined ? undefined : wordFor(answer, problem);
    if (word === undefined || allow.includes(word)) return true;
    const message = `${labelOf({ name: field.name ?? "" })} ${problem}`;
    return refusedText({ message, ...(word === "http" && { allow: word }) });
  };
}

/** The word of `--allow` for a value with a problem; a URL may have none but that it has no TLS. */
function wordFor(answer: string, problem: string): "http" | "unknown" {
  const isHttp = problem === NEEDS_TLS && /^http:\/\/[^/]/iu.test(answer) && URL.canParse(answer);
  return isHttp ? "http" : "unknown";
}

/** Whether a value that an option gives is kept as it is, with a warning. */
export function isKept(
  { allow }: Pick<WizardContext, "allow">,
  type: DestinationType,
  name: string,
  given: unknown,
): boolean {
  const check = type.metadata.find((one) => one.name === name)?.check;
  const problem = typeof given === "string" ? check?.(given) : undefined;
  return problem !== undefined && allow.includes(wordFor(String(given), problem));
}

function asFlag(value: unknown): boolean | undefined {
  if (typeof value === "boolean") return value;
  return value === "true" || value === "false" ? value === "true" : undefined;
}

/** The ways to provide the secrets of a destination. */
type SecretSourceChoice = "typed" | "env" | "file" | "earlier";

/** Asks for the secrets that no option gives, or that would be refused. */
export async function askSecrets(
  context: WizardContext,
  fields: readonly DestinationField[],
  problems: readonly DestinationProblem[] = [],
  given: Secrets,
  before: Secrets = {},
): Promise<Secrets> {
  if (problems.length === 0) return given;
  const kept = new Map(Object.entries(given));
  for (const { name, detail, missing } of problems) {
    if (!missing) context.report.warn(`--secret ${name} ${detail}`);
    kept.delete(name);
  }
  const asked = fields.filter(({ name }) => !kept.has(name));
  const source = await askSource(context, asked, Object.keys(before).length > 0);
  if (source === "earlier") return { ...before, ...Object.fromEntries(kept) };
  for (const field of asked) {
    const secret = await askSecret(context, field, source);
    if (secret) kept.set(field.name, secret);
  }
  return Object.fromEntries(kept);
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
      ...choices,
    ],
    default: hasEarlier ? "earlier" : first,
  });
}

/** One or two labels, or the first and a number: a question must fit its line. */
function listed([first = "", second, ...more]: readonly string[]): string {
  if (more.length > 0) return `${first} and ${more.length + 1} more`;
  return second === undefined ? first : `${first}, ${second}`;
}

/** Asks for one secret until it can be read and is valid; `undefined` for none. */
async function askSecret(
  { prompt, report, files, allow }: WizardContext,
  field: DestinationField,
  source: Exclude<SecretSourceChoice, "earlier">,
): Promise<Secret | undefined> {
  const { name, example, required } = field;
  const message = `${labelOf(field)}${required ? "" : " (optional)"}`;
  const flag = `--secret ${name}=…`;
  if (source === "typed") {
    const typed = await prompt.secret({ message, flag, check: fieldCheck(allow, field) });
    return typed === "" ? undefined : new Secret(typed);
  }
  const isSuggested = required && example.startsWith(`${source}:`);
  for (;;) {
    const answer = await prompt.input({
      message: `${message}: ${source === "env" ? "environment variable" : "file"}`,
      flag,
      check: fieldCheck(allow, { required }),
      ...(isSuggested ? { default: example.slice(source.length + 1) } : {}),
    });
    if (answer === "") return undefined;
    const reference =
      source === "env" ? { from: source, name: answer } : { from: source, path: answer };
    try {
      const secret = await readSecret(name, reference, files);
      const problem = field.check?.(secret.reveal());
      if (problem === undefined) return secret;
      report.warn(`${answer}: ${problem}`);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      report.warn(error.message);
    }
  }
}
