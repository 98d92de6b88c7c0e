import { AmpError, AuthError, ConflictError, PartialError, RejectedError } from "../errors.ts";
import { foldCommand, quote } from "../shell-words.ts";
import { eventRouteAddress } from "./address.ts";
import { type Answers, modelOf } from "./answers.ts";
import { setupCommand } from "./command-line.ts";
import { meantEvent } from "./event-names.ts";
import { nameFlags, refusedAddress } from "./setup-flags.ts";
import type { SetupPorts } from "./setup-ports.ts";
import type { Undertaking } from "./setup-run.ts";

/** An error puts `Try: ` and a margin before a command. */
const WIDTH = 73;

/** A setup that has stopped half way, its answers on disk. */
interface Stopped {
  readonly ports: SetupPorts;
  readonly undertaking: Undertaking;
  readonly text: string;
}

/** The error of a setup that stopped: it names options, and the command that goes on from there. */
export async function afterFailure(error: unknown, stopped: Stopped): Promise<unknown> {
  if (!(error instanceof AmpError)) return error;
  const { file, answers } = stopped.undertaking;
  const named = nameFlags(error);
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

function resumeCommand({ ports, undertaking: { state } }: Stopped): string {
  const isNamed = state !== undefined && state !== ports.surroundings.env.AMP_STATE;
  return [
    "amp notify setup --resume",
    ...(isNamed ? [`--state ${quote(state)}`] : []),
    ...(ports.yes ? ["--yes"] : []),
  ].join(" ");
}

/** What is in place is found there; a mistyped event is not suggested again. */
function sameCommand(answers: Answers, refused: string | undefined): string | undefined {
  const events = answers.events.map((event) =>
    eventRouteAddress(answers.topic.name, event) === refused ? (meantEvent(event) ?? event) : event,
  );
  const line = setupCommand(modelOf({ ...answers, events }))?.line;
  return line && foldCommand(line, WIDTH).join("\n");
}
