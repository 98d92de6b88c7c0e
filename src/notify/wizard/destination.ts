import type { DestinationAnswer } from "../answers.ts";
import type { DestinationContent } from "../destination-input.ts";
import { existingById } from "../existing.ts";
import { nameCheck } from "../names.ts";
import { askContent } from "./content.ts";
import { type Desk, earlierFirst } from "./desk.ts";
import { canPick, pickExisting } from "./pick-existing.ts";
import { askType } from "./type.ts";

/** What the command line says of the destination. */
export interface DestinationGiven extends DestinationContent {
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  readonly type?: string | undefined;
}

/** Asks for the destination. What is given is not asked; what was answered before is the default. */
export async function askDestination(
  desk: Desk,
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
  { prompt, survey }: Desk,
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
    choices: earlierFirst(choices, ({ value }) => value === earlier),
  });
}

/** The name that stands, where it is given and will do; otherwise it is what Enter takes. */
async function askName(
  { prompt, survey }: Desk,
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
