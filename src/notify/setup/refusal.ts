import {
  AmpError,
  AuthError,
  ConflictError,
  type InputIssue,
  InterruptedError,
  RejectedError,
} from "../../errors.ts";
import { asList } from "../../values/as-list.ts";
import { defined } from "../../values/json.ts";
import type { SuggestedCommand } from "../../values/suggested-command.ts";
import type { RoutingModel } from "../model/routing.ts";
import { commandsFor } from "../plan/conflicts.ts";
import type { ItemDocument } from "../plan/vocabulary.ts";
import type { ChangedAnswers, SetupAnswers, SetupDecision, Unfinished } from "./answers.ts";
import { setupCommand } from "./result.ts";
import { labelOf } from "./wizard/fields.ts";

/** Answers that the service refused. */
export interface RefusedAnswers extends ChangedAnswers {
  /** The refused answers, and why. */
  readonly says: string;
  /** The resources that were created before that. */
  readonly done: string;
  /** The unfinished setups that the refused one was to resume or replace. */
  readonly earlier: readonly Unfinished[] | undefined;
}

/** What was done by a step before any create. */
export const NOTHING = "Nothing was created.";

/**
 * The error of a step before the answers are on disk, and so before any create.
 * @param refused the answers of an earlier round, which may have created something
 */
export function nothingCreated(error: unknown, refused?: RefusedAnswers): unknown {
  if (!(error instanceof AmpError)) return error;
  const done = refused?.done ?? error.facts.done ?? NOTHING;
  return error.setFacts({ done });
}

/**
 * The error of a setup that stopped, with the options that it concerns and the command to
 * continue.
 * @param forget removes the answers from the disk
 */
export async function setupError(
  error: unknown,
  resume: SuggestedCommand,
  forget: () => Promise<void>,
): Promise<unknown> {
  if (!(error instanceof AmpError)) return error;
  const named = withFlags(error);
  if (!isRefusal(error)) return withCommand(named, resume);
  // These answers would be refused again.
  await forget();
  return named;
}

/** The parts of the answers that the resources of each kind are made of. */
const PARTS: Readonly<Partial<Record<string, keyof SetupAnswers>>> = {
  destination: "destination",
  topic: "topic",
  "event-route": "events",
};

/**
 * The questions to ask again after the service refused the answers of a wizard.
 * @param before the answers that were refused before these
 * @returns undefined where asking again would not help
 */
export function refusedAnswers(
  error: unknown,
  { answers, earlier }: Pick<SetupDecision, "answers"> & Partial<Pick<RefusedAnswers, "earlier">>,
  before: RefusedAnswers | undefined,
): RefusedAnswers | undefined {
  if (!(error instanceof AmpError) || answers === undefined || !isRefusal(error)) return undefined;
  const { data, issues = [], detail, done } = error.facts;
  // An unknown outcome comes first: only the same answers resolve it.
  if (asList<unknown>(data?.unknown).length > 0) return undefined;
  const part = PARTS[refusedKind(error) ?? ""];
  // The answers were not typed as options.
  const labelled = ({ name = "" }: InputIssue) => labelOf({ name: name.split(".").at(-1) ?? "" });
  const named = issues.map((issue) => `${labelled(issue)} ${issue.detail}`).join("; ");
  const why = (named || detail)?.replace(/\.$/u, "");
  return {
    answers,
    earlier,
    ...defined({ part }),
    ...(issues.length === 1 ? { input: issues[0]?.name } : {}),
    says: `${error.message}${why ? `: ${why}` : ""}. Correct the answer, or press Ctrl-C.`,
    done: [before?.done, done].filter((one) => one && one !== NOTHING).join("\n") || NOTHING,
  };
}

function isRefusal(error: AmpError): boolean {
  return [error, error.cause].some(
    (one) => one instanceof RejectedError || one instanceof ConflictError,
  );
}

const RESUME = "Resume the setup to continue.";

function withCommand(error: AmpError, command: SuggestedCommand): AmpError {
  // Without a login the setup cannot continue.
  if (error instanceof AuthError || error.cause instanceof AuthError) return error;
  const { suggestion, data } = error.facts;
  const isOpen = asList<unknown>(data?.unknown).length > 0;
  const canContinue = asList<unknown>(data?.notTried).length > 0 && !isOpen;
  return error.setFacts({
    suggestion: asList(suggestion, command),
    // The command itself would ask or look for the setup again: one way is named, not two.
    ...(error instanceof InterruptedError && canContinue && { remedy: RESUME }),
  });
}

/** The option of `amp notify setup` for each input, by the kind of resource that was created. */
const SETUP_FLAGS: Readonly<Partial<Record<string, Readonly<Record<string, string>>>>> = {
  destination: {
    name: "--destination-name",
    type: "--destination-type",
    "metadata.url": "--url",
    metadata: "--metadata",
    secrets: "--secret",
  },
  topic: { name: "--topic" },
  "event-route": { eventType: "--event", topicId: "--topic-id" },
  "destination-route": { topicId: "--topic-id", destinationId: "--destination-id" },
};

/**
 * Names each invalid input by its option. The command's own table cannot: `name` is the
 * destination's in one request and the topic's in the next.
 */
function withFlags(error: AmpError): AmpError {
  const { issues } = error.facts;
  const flags = SETUP_FLAGS[refusedKind(error) ?? ""];
  if (flags === undefined || issues === undefined) return error;
  const named = issues.map((issue) => {
    const { name = "" } = issue;
    // The service may name a field within an input, for example `metadata.headers.x`.
    const known = Object.entries(flags).find(([key]) => name === key || name.startsWith(`${key}.`));
    return known === undefined ? issue : { ...issue, flag: known[1] };
  });
  return error.setFacts({ issues: named });
}

function refusedKind({ facts: { data } }: AmpError): string | undefined {
  const failed = data?.failed as readonly { readonly address: string }[] | undefined;
  return failed?.[0]?.address.split("/")[0];
}

/**
 * The error of a setup with conflicts: to recreate, it has no file to apply, but its own command.
 */
export function withRecreate(error: unknown, model: RoutingModel): unknown {
  if (!(error instanceof ConflictError)) return error;
  const conflicts = (error.facts.data?.conflicts ?? []) as readonly ItemDocument[];
  const again = setupCommand(model, { recreate: true })?.command;
  const others = conflicts.filter(({ reason }) => reason !== "not_listed");
  if (again === undefined || others.length === conflicts.length) return error;
  return error.setFacts({ suggestion: [again, ...others.flatMap(commandsFor)] });
}
