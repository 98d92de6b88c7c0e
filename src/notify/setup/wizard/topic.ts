import { EVENT_TYPES, EVENTS } from "../../../api/catalogue/events.ts";
import type { Choice } from "../../../context/command-context.ts";
import { nameCheck } from "../../model/names.ts";
import { existingById, type TopicAnswer } from "../answers.ts";
import { canPick, pickExisting, type WizardContext, withDefaultFirst } from "./context.ts";

/** What the command line says of the topic. */
export interface TopicGiven {
  readonly name?: string | undefined;
  readonly id?: string | undefined;
}

/** Asks for the topic. What is given is not asked; what was answered before is the default. */
export async function askTopic(
  desk: WizardContext,
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
  { prompt, survey }: WizardContext,
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
    choices: withDefaultFirst(choices, ({ value }) => value === before?.kind),
  });
}

function idOf(before: TopicAnswer | undefined): string | undefined {
  return before?.kind === "existing" ? before.id : undefined;
}

/** Asks for the event types, those that the topic gets already chosen. */
export async function askEvents(
  desk: WizardContext,
  topic: TopicAnswer,
  before: readonly string[] = [],
): Promise<readonly string[]> {
  const routed =
    topic.kind === "existing" ? [...(await desk.routesOf(topic.id)).events.keys()] : [];
  const chosen = [...new Set([...before, ...routed])];
  return desk.prompt.checkbox({
    message: "Events",
    flag: "--event",
    choices: choicesFor(chosen, new Set(routed)),
    chosen,
  });
}

function choicesFor(chosen: readonly string[], routed: ReadonlySet<string>): Choice<string>[] {
  let area: string | undefined;
  const known = EVENT_TYPES.map((event): Choice<string> => {
    const { area: own, fires } = EVENTS[event];
    const begins = own !== area;
    area = own;
    return {
      value: event,
      label: event,
      note: routed.has(event) ? `goes to this topic already; ${fires}` : fires,
      ...(begins ? { group: own } : {}),
    };
  });
  const further = chosen
    .filter((event) => !Object.hasOwn(EVENTS, event))
    .map(
      (event, at): Choice<string> => ({
        value: event,
        label: event,
        ...(at === 0 ? { group: "Further" } : {}),
      }),
    );
  return [...known, ...further];
}
