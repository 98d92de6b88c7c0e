import {
  DESTINATION_TYPE_NAMES,
  DESTINATION_TYPES,
  type KnownDestinationType,
} from "../../../api/catalogue/destination-types.ts";
import type { Choice } from "../../../context/command-context.ts";
import { notEmpty } from "../../model/names.ts";
import { type DestinationAnswer, existingAnswer } from "../answers.ts";
import { askContent } from "./content.ts";
import {
  askName,
  defaultOf,
  existingChoice,
  type GivenAnswers,
  namedRecord,
  pickExisting,
  selectedById,
  type WizardContext,
} from "./context.ts";

/** Asks for the destination, unless options give it. Earlier answers are the defaults. */
export async function askDestination(
  context: WizardContext,
  given: GivenAnswers,
  before?: DestinationAnswer,
): Promise<DestinationAnswer> {
  const { destinationId, destinationType, destinationName } = given;
  const selected = selectedById(context, "destination", destinationId);
  if (selected !== undefined) return selected;
  const named = namedRecord(context, "destination", destinationName);
  if (
    named !== undefined &&
    !hasContent(given) &&
    [undefined, named.type].includes(destinationType)
  ) {
    return existingAnswer(named);
  }
  const isNew = (destinationName ?? destinationType) !== undefined || hasContent(given);
  const kind = isNew ? (destinationType ?? "other") : await askKind(context, before);
  if (kind === "existing") return pickExisting(context, "destination", before);
  const earlier = before?.kind === "new" ? before : undefined;
  const type = kind === "other" ? await askType(context, earlier?.type) : kind;
  const suggested = `ops-${type.replaceAll(/[^A-Za-z\d-]+/gu, "-")}`;
  const names = { given: destinationName, before: earlier?.name, suggested };
  const name = await askName(context, "destination", "--destination-name", names);
  const sameType = earlier?.type === type ? earlier : undefined;
  const content = await askContent(context, type, given, sameType);
  return { kind: "new", name, type, ...content };
}

/** Whether an option gives a field of a new destination. */
function hasContent({ metadata, secrets }: GivenAnswers): boolean {
  return Object.keys(metadata).length + Object.keys(secrets).length > 0;
}

async function askKind(
  context: WizardContext,
  before: DestinationAnswer | undefined,
): Promise<"webhook" | "other" | "existing"> {
  const choices = [
    { value: "webhook" as const, label: "New webhook", note: "your own HTTPS endpoint" },
    {
      value: "other" as const,
      label: "New destination of another type",
      note: "chat, queue, stream, storage, database",
    },
    ...existingChoice(context, "destination"),
  ];
  const isWebhook = before?.kind === "new" && before.type === "webhook";
  const earlier = before?.kind === "new" ? (isWebhook ? "webhook" : "other") : before?.kind;
  return context.prompt.select({
    message: "Destination",
    flag: "--destination-type",
    choices,
    ...defaultOf(earlier),
  });
}

/** The group of each type but the webhook, which has its own choice. */
const GROUPS: Readonly<Record<Exclude<KnownDestinationType, "webhook">, string>> = {
  slack: "Chat",
  kinesis: "Queues and streams",
  sqs: "Queues and streams",
  pubsub: "Queues and streams",
  rabbitmq: "Queues and streams",
  azureservicebus: "Queues and streams",
  s3: "Storage and databases",
  clickhouse: "Storage and databases",
  snowflake: "Storage and databases",
  bigquery: "Storage and databases",
  redshift: "Storage and databases",
};

/** Asks for a type other than webhook; an unknown type can be typed. */
async function askType({ prompt }: WizardContext, before?: string): Promise<string> {
  const flag = "--destination-type";
  const choice = await prompt.select({
    message: "Destination type",
    flag,
    choices: typeChoices(),
    ...defaultOf(before),
  });
  if (choice !== undefined) return choice;
  return prompt.input({
    message: "Type name",
    flag,
    check: notEmpty,
    ...(before === undefined || Object.hasOwn(DESTINATION_TYPES, before)
      ? {}
      : { default: before }),
  });
}

function typeChoices(): Choice<string | undefined>[] {
  const known = DESTINATION_TYPE_NAMES.filter((name) => name !== "webhook");
  const groups = Map.groupBy(known, (name) => GROUPS[name]);
  const grouped = [...groups].flatMap(([group, names]) =>
    names.map((name, at) => ({
      value: name,
      label: name,
      note: DESTINATION_TYPES[name].summary,
      ...(at === 0 ? { group } : {}),
    })),
  );
  return [
    ...grouped,
    { value: undefined, label: "Other", note: "a type that amp does not know yet" },
  ];
}
