import type { Choice, CommandContext } from "../../../context/command-context.ts";
import type { ValueSources } from "../../model/destination-input.ts";
import { type NamedKind, nameCheck, notEmpty } from "../../model/names.ts";
import type { RoutingModel } from "../../model/routing.ts";
import type { LiveRouting } from "../../plan/live.ts";
import type { Plan } from "../../plan/plan.ts";
import { type ExistingAnswer, existingAnswer, type ListedRecord } from "../answers.ts";

/** What every question of the wizard may use. */
export interface WizardContext extends Pick<CommandContext, "prompt"> {
  readonly files: ValueSources;
  readonly report: Pick<CommandContext["report"], "page" | "warn">;
  /** What the service lists; undefined where it has no lists. */
  readonly live: LiveRouting | undefined;
  /** What applying a routing would do now. */
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
  const check = nameCheck(
    kind,
    (live?.[kind] ?? []).map(({ name }) => name),
  );
  if (given !== undefined && check(given) === true) return given;
  const preset = given ?? before;
  return prompt.input({
    message: `${capitalised(kind)} name`,
    flag,
    check,
    ...(preset === undefined ? {} : { default: preset }),
  });
}

/** Whether an existing resource can be selected: not from an empty list. */
export function canPick(listed: readonly ListedRecord[] | undefined): boolean {
  return listed === undefined || listed.length > 0;
}

/** Asks for an existing resource: from the list, or by its ID where the service has no lists. */
export async function pickExisting(
  { prompt }: Pick<WizardContext, "prompt">,
  kind: NamedKind,
  listed: readonly ListedRecord[] | undefined,
  before?: string,
): Promise<ExistingAnswer> {
  const flag = `--${kind}-id`;
  if (listed === undefined) {
    const typed = await prompt.input({
      message: `${capitalised(kind)} ID`,
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
      message: `Select a ${kind}`,
      flag,
      choices: withDefaultFirst(choices, ({ value }) => value.id === before),
    }),
  );
}

function capitalised(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
