import type { CommandContext } from "../context/command-context.ts";
import { AmpError, PartialError, RejectedError } from "../errors.ts";
import { isDataMessage } from "../events/message.ts";
import { newSigningSecret, type SecretFrom, secretOption } from "../events/receiver-options.ts";
import type { LocalServer } from "../runtime/local-server.ts";
import { Secret } from "../secrets/secret.ts";
import { counted } from "../values/counted.ts";
import { suggest } from "../values/suggested-command.ts";
import { durationText } from "../values/time.ts";
import type { ListenOptions, Opened } from "./listen.ts";
import type { ListenOutput } from "./output.ts";
import { dataNotice, type RoutingChoice } from "./target.ts";
import {
  makeTemporary,
  type newTemporaryRouting,
  type Remainder,
  removeTemporary,
  type TemporaryContext,
  type TemporaryOptions,
} from "./temporary-routing.ts";

/** The options of `amp listen`. */
export interface RunListenOptions extends ListenOptions, TemporaryOptions, RoutingChoice {
  readonly secret: readonly SecretFrom[];
  readonly printSecret: boolean;
}

/** A temporary routing that is about to be made. */
export interface Routing {
  readonly ports: TemporaryContext;
  readonly url: "own" | URL;
  readonly events: readonly string[];
  readonly temporary: ReturnType<typeof newTemporaryRouting>;
  readonly remainder: Remainder;
}

/** A receiver that listens, and what it shows to whom. */
interface Opening {
  readonly receiver: LocalServer;
  readonly report: CommandContext["report"];
  readonly output: ListenOutput;
}

/**
 * Says where a receiver without a routing listens, and which secret messages to it are signed with.
 * @param given the secrets that were typed; without any, one is made
 */
export async function openAlone(
  { receiver: { url }, report, output }: Opening,
  options: RunListenOptions,
  given: readonly string[],
): Promise<Opened> {
  const { printSecret, events } = options;
  const made = given.length > 0 ? [] : [Secret.published(newSigningSecret()).reveal()];
  const secrets = [...given, ...made];
  await output.ready({ url, ...(made.length > 0 || printSecret ? { secrets } : {}) });
  report.notice(`Listening on ${url}`);
  if (made.length > 0) report.notice(`Signing secret of this run: ${made[0]}`);
  sayRest(report, options, false);
  report.notice(
    made.length > 0 ? "To send a message, with the secret in a variable:" : "To send a message:",
    suggest("trigger", [events.find((one) => !one.includes("*")) ?? EXAMPLE], {
      to: url,
      secret: secretOption(options.secret[0], "SIGNING_SECRET"),
    }),
  );
  return { secrets, hosts: [] };
}

/**
 * Makes the temporary routing that leads messages to a receiver.
 * @throws {AmpError} where it was not made; what was made of it is then removed
 */
export async function openRouted(
  opening: Opening,
  options: RunListenOptions,
  routing: Routing,
): Promise<Opened> {
  const { ports, temporary, remainder, events } = routing;
  const { url } = opening.receiver;
  const publicUrl = routing.url === "own" ? url : routing.url.href;
  const close = async () => {
    const isRemoved = await removeTemporary(ports, temporary, options);
    remainder.mayExist = !isRemoved;
    return isRemoved;
  };
  try {
    const to = { url: publicUrl, events };
    const secrets = await makeTemporary(ports, temporary, to, { ...options, remainder });
    await opening.output.ready({
      url,
      ...(routing.url === "own" ? {} : { publicUrl }),
      routing: temporary.name,
      ...(options.printSecret ? { secrets } : {}),
    });
    sayRouted(opening, options, routing);
    const { expires } = temporary;
    return { secrets, hosts: [new URL(publicUrl).hostname], expires, close };
  } catch (error) {
    if (!remainder.mayExist) throw error;
    const isRemoved = await ports.protect(close());
    if (!(error instanceof AmpError)) throw error;
    if (!isRemoved) throw leftError(temporary.name, error);
    throw error instanceof PartialError ? removedError(error) : error;
  }
}

/** Says where a receiver with a routing listens, and how to let an event occur. */
function sayRouted(
  { receiver: { url }, report }: Opening,
  options: RunListenOptions,
  { url: reached, events, temporary: { name, expires } }: Routing,
): void {
  report.notice(`Listening on ${url}${reached === "own" ? "" : `, reached by ${reached.href}`}`);
  const until = `until ${expires.toISOString().slice(11, 16)} UTC at the latest`;
  const count = events.length;
  report.notice(
    count === 0
      ? `Temporary destination ${name}, ${until}`
      : `Temporary routing ${name} of ${counted(count, "event type")}, ${until}`,
  );
  const data = options.events.filter(isDataMessage);
  if (data.length > 0) report.notice(dataNotice(data, name));
  sayRest(report, options, true);
  if (reached !== "own") return;
  const [first = data[0] ?? EXAMPLE] = events;
  const event = events.includes(EXAMPLE) ? EXAMPLE : first;
  report.notice("In another terminal:", suggest("trigger", [event]));
}

/** Says where messages go, and how long the listener waits for them. */
function sayRest(
  report: CommandContext["report"],
  { forwardTo, printSecret, events, expect, within }: RunListenOptions,
  isRouted: boolean,
): void {
  if (forwardTo !== undefined) {
    const isNew = isRouted && !printSecret;
    report.notice(
      `Forwarding to ${forwardTo.href}${isNew ? ". The signing secret is new in each run; --print-secret shows it." : ""}`,
    );
  }
  const wanted = events.length === 0 ? "" : ` for ${events.join(", ")}`;
  const limit =
    within === undefined ? ", with no time limit" : `, or after ${durationText(within)}`;
  const end =
    expect === undefined
      ? "Press Ctrl-C to stop."
      : `Ends after ${counted(expect, "message")}${limit}.`;
  report.notice(`Waiting${wanted}. ${end}`);
}

/** The error of a routing that was made in part, and removed again. */
function removedError(error: PartialError): AmpError {
  const facts = {
    done: "The created resources were removed again.",
    remedy: "Correct the cause, and run the command again.",
  };
  const { status = 0 } = error.facts;
  if (status !== 400 && status !== 422) return error.setFacts(facts);
  // Nothing is partial any more: it is the refusal alone.
  return new RejectedError(error.message, { ...error.facts, ...facts }, { cause: error });
}

/**
 * The end of a listener that could not take its routing away: a script must not go on as if it had,
 * whatever else it was waiting for.
 */
export function leftError(name: string, other: AmpError | undefined): PartialError {
  const { detail, done, ...facts } = other?.facts ?? {};
  const also = [other?.message, detail, done].flatMap((text) => text?.replace(/\.$/u, "") ?? []);
  return new PartialError(`The temporary routing ${name} is still at the service`, {
    ...facts,
    ...(also.length > 0 && { detail: `${also.join(". ")}.` }),
    remedy: "When the service is reachable again, remove it:",
    suggestion: suggest("listen", [], { clean: true }),
  });
}

/** The event that suggested commands let occur, if it is a wanted one. */
const EXAMPLE = "connection.error";
