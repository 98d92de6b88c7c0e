import type { Field } from "../../../api/catalogue/destination-types.ts";
import type { Choice } from "../../../context/command-context.ts";
import { UsageError } from "../../../errors.ts";
import { Secret } from "../../../secrets/secret.ts";
import { readSecret } from "../../model/destination-input.ts";
import type { AnswerCheck } from "../../model/names.ts";
import type { Secrets } from "../../model/secrets.ts";
import { type WizardContext, withDefaultFirst } from "./context.ts";

/** Fields that are called by what everybody calls them. */
const LABELS: Readonly<Record<string, string>> = { url: "URL" };

/** Asks for one value of the metadata, unless a good one is given; `undefined` for none. */
export async function askField(
  { prompt }: WizardContext,
  field: Field,
  given: unknown,
  before: unknown,
): Promise<unknown> {
  const flag = field.name === "url" ? "--url" : `--metadata ${field.name}=…`;
  const message = LABELS[field.name] ?? `${field.name} (${field.hint})`;
  if (field.shape === "flag") {
    const said = asFlag(given);
    return said ?? (await prompt.confirm({ message, flag, default: asFlag(before) ?? false }));
  }
  const check = fieldCheck(field);
  // What is given in another shape is the service's to judge.
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

/** What the type says of a value; an optional one may be left empty. */
export function fieldCheck({ required, check }: Pick<Field, "required" | "check">): AnswerCheck {
  return (answer) => {
    if (answer.trim() === "") return !required || "It must not be empty.";
    return check?.(answer) ?? true;
  };
}

function asFlag(value: unknown): boolean | undefined {
  if (typeof value === "boolean") return value;
  return value === "true" || value === "false" ? value === "true" : undefined;
}

/** Where the secrets of a destination come from. */
type SecretSourceChoice = "typed" | "env" | "file" | "earlier";

/** Asks for the secrets that are not given. */
export async function askSecrets(
  desk: WizardContext,
  fields: readonly Field[],
  given: Secrets,
  before: Secrets = {},
): Promise<Secrets> {
  const missing = fields.filter(({ name }) => !Object.hasOwn(given, name));
  if (!missing.some(({ required }) => required)) return given;
  const source = await askSource(desk, missing, Object.keys(before).length > 0);
  if (source === "earlier") return { ...before, ...given };
  const secrets: [string, Secret][] = [];
  for (const field of missing) {
    const secret = await ASK_SECRET[source](desk, field);
    if (secret) secrets.push([field.name, secret]);
  }
  return { ...given, ...Object.fromEntries(secrets) };
}

function askSource(
  { prompt }: WizardContext,
  fields: readonly Field[],
  hasEarlier: boolean,
): Promise<SecretSourceChoice> {
  const choices: Choice<SecretSourceChoice>[] = [
    { value: "typed", label: "Typed here", note: "hidden; gone when amp ends" },
    { value: "env", label: "From environment variables" },
    { value: "file", label: "From files" },
  ];
  // A key of several lines cannot be typed.
  const first = fields.some(({ example }) => example.startsWith("file:")) ? "file" : "typed";
  return prompt.select({
    message: `Secrets: ${fields.map(({ name }) => name).join(", ")}`,
    flag: "--secret",
    choices: [
      ...(hasEarlier ? [{ value: "earlier" as const, label: "As before" }] : []),
      ...withDefaultFirst(choices, ({ value }) => value === first),
    ],
  });
}

type AskSecret = (desk: WizardContext, field: Field) => Promise<Secret | undefined>;

const ASK_SECRET: Readonly<Record<Exclude<SecretSourceChoice, "earlier">, AskSecret>> = {
  typed: async ({ prompt }, field) => {
    const question = { message: labelOf(field), flag: flagOf(field), check: fieldCheck(field) };
    const typed = await prompt.secret(question);
    return typed === "" ? undefined : new Secret(typed);
  },
  env: (desk, field) => {
    const suggested = /^env:(.+)$/u.exec(field.example)?.[1];
    return askReference(desk, field, "variable", suggested, (name) => ({ from: "env", name }));
  },
  file: (desk, field) => {
    const suggested = /^file:(.+)$/u.exec(field.example)?.[1];
    return askReference(desk, field, "file", suggested, (path) => ({ from: "file", path }));
  },
};

/** Asks until what is named can be read and holds what it should. */
async function askReference(
  { prompt, tell, sources }: WizardContext,
  field: Field,
  kind: string,
  suggested: string | undefined,
  referenceTo: (answer: string) => NonNullable<Secret["reference"]>,
): Promise<Secret | undefined> {
  for (;;) {
    const answer = await prompt.input({
      message: `${labelOf(field)}: ${kind}`,
      flag: flagOf(field),
      check: fieldCheck({ required: field.required }),
      ...(suggested === undefined || !field.required ? {} : { default: suggested }),
    });
    if (answer === "") return undefined;
    try {
      const secret = await readSecret(field.name, referenceTo(answer), sources);
      const wrong = field.check?.(secret.reveal());
      if (wrong === undefined) return secret;
      tell(`${answer}: ${wrong}`);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      tell(error.message);
    }
  }
}

function labelOf({ name, hint, required }: Field): string {
  return `${name} (${hint}${required ? "" : "; empty for none"})`;
}

function flagOf({ name }: Field): string {
  return `--secret ${name}=…`;
}
