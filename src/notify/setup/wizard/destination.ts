import {
  type DestinationProblem,
  destinationProblems,
} from "../../../api/catalogue/destination-problems.ts";
import {
  DESTINATION_TYPE_NAMES,
  DESTINATION_TYPES,
  type DestinationField,
  type DestinationType,
  destinationType,
} from "../../../api/catalogue/destination-types.ts";
import {
  destinationMistakes,
  destinationTypeMistake,
  refusedText,
} from "../../../api/catalogue/mistakes.ts";
import type { Choice } from "../../../context/command-context.ts";
import { defined, isJsonObject, jsonOf } from "../../../values/json.ts";
import type { Metadata } from "../../model/metadata.ts";
import { notEmpty } from "../../model/names.ts";
import { type DestinationContent, hasContent, revealedSecrets } from "../../model/secrets.ts";
import { type DestinationAnswer, existingAnswer, namedRecord } from "../answers.ts";
import {
  askNewName,
  askWithBack,
  existingChoice,
  fitsWebhook,
  type GivenAnswers,
  pickExisting,
  selectedById,
  type WizardContext,
  type WizardPorts,
} from "./context.ts";
import { askField, askHeaders, askSecrets, isKept, labelOf } from "./fields.ts";

/** Asks for the destination, unless options give it. Earlier answers are the defaults. */
export async function askDestination(
  context: WizardContext,
  given: GivenAnswers,
  before?: DestinationAnswer,
): Promise<DestinationAnswer> {
  const { destinationId, destinationType, destinationName } = given;
  const selected = await selectedById(context, "destination", destinationId);
  if (selected !== undefined) return selected;
  const named = namedRecord(context.live, "destination", destinationName);
  if (
    named !== undefined &&
    !hasContent(given) &&
    [undefined, named.type].includes(destinationType)
  ) {
    return existingAnswer(named);
  }
  const isNew = (destinationName ?? destinationType) !== undefined || hasContent(given);
  const kind =
    destinationType ?? (fitsWebhook(given) ? await askKind(context, before, isNew) : "other");
  if (kind === "existing") return pickExisting(context, "destination", before);
  const earlier = before?.kind === "new" ? before : undefined;
  const type = kind === "other" ? await askType(context, earlier?.type) : kind;
  const { metadata, secrets, references } = given;
  const typed = defined({ name: destinationName, type, metadata, secrets, references });
  context.note({ destination: { kind: "new", ...typed } });
  const suggested = `ops-${type.replaceAll(/[^A-Za-z\d-]+/gu, "-")}`;
  const names = { given: destinationName, before: earlier?.name, suggested };
  const name = await askNewName(context, "destination", "--destination-name", names);
  if (typeof name !== "string") return name;
  context.note({ destination: { kind: "new", ...typed, name } });
  const sameType = earlier?.type === type ? earlier : undefined;
  const content = await askContent(context, type, given, sameType);
  return { kind: "new", name, type, ...content };
}

async function askKind(
  context: WizardContext,
  before: DestinationAnswer | undefined,
  isNew: boolean,
): Promise<"webhook" | "other" | "existing"> {
  const choices = [
    { value: "webhook" as const, label: "New webhook", note: "your own HTTPS endpoint" },
    {
      value: "other" as const,
      label: "New destination of another type",
      note: "chat, queue, stream, storage, database",
    },
    ...(isNew ? [] : existingChoice(context, "destination")),
  ];
  const isWebhook = before?.kind === "new" && before.type === "webhook";
  const earlier = before?.kind === "new" ? (isWebhook ? "webhook" : "other") : before?.kind;
  return context.prompt.select({
    message: "Destination",
    flag: "--destination-type",
    choices,
    ...defined({ default: earlier }),
  });
}

/** Asks for a type other than webhook; an unknown type can be typed. */
async function askType({ prompt, allow }: WizardContext, before?: string): Promise<string> {
  const flag = "--destination-type";
  const typed = before && !Object.hasOwn(DESTINATION_TYPES, before) ? before : undefined;
  const choice = await prompt.select({
    message: "Destination type",
    flag,
    choices: typeChoices(),
    ...defined({ default: typed === undefined ? before : OTHER }),
  });
  if (choice !== OTHER) return choice;
  return prompt.input({
    message: "Type name",
    flag,
    check: (answer) => {
      const mistake = destinationTypeMistake(answer);
      if (mistake?.allow === undefined || allow.includes(mistake.allow)) return notEmpty(answer);
      return refusedText(mistake);
    },
    ...defined({ default: typed }),
  });
}

/** The choice of a type that is typed: no type has this name. */
const OTHER = "";

function typeChoices(): Choice<string>[] {
  const known = DESTINATION_TYPE_NAMES.filter((name) => name !== "webhook");
  const groups = Map.groupBy(known, (name) => DESTINATION_TYPES[name].group);
  const grouped = [...groups].flatMap(([group, names]) =>
    names.map((name, at) => ({
      value: name,
      label: name,
      note: DESTINATION_TYPES[name].summary,
      ...(at === 0 ? { group } : {}),
    })),
  );
  return [...grouped, { value: OTHER, label: "Other", note: "a type that amp does not know yet" }];
}

/** Asks for the content of a destination alone, as a setup does. */
export function askContentAlone(
  ports: WizardPorts,
  type: string,
  given: DestinationContent,
): Promise<DestinationContent> {
  return askWithBack(ports, { ...given, event: [] }, (asked) => askContent(asked, type, given));
}

/** Asks for the metadata and secrets that options do not give, or that would be refused. */
async function askContent(
  context: WizardContext,
  type: string,
  given: DestinationContent,
  before?: DestinationContent,
): Promise<DestinationContent> {
  const known = destinationType(type);
  if (known === undefined) return { ...given, metadata: await askJson(context, given, before) };
  const secrets = revealedSecrets(given.secrets);
  const problems = destinationProblems(type, { metadata: given.metadata, secrets });
  const byPart = Object.groupBy(problems, ({ part }) => part);
  const asked = byPart.metadata?.filter(
    ({ name }) => !isKept(context, known, name, given.metadata[name]),
  );
  const named = { ...known, name: type };
  const references = [...(given.references ?? []), ...(before?.references ?? [])];
  return {
    ...(references.length === 0 ? {} : { references }),
    metadata: await askMetadata(context, named, asked, given.metadata, before?.metadata),
    secrets: await askSecrets(
      context,
      known.secrets,
      byPart.secrets,
      given.secrets,
      before?.secrets,
    ),
  };
}

async function askMetadata(
  context: WizardContext,
  type: DestinationType & { readonly name: string },
  problems: readonly DestinationProblem[] = [],
  given: Metadata,
  before: Metadata = {},
): Promise<Metadata> {
  const answers = new Map(Object.entries(given));
  const alternatives = new Set(type.oneOf?.flat());
  const ask = async (field: DestinationField) => {
    const answer = await askField(context, field, given[field.name], before[field.name]);
    if (answer === undefined) answers.delete(field.name);
    else answers.set(field.name, answer);
    noteMetadata();
    warn();
  };
  const noteMetadata = () => {
    const { destination } = context.soFar();
    const metadata = Object.fromEntries(answers);
    context.note({ destination: { ...destination, kind: "new", metadata } });
  };
  const warn = () => {
    const content = { metadata: Object.fromEntries(answers), secrets: {} };
    for (const { message, field } of destinationMistakes(type.name, content)) {
      if (field !== "missing") context.warnOnce(message);
    }
  };
  if (problems.length === 0) warn();
  for (const { name, detail, missing = [] } of problems) {
    if (Object.hasOwn(given, name)) {
      context.report.warn(`${name === "url" ? "--url" : `--metadata ${name}`} ${detail}`);
    }
    const asked = missing.length > 1 ? await askWhich(context, missing, before) : name;
    const field = type.metadata.find((one) => one.name === asked);
    // The service checks the values of a map.
    if (!field || field.shape === "map") continue;
    await ask({ ...field, required: field.required || alternatives.has(asked) });
  }
  const optional = type.metadata.filter(
    ({ name, required, shape }) =>
      !required && shape !== "map" && !alternatives.has(name) && !Object.hasOwn(given, name),
  );
  const isAsked = problems.length > 0 && !Object.hasOwn(given, "headers");
  if (isAsked && type.metadata.some(({ name }) => name === "headers")) {
    const headers = await askHeaders(context, before.headers);
    if (headers !== undefined) answers.set("headers", headers);
    noteMetadata();
  }
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
  fields: readonly DestinationField[],
  before: Metadata,
): Promise<string> {
  const names = fields.map(({ name }) => name);
  return prompt.select({
    message: "Select one of these fields",
    flag: `--metadata ${names.join("|")}`,
    choices: fields.map((field) => ({
      value: field.name,
      label: labelOf(field),
      note: field.hint,
    })),
    ...defined({ default: names.find((name) => Object.hasOwn(before, name)) }),
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
    flag: "--metadata",
    default: JSON.stringify(before?.metadata ?? {}),
    check: (text) => parseMetadata(text) !== undefined || "Not a valid JSON object",
  });
  return parseMetadata(answer) ?? {};
}

function parseMetadata(text: string): Metadata | undefined {
  const value = jsonOf(text);
  return isJsonObject(value) ? value : undefined;
}
