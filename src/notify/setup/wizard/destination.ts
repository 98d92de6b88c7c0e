import {
  DESTINATION_TYPE_NAMES,
  DESTINATION_TYPES,
  type KnownDestinationType,
} from "../../../api/catalogue/destination-types.ts";
import type { Choice } from "../../../context/command-context.ts";
import { notEmpty } from "../../model/names.ts";
import { type DestinationAnswer, existingById } from "../answers.ts";
import { askContent } from "./content.ts";
import {
  askName,
  existingChoice,
  type GivenAnswers,
  pickExisting,
  type WizardContext,
  withDefaultFirst,
} from "./context.ts";

/** Asks for the destination, unless options give it. Earlier answers are the defaults. */
export async function askDestination(
  context: WizardContext,
  given: GivenAnswers,
  before?: DestinationAnswer,
): Promise<DestinationAnswer> {
  const { destinationId: id, destinationType } = given;
  if (id !== undefined) return existingById("destination", context.live?.destination, id);
  const kind = saysNew(given) ? (destinationType ?? "other") : await askKind(context, before);
  if (kind === "existing") return pickExisting(context, "destination", before);
  const earlier = before?.kind === "new" ? before : undefined;
  const type = kind === "other" ? await askType(context, earlier?.type) : kind;
  const names = { given: given.destinationName, before: earlier?.name };
  const name = await askName(context, "destination", "--destination-name", names);
  const sameType = earlier?.type === type ? earlier : undefined;
  const content = await askContent(context, type, given, sameType);
  return { kind: "new", name, type, ...content };
}

/** Whether an option concerns a new destination. */
function saysNew(given: GivenAnswers): boolean {
  const content = Object.keys(given.metadata).length + Object.keys(given.secrets).length;
  return (given.destinationName ?? given.destinationType) !== undefined || content > 0;
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
  const earlier = before?.kind === "new" && before.type !== "webhook" ? "other" : before?.kind;
  return context.prompt.select({
    message: "Destination",
    flag: "--destination-type",
    choices: withDefaultFirst(choices, ({ value }) => value === earlier),
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
    choices: choicesFor(before),
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

function choicesFor(before: string | undefined): Choice<string | undefined>[] {
  const known = withDefaultFirst(
    DESTINATION_TYPE_NAMES.filter((name) => name !== "webhook"),
    (name) => name === before,
  );
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
