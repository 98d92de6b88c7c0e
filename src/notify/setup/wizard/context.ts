import type { Choice, Prompter } from "../../../context/command-context.ts";
import type { ValueSources } from "../../model/destination-input.ts";
import { type NamedKind, notEmpty } from "../../model/names.ts";
import { type ExistingAnswer, existingAnswer, type ListedRecord } from "../answers.ts";
import type { SetupReview } from "../review.ts";
import type { Survey, TopicRoutes } from "../survey.ts";

/** What the questions are asked with. */
export interface WizardContext {
  readonly prompt: Prompter;
  /** Shows what a question is about. */
  readonly show: (page: SetupReview) => void;
  /** Says why an answer will not do, where that takes longer than a keystroke. */
  readonly tell: (text: string) => void;
  readonly sources: ValueSources;
  readonly survey: Survey;
  readonly routesOf: (topicId: string) => Promise<TopicRoutes>;
}

/** The choices, the one that was made before at the top, where Enter takes it. */
export function withDefaultFirst<Item>(
  choices: readonly Item[],
  wasChosen: (choice: Item) => boolean,
): Item[] {
  return [...choices.filter(wasChosen), ...choices.filter((choice) => !wasChosen(choice))];
}

/** Whether a thing that exists can be had: not from a list that is empty. */
export function canPick(listed: readonly ListedRecord[] | undefined): boolean {
  return listed === undefined || listed.length > 0;
}

/** Asks for one that exists: from the list, or by id where there is none. */
export async function pickExisting(
  { prompt }: Pick<WizardContext, "prompt">,
  what: NamedKind,
  listed: readonly ListedRecord[] | undefined,
  before?: string,
): Promise<ExistingAnswer> {
  const flag = `--${what}-id`;
  if (listed === undefined) {
    const typed = await prompt.input({
      message: "ID",
      flag,
      check: notEmpty,
      ...(before === undefined ? {} : { default: before }),
    });
    return existingAnswer({ id: typed.trim() });
  }
  const choices = listed.map(
    (one): Choice<ListedRecord> => ({
      value: one,
      label: one.name ?? one.id,
      note: [one.type, one.name && one.id].filter(Boolean).join("  "),
    }),
  );
  return existingAnswer(
    await prompt.select({
      message: "Which one",
      flag,
      choices: withDefaultFirst(choices, ({ value }) => value.id === before),
    }),
  );
}
