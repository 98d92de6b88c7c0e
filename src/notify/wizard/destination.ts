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
  const kind = saysNew(given) ? (given.type ?? "other") : await askKind(desk, before);
  if (kind === "existing") {
    const earlier = before?.kind === "existing" ? before.id : undefined;
    return pickExisting(desk, "destination", destinations, earlier);
  }
  const earlier = before?.kind === "new" ? before : undefined;
  const type = kind === "other" ? await askType(desk, earlier?.type) : kind;
  const name = await askName(desk, given.name, earlier?.name);
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

async function askName(
  { prompt, survey }: Desk,
  given: string | undefined,
  before: string | undefined,
): Promise<string> {
  const check = nameCheck(
    "destination",
    (survey.destinations ?? []).map(({ name }) => name),
  );
  if (given !== undefined && check(given) === true) return given;
  const preset = given ?? before;
  return prompt.input({
    message: "Name",
    flag: "--destination-name",
    check,
    ...(preset === undefined ? {} : { default: preset }),
  });
}
