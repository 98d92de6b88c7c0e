import type { ItemDocument } from "../../documents/routing.ts";
import { AmpError, ConflictError, type InputIssue, RejectedError } from "../../errors.ts";
import { asList } from "../../values/basics.ts";
import { capitalised } from "../../values/counted.ts";
import { defined } from "../../values/json.ts";
import type { SuggestedCommand } from "../../values/suggested-command.ts";
import { commandsFor } from "../plan/conflicts.ts";
import type { SetupAnswers } from "./answers.ts";
import { setupCommand } from "./result.ts";
import { labelOf } from "./wizard/fields.ts";

/** Answers of which a part is to be changed. */
export interface ChangedAnswers {
  readonly answers: SetupAnswers;
  /** The part to prompt for; if absent, the user chooses it. */
  readonly part?: keyof SetupAnswers;
  /** The only input that was refused, as the service names it: `metadata.url`. */
  readonly input?: string | undefined;
}

/** Answers that the service refused. */
export interface RefusedAnswers extends ChangedAnswers {
  readonly part: keyof SetupAnswers;
  /** The refused answers, and why. */
  readonly says: string;
  /** The resources that were created before that. */
  readonly done: string;
}

/** What was done by a step before any create. */
const NOTHING = "Nothing was created.";

/**
 * The error of a step before any create.
 * @param refused the answers of an earlier round, which may have created something
 */
export function nothingCreated(error: AmpError, refused?: RefusedAnswers): AmpError {
  const { done = NOTHING } = error.facts;
  return error.setFacts({ done: done === NOTHING ? (refused?.done ?? NOTHING) : done });
}

/** Whether the service refused what was sent: the same would be refused again. */
export function isRefusal(error: AmpError): boolean {
  return [error, error.cause].some(
    (one) => one instanceof RejectedError || one instanceof ConflictError,
  );
}

/** The parts of the answers that the resources of each kind are made of. */
const PARTS: Readonly<Partial<Record<string, keyof SetupAnswers>>> = {
  destination: "destination",
  topic: "topic",
  "event-route": "events",
};

/**
 * The question to ask again after the service refused the answers of a wizard.
 * @param before the answers that were refused before these
 * @returns undefined where asking again would not help
 */
export function refusedAnswers(
  error: AmpError,
  answers: SetupAnswers,
  before: RefusedAnswers | undefined,
): RefusedAnswers | undefined {
  const { data, issues = [], detail, done } = error.facts;
  const part = PARTS[refusedKind(error) ?? ""];
  // An unknown outcome comes first: only the same answers resolve it.
  const isOpen = asList<unknown>(data?.unknown).length > 0;
  if (part === undefined || isOpen || !isRefusal(error)) return undefined;
  // The answers were not typed as options, so the issues are in the words of the questions.
  const labelled = ({ name = "" }: InputIssue) =>
    name === "name" ? `${capitalised(part)} name` : labelOf({ name: name.split(".").at(-1) ?? "" });
  const named = issues.map((issue) => `${labelled(issue)} ${issue.detail}`).join("; ");
  const why = (named || detail)?.replace(/\.$/u, "");
  const { message } = error.cause instanceof AmpError ? error.cause : error;
  return {
    answers,
    part,
    ...defined({ input: issues.length === 1 ? issues[0]?.name : undefined }),
    says: `${message}${why ? `: ${why}` : ""}. Correct the answer, or press Ctrl-C.`,
    done: [before?.done, done].filter((one) => one && one !== NOTHING).join("\n") || NOTHING,
  };
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
export function withFlags(error: AmpError): AmpError {
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

/** The kind of the first resource that was refused, or that is in conflict. */
function refusedKind({ facts: { data } }: AmpError): string | undefined {
  const [failed] = asList(data?.failed as readonly ItemDocument[] | undefined);
  const conflicts = asList(data?.conflicts as readonly ItemDocument[] | undefined);
  // What is no longer listed is no matter of the answers.
  const conflict = conflicts.find(({ reason }) => reason !== "gone");
  return (failed ?? conflict)?.address.split("/")[0];
}

/** The word of `--accept` for a conflict that a setup resolves by its own command, not by a file. */
const ACCEPTED = new Map([
  ["gone", "recreate"],
  ["replaced", "adopt"],
]);

/** The commands for conflicts of which some are resolved by a word of `--accept`. */
export function recreateCommands(
  error: AmpError,
  answers: SetupAnswers,
): readonly SuggestedCommand[] | undefined {
  const conflicts = (error.facts.data?.conflicts ?? []) as readonly ItemDocument[];
  const others = conflicts.filter(({ reason = "" }) => !ACCEPTED.has(reason));
  const accept = new Set(conflicts.flatMap(({ reason = "" }) => ACCEPTED.get(reason) ?? []));
  if (accept.size === 0) return undefined;
  const again = setupCommand(answers, { accept: [...accept], yes: true });
  return [...asList(again?.command), ...others.flatMap(commandsFor)];
}
