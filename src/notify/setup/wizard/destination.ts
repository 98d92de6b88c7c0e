import {
  DESTINATION_TYPE_NAMES,
  DESTINATION_TYPES,
  type KnownDestinationType,
} from "../../../api/catalogue/destination-types.ts";
import type { Choice } from "../../../context/command-context.ts";
import type { DestinationContent } from "../../model/destination-input.ts";
import { nameCheck, notEmpty } from "../../model/names.ts";
import { type DestinationAnswer, existingById } from "../answers.ts";
import { askContent } from "./content.ts";
import { canPick, pickExisting, type WizardContext, withDefaultFirst } from "./context.ts";

/** What the command line says of the destination. */
export interface DestinationGiven extends DestinationContent {
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  readonly type?: string | undefined;
}

/** Asks for the destination. What is given is not asked; what was answered before is the default. */
export async function askDestination(
  desk: WizardContext,
  given: DestinationGiven,
  before?: DestinationAnswer,
): Promise<DestinationAnswer> {
  const { destinations } = desk.survey;
  if (given.id !== undefined) return existingById("destination", destinations, given.id);
  const isNew = saysNew(given);
  const kind = isNew ? (given.type ?? "other") : await askKind(desk, before);
  if (kind === "existing") {
    const earlier = before?.kind === "existing" ? before.id : undefined;
    return pickExisting(desk, "destination", destinations, earlier);
  }
  const earlier = before?.kind === "new" ? before : undefined;
  const type = kind === "other" ? await askType(desk, earlier?.type) : kind;
  const message = isNew ? "Destination name" : "Name";
  const name = await askName(desk, message, given.name ?? earlier?.name, given.name !== undefined);
  const content = await askContent(desk, type, given, earlier?.type === type ? earlier : undefined);
  return { kind: "new", name, type, ...content };
}

/** Any of these options is about a destination to be created. */
function saysNew({ name, type, metadata, secrets }: DestinationGiven): boolean {
  const content = Object.keys(metadata).length + Object.keys(secrets).length;
  return name !== undefined || type !== undefined || content > 0;
}

async function askKind(
  { prompt, survey }: WizardContext,
  before: DestinationAnswer | undefined,
): Promise<"webhook" | "other" | "existing"> {
  const byId = survey.destinations === undefined ? ", by its ID" : "";
  const choices = [
    { value: "webhook" as const, label: "A new webhook", note: "an HTTPS endpoint of your own" },
    {
      value: "other" as const,
      label: "A new destination of another type",
      note: "chat, queue, stream, storage, database",
    },
    ...(canPick(survey.destinations)
      ? [{ value: "existing" as const, label: `One that exists${byId}` }]
      : []),
  ];
  const earlier = before?.kind === "new" && before.type !== "webhook" ? "other" : before?.kind;
  return prompt.select({
    message: "Destination",
    flag: "--destination-type",
    choices: withDefaultFirst(choices, ({ value }) => value === earlier),
  });
}

/** The name that stands, where it is given and will do; otherwise it is what Enter takes. */
async function askName(
  { prompt, survey }: WizardContext,
  message: string,
  preset: string | undefined,
  isGiven: boolean,
): Promise<string> {
  const names = (survey.destinations ?? []).map(({ name }) => name);
  const check = nameCheck("destination", names);
  if (isGiven && preset !== undefined && check(preset) === true) return preset;
  return prompt.input({
    message,
    flag: "--destination-name",
    check,
    ...(preset === undefined ? {} : { default: preset }),
  });
}

/** What stands beside the webhook, which has a choice of its own, grouped by what one does with it. */
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

/** Asks for a type other than webhook; one that amp does not know is typed. */
export async function askType({ prompt }: WizardContext, before?: string): Promise<string> {
  const flag = "--destination-type";
  const choice = await prompt.select({ message: "Type", flag, choices: choicesFor(before) });
  if (choice !== undefined) return choice;
  return prompt.input({
    message: "Name of the type",
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
  const order = [...new Set(known.map((name) => GROUPS[name]))];
  const grouped = order.flatMap((group) =>
    known
      .filter((name) => GROUPS[name] === group)
      .map(
        (name, at): Choice<string | undefined> => ({
          value: name,
          label: name,
          note: DESTINATION_TYPES[name].summary,
          ...(at === 0 ? { group } : {}),
        }),
      ),
  );
  return [
    ...grouped,
    { value: undefined, label: "another", note: "one that amp does not know yet" },
  ];
}
