import { DESTINATION_TYPES } from "../../../api/catalogue/destination-types.ts";
import type { Choice, CommandContext } from "../../../context/command-context.ts";
import { NotFoundError } from "../../../errors.ts";
import { type Returning, withBack } from "../../../questions/with-back.ts";
import { derived } from "../../../values/basics.ts";
import { capitalised } from "../../../values/counted.ts";
import { defined } from "../../../values/json.ts";
import type { ValueSources } from "../../model/destination-input.ts";
import { nameCheck, notEmpty } from "../../model/names.ts";
import type { NamedKind } from "../../model/resource.ts";
import { type DestinationContent, hasContent } from "../../model/secrets.ts";
import type { LiveRouting } from "../../plan/live.ts";
import {
  type AnswersSoFar,
  type DestinationAnswer,
  type ExistingAnswer,
  existingAnswer,
  findExisting,
  type ListedRecord,
  namedRecord,
  type TopicAnswer,
} from "../answers.ts";
import type { SetupOptions } from "../options.ts";

/** The answers that the command line gives. */
export interface GivenAnswers
  extends DestinationContent,
    Pick<
      SetupOptions,
      "destinationId" | "destinationName" | "destinationType" | "topic" | "topicId" | "event"
    > {}

/** The ports of the wizard. With `yes`, the review is shown without a question. */
export interface WizardPorts extends Pick<CommandContext, "prompt" | "yes"> {
  readonly files: ValueSources;
  readonly report: Pick<CommandContext["report"], "notice" | "page" | "warn">;
  /** The live routing; undefined where the service has no lists. */
  readonly live: LiveRouting | undefined;
  /** The words of `--allow`. */
  readonly allow: readonly string[];
}

/** The context of every question. */
export interface WizardContext extends WizardPorts {
  /**
   * Warns, unless the same was said of these answers already: of a value that is kept all the same.
   */
  readonly warnOnce: (text: string) => void;
  /** Keeps answers for the command that goes on from them. */
  readonly note: (answers: AnswersSoFar) => void;
  readonly soFar: () => AnswersSoFar;
}

/** Asks the questions of a wizard, from each of which but the first the user can return. */
export function askWithBack<Result>(
  ports: WizardPorts,
  given: GivenAnswers,
  ask: (context: WizardContext) => Promise<Result>,
): Promise<Result> {
  const tell = () => {
    const { wayBack } = ports.prompt;
    if (wayBack !== undefined) ports.report.notice(wayBack);
  };
  const asked = ({ remember: _, ...returning }: Returning) => {
    const warned = new Set<string>();
    const warnOnce = (text: string) => {
      if (!warned.has(text)) returning.report.warn(text);
      warned.add(text);
    };
    let soFar = answersOf(given);
    const note = (answers: AnswersSoFar) => {
      soFar = { ...soFar, ...answers };
    };
    const report = derived(ports.report, returning.report);
    return ask(derived(ports, { ...returning, report, warnOnce, note, soFar: () => soFar }));
  };
  return withBack(ports, asked, tell);
}

function answersOf({
  destinationId,
  destinationName: name,
  destinationType: type,
  topic,
  topicId,
  event: events,
  ...given
}: GivenAnswers): AnswersSoFar {
  const { metadata, secrets, references } = given;
  const content = defined({ name, type, metadata, secrets, references });
  const isNew = name !== undefined || type !== undefined || hasContent(given);
  return {
    events,
    ...(destinationId && { destination: existingAnswer({ id: destinationId }) }),
    ...(isNew && { destination: { kind: "new", ...content } }),
    ...(topicId && { topic: existingAnswer({ id: topicId }) }),
    ...(topic && { topic: { kind: "new", name: topic } }),
  };
}

/**
 * Asks for the name of a new resource, unless the given one is valid. A given name may be that of
 * an existing resource: the plan compares them.
 */
export async function askName(
  { prompt, live, report }: WizardContext,
  kind: NamedKind,
  flag: string,
  answers: {
    readonly given: string | undefined;
    readonly before: string | undefined;
    readonly suggested: string;
  },
): Promise<string> {
  const { given, before, suggested } = answers;
  const names = live?.[kind].map(({ name }) => name) ?? [];
  const refused = given === undefined ? true : nameCheck(kind)(given);
  if (given !== undefined && refused === true) return given;
  if (refused !== true) report.warn(`${flag} ${JSON.stringify(given)}: ${refused}`);
  return prompt.input({
    message: `${capitalised(kind)} name`,
    flag,
    check: nameCheck(kind),
    default: before ?? freeName(suggested, names),
  });
}

/** Asks for the name of a new resource; one that exists may be the one that is meant. */
export async function askNewName(
  context: WizardContext,
  kind: NamedKind,
  flag: string,
  names: Parameters<typeof askName>[3],
): Promise<string | ExistingAnswer> {
  for (;;) {
    const name = await askName(context, kind, flag, names);
    const taken = name === names.given ? undefined : namedRecord(context.live, kind, name);
    if (taken === undefined) return name;
    const message = `${capitalised(kind)} ${name} exists already. Use it?`;
    if (await context.prompt.confirm({ message, flag, default: true }))
      return existingAnswer(taken);
  }
}

/** The name, or the first of `name-2`, `name-3` and so on that no resource has. */
function freeName(name: string, taken: readonly unknown[]): string {
  let free = name;
  for (let count = 2; taken.includes(free); count += 1) free = `${name}-${count}`;
  return free;
}

/**
 * The resource that an ID option selects; undefined, and said, where the service does not list it.
 */
export async function selectedById(
  { live, report, prompt }: WizardContext,
  kind: NamedKind,
  wanted: string | undefined,
): Promise<ExistingAnswer | undefined> {
  if (wanted === undefined) return undefined;
  const asker = { interactive: true, prompt };
  return findExisting(kind, live?.[kind], wanted, asker).catch((error: unknown) => {
    if (!(error instanceof NotFoundError)) throw error;
    report.warn(error.message);
    return undefined;
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
      ...defined({ default: earlier }),
    });
    return existingAnswer({ id: typed.trim() });
  }
  const choices = listed.map(
    (one): Choice<ListedRecord> => ({
      value: one,
      label: one.name ?? one.id,
      note: [one.type, one.name && one.id].filter(Boolean).join(", "),
    }),
  );
  return existingAnswer(
    await prompt.select({
      message: `Select a ${kind}`,
      flag,
      choices,
      ...defined({ default: listed.find(({ id }) => id === earlier) }),
    }),
  );
}

/** Whether a webhook has all the fields that options give. */
export function fitsWebhook({ metadata, secrets }: DestinationContent): boolean {
  const known = new Set(DESTINATION_TYPES.webhook.metadata.map(({ name }) => name));
  const isKnown = (name: string) => known.has(name.split(".", 1)[0] ?? "");
  return Object.keys(metadata).every(isKnown) && Object.keys(secrets).length === 0;
}
