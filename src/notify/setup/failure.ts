import {
  AmpError,
  AuthError,
  ConflictError,
  type InputIssue,
  PartialError,
  RejectedError,
} from "../../errors.ts";
import { foldCommand, quote } from "../../values/shell.ts";
import { eventRouteAddress } from "../model/address.ts";
import { nearestEvent } from "../model/names.ts";
import type { ResourceKind } from "../model/resource.ts";
import { modelOfAnswers, type SetupAnswers } from "./answers.ts";
import { setupCommand } from "./command-line.ts";
import type { SetupContext } from "./options.ts";
import type { SetupJob } from "./run.ts";

/** An error puts `Try: ` and a margin before a command. */
const WIDTH = 73;

/** A setup that has stopped half way, its answers on disk. */
interface StoppedSetup {
  readonly ports: SetupContext;
  readonly undertaking: SetupJob;
  readonly text: string;
}

/** The error of a setup that stopped: it names options, and the command that goes on from there. */
export async function setupError(error: unknown, stopped: StoppedSetup): Promise<unknown> {
  if (!(error instanceof AmpError)) return error;
  const { file, answers } = stopped.undertaking;
  const named = withFlags(error);
  if (!isRefusal(error)) return suggest(named, resumeCommand(stopped));
  // The same answers would be refused again.
  await file.remove([stopped.text]);
  const hasCreated = error instanceof PartialError;
  return hasCreated ? suggest(named, sameCommand(answers, refusedAddress(error))) : named;
}

function isRefusal(error: AmpError): boolean {
  return [error, error.cause].some(
    (one) => one instanceof RejectedError || one instanceof ConflictError,
  );
}

function suggest(error: AmpError, suggestion: string | undefined): AmpError {
  // Without a login nothing goes on.
  const isAuth = error instanceof AuthError || error.cause instanceof AuthError;
  return suggestion === undefined || isAuth ? error : error.with({ suggestion });
}

function resumeCommand({ ports, undertaking: { state } }: StoppedSetup): string {
  const isNamed = state !== undefined && state !== ports.environment.env.AMP_STATE;
  return [
    "amp notify setup --resume",
    ...(isNamed ? [`--state ${quote(state)}`] : []),
    ...(ports.yes ? ["--yes"] : []),
  ].join(" ");
}

/** What is in place is found there; a mistyped event is not suggested again. */
function sameCommand(answers: SetupAnswers, refused: string | undefined): string | undefined {
  const events = answers.events.map((event) =>
    eventRouteAddress(answers.topic.name, event) === refused
      ? (nearestEvent(event) ?? event)
      : event,
  );
  const line = setupCommand(modelOfAnswers({ ...answers, events }))?.line;
  return line && foldCommand(line, WIDTH).join("\n");
}

/** Which option of `amp notify setup` carried an input, by the step that sent it. */
const FLAGS: Readonly<Record<ResourceKind, Readonly<Record<string, string>>>> = {
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
 * Names each invalid input by the option that carried it. The command's own table cannot: `name` is
 * the destination's in one request and the topic's in the next.
 */
export function withFlags(error: AmpError): AmpError {
  const { issues } = error.facts;
  const flags = FLAGS[String(refusedAddress(error)).split("/")[0] as ResourceKind];
  if (flags === undefined || issues === undefined) return error;
  return error.with({ issues: issues.map((issue) => withFlag(issue, flags)) });
}

/** What the service has refused, of those that an engine's error names. */
export function refusedAddress({ facts: { data } }: AmpError): string | undefined {
  const failed = data?.failed as readonly { readonly address: string }[] | undefined;
  return failed?.[0]?.address;
}

function withFlag(issue: InputIssue, flags: Readonly<Record<string, string>>): InputIssue {
  const name = issue.name ?? "";
  // The service may name a place within an input, for example `metadata.headers.x`.
  const known = Object.keys(flags).find((key) => name === key || name.startsWith(`${key}.`));
  const flag = known === undefined ? undefined : flags[known];
  return flag === undefined ? issue : { ...issue, flag };
}
