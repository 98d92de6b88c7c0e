import { type DestinationType, destinationType } from "../../../api/catalogue/destination-types.ts";
import { isJsonObject } from "../../../values/json.ts";
import type { DestinationContent } from "../../model/destination-input.ts";
import type { Metadata } from "../../model/metadata.ts";
import { type WizardContext, withDefaultFirst } from "./context.ts";
import { askField, askSecrets, labelOf } from "./fields.ts";

/** Asks for the metadata and secrets of a destination, unless options give them. */
export async function askContent(
  context: WizardContext,
  type: string,
  given: DestinationContent,
  before?: DestinationContent,
): Promise<DestinationContent> {
  const known = destinationType(type);
  if (known === undefined) return { ...given, metadata: await askJson(context, given, before) };
  return {
    metadata: await askMetadata(context, known, given.metadata, before?.metadata ?? {}),
    secrets: await askSecrets(context, known.secrets, given.secrets, before?.secrets),
  };
}

async function askMetadata(
  context: WizardContext,
  type: DestinationType,
  given: Metadata,
  before: Metadata,
): Promise<Metadata> {
  const answers = new Map(Object.entries(given));
  const ask = async (field: DestinationType["metadata"][number]) => {
    const answer = await askField(context, field, given[field.name], before[field.name]);
    if (answer === undefined) answers.delete(field.name);
    else answers.set(field.name, answer);
  };
  for (const field of type.metadata) {
    // A flag that was given before the type was known is still text.
    const isText = field.shape === "flag" && Object.hasOwn(given, field.name);
    if (field.required || isText) await ask(field);
  }
  for (const names of type.oneOf ?? []) {
    const name =
      names.find((one) => Object.hasOwn(given, one)) ??
      (await askWhich(context, type, names, before));
    const field = type.metadata.find((one) => one.name === name);
    if (field) await ask({ ...field, required: true });
  }
  const optional = type.metadata.filter(
    ({ name, required, shape }) =>
      !required &&
      shape !== "map" &&
      !type.oneOf?.flat().includes(name) &&
      !Object.hasOwn(given, name),
  );
  if (optional.length === 0) return Object.fromEntries(answers);
  const wantsMore = await context.prompt.confirm({
    message: `Set optional fields (${optional.map(labelOf).join(", ")})?`,
    flag: "--metadata",
    default: optional.some(({ name }) => Object.hasOwn(before, name)),
  });
  for (const field of wantsMore ? optional : []) await ask(field);
  return Object.fromEntries(answers);
}

function askWhich(
  { prompt }: WizardContext,
  type: DestinationType,
  names: readonly string[],
  before: Metadata,
): Promise<string> {
  const choices = type.metadata
    .filter(({ name }) => names.includes(name))
    .map((field) => ({ value: field.name, label: labelOf(field), note: field.hint }));
  return prompt.select({
    message: "Select one of these fields",
    flag: `--metadata ${names.join("|")}`,
    choices: withDefaultFirst(choices, ({ value }) => Object.hasOwn(before, value)),
  });
}

/** Asks for the metadata of an unknown type: only the service knows its fields. */
async function askJson(
  { prompt }: WizardContext,
  given: DestinationContent,
  before?: DestinationContent,
): Promise<Metadata> {
  if (Object.keys(given.metadata).length > 0) return given.metadata;
  const answer = await prompt.input({
    message: "Metadata (a JSON object)",
    flag: "--metadata-json",
    default: JSON.stringify(before?.metadata ?? {}),
    check: (text) => parseMetadata(text) !== undefined || "Not a valid JSON object",
  });
  return parseMetadata(answer) ?? {};
}

function parseMetadata(text: string): Metadata | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
