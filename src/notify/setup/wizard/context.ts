import type { Choice, CommandContext } from "../../../context/command-context.ts";
import type { DestinationContent, ValueSources } from "../../model/destination-input.ts";
import { nameCheck, notEmpty } from "../../model/names.ts";
import type { NamedKind } from "../../model/resource.ts";
import type { RoutingModel } from "../../model/routing.ts";
import type { LiveRouting } from "../../plan/live.ts";
import type { Plan } from "../../plan/plan.ts";
import {
  type DestinationAnswer,
  type ExistingAnswer,
  existingAnswer,
  type ListedRecord,
  type SetupOptions,
  type TopicAnswer,
} from "../answers.ts";

/** The answers that the command line gives. */
export interface GivenAnswers
  extends DestinationContent,
    Pick<
      SetupOptions,
      "destinationId" | "destinationName" | "destinationType" | "topic" | "topicId" | "event"
    > {}

/** The context of every question. With `yes`, the review is shown without a question. */
export interface WizardContext extends Pick<CommandContext, "prompt" | "yes"> {
  readonly files: ValueSources;
  readonly report: Pick<CommandContext["report"], "page" | "warn">;
  /** The live routing; undefined where the service has no lists. */
  readonly live: LiveRouting | undefined;
  readonly planFor: (model: RoutingModel) => Promise<Plan>;
}

/** The choices with the default at the top, where Enter takes it. */
export function withDefaultFirst<Item>(
  choices: readonly Item[],
  isDefault: (choice: Item) => boolean,
): Item[] {
  return [...choices.filter(isDefault), ...choices.filter((choice) => !isDefault(choice))];
}

/** Asks for the name of a new resource, unless the given one is valid. */
export async function askName(
  { prompt, live }: WizardContext,
  kind: NamedKind,
  flag: string,
  { given, before }: { readonly given: string | undefined; readonly before: string | undefined },
): Promise<string> {
  const taken = live?.[kind].map(({ name }) => name) ?? [];
  const check = nameCheck(kind, taken);
  if (given !== undefined && check(given) === true) return given;
  const preset = given ?? before;
  return prompt.input({
    message: `${capitalised(kind)} name`,
    flag,
    check,
    ...(preset === undefined ? {} : { default: preset }),
  });
}

/** The choice of an existing resource; none where the list of the service is empty. */
export function existingChoice({ live }: WizardContext, kind: NamedKind) {
  if (live?.[kind].length === 0) return [];
  const label = `Existing ${kind}${live === undefined ? " (by ID)" : ""}`;
  return [{ value: "existing" as const, label }];
}

/** Asks for an existing resource: from the list, or by its ID where the service has no lists. */
export async function pickExisting(
  { prompt, live }: WizardContext,
  kind: NamedKind,
  before: DestinationAnswer | TopicAnswer | undefined,
): Promise<ExistingAnswer> {
  const flag = `--${kind}-id`;
  const listed = live?.[kind];
  const earlier = before?.kind === "existing" ? before.id : undefined;
  if (listed === undefined) {
    const typed = await prompt.input({
      message: `${capitalised(kind)} ID`,
      flag,
      check: notEmpty,
      ...(earlier === undefined ? {} : { default: earlier }),
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
      message: `Select a ${kind}`,
      flag,
      choices: withDefaultFirst(choices, ({ value }) => value.id === earlier),
    }),
  );
}

/** The text with a capital first letter. */
export function capitalised(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
