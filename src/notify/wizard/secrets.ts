import type { Field } from "../../api/destination-types.ts";
import type { Choice } from "../../context.ts";
import { UsageError } from "../../errors.ts";
import { Secret } from "../../secret.ts";
import { readSecret } from "../secret-source.ts";
import type { Secrets } from "../secrets.ts";
import { type Desk, earlierFirst } from "./desk.ts";
import { fieldCheck } from "./field.ts";

/** Where the secrets of a destination come from. */
type Source = "typed" | "env" | "file" | "earlier";

/** Asks for the secrets that are not given. */
export async function askSecrets(
  desk: Desk,
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
    const secret = await ASK[source](desk, field);
    if (secret) secrets.push([field.name, secret]);
  }
  return { ...given, ...Object.fromEntries(secrets) };
}

function askSource(
  { prompt }: Desk,
  fields: readonly Field[],
  hasEarlier: boolean,
): Promise<Source> {
  const choices: Choice<Source>[] = [
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
      ...earlierFirst(choices, ({ value }) => value === first),
    ],
  });
}

type Ask = (desk: Desk, field: Field) => Promise<Secret | undefined>;

const ASK: Readonly<Record<Exclude<Source, "earlier">, Ask>> = {
  typed: async ({ prompt }, field) => {
    const question = { message: label(field), flag: flag(field), check: fieldCheck(field) };
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
  { prompt, tell, sources }: Desk,
  field: Field,
  kind: string,
  suggested: string | undefined,
  referenceTo: (answer: string) => NonNullable<Secret["reference"]>,
): Promise<Secret | undefined> {
  for (;;) {
    const answer = await prompt.input({
      message: `${label(field)}: ${kind}`,
      flag: flag(field),
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

function label({ name, hint, required }: Field): string {
  return `${name} (${hint}${required ? "" : "; empty for none"})`;
}

function flag({ name }: Field): string {
  return `--secret ${name}=…`;
}
