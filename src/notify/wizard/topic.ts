import type { TopicAnswer } from "../answers.ts";
import { existingById } from "../existing.ts";
import { nameCheck } from "../names.ts";
import { type Desk, earlierFirst } from "./desk.ts";
import { canPick, pickExisting } from "./pick-existing.ts";

/** What the command line says of the topic. */
export interface TopicGiven {
  readonly name?: string | undefined;
  readonly id?: string | undefined;
}

/** Asks for the topic. What is given is not asked; what was answered before is the default. */
export async function askTopic(
  desk: Desk,
  given: TopicGiven,
  before?: TopicAnswer,
): Promise<TopicAnswer> {
  const { topics } = desk.survey;
  if (given.id !== undefined) return existingById("topic", topics, given.id);
  const asksKind = given.name === undefined && canPick(topics);
  const kind = asksKind ? await askKind(desk, before) : "new";
  if (kind === "existing") return pickExisting(desk, "topic", topics, idOf(before));
  const check = nameCheck(
    "topic",
    (topics ?? []).map(({ name }) => name),
  );
  if (given.name !== undefined && check(given.name) === true) {
    return { kind: "new", name: given.name };
  }
  const preset = given.name ?? (before?.kind === "new" ? before.name : undefined);
  const name = await desk.prompt.input({
    message: asksKind ? "Name" : "Topic name",
    flag: "--topic",
    check,
    ...(preset === undefined ? {} : { default: preset }),
  });
  return { kind: "new", name };
}

async function askKind(
  { prompt, survey }: Desk,
  before: TopicAnswer | undefined,
): Promise<TopicAnswer["kind"]> {
  const byId = survey.topics === undefined ? ", by its ID" : "";
  const choices = [
    { value: "new" as const, label: "A new topic" },
    { value: "existing" as const, label: `One that exists${byId}` },
  ];
  return prompt.select({
    message: "Topic",
    flag: "--topic",
    choices: earlierFirst(choices, ({ value }) => value === before?.kind),
  });
}

function idOf(before: TopicAnswer | undefined): string | undefined {
  return before?.kind === "existing" ? before.id : undefined;
}
