import type { CommandContext } from "../context/command-context.ts";
import { AmpError, PartialError, RejectedError } from "../errors.ts";
import { isDataMessage } from "../events/message.ts";
import { newSigningSecret, readSigningSecret, type SecretFrom } from "../events/secret-from.ts";
import type { LocalServer } from "../runtime/local-server.ts";
import { Secret } from "../secrets/secret.ts";
import { counted } from "../values/counted.ts";
import { derived } from "../values/derived.ts";
import { durationText } from "../values/duration.ts";
import { suggest } from "../values/suggested-command.ts";
import { cleanEarlier } from "./clean-up.ts";
import { isRefused, refusalReason } from "./forward.ts";
import { type Listened, type ListenOptions, listen, type Opened } from "./listen.ts";
import { type ListenOutput, summaryOf } from "./output.ts";
import { type RoutingChoice, routedTo } from "./target.ts";
import {
  makeTemporary,
  newTemporaryRouting,
  type Remainder,
  removeTemporary,
  type TemporaryContext,
  type TemporaryOptions,
  withTemporaryLock,
} from "./temporary-routing.ts";
import { assertKnownEvents, dataNotice, routedEvents } from "./wanted-events.ts";

/** The part of a command's context that `amp listen` uses; a project only for routing. */
export type RunListenContext = Omit<TemporaryContext, "project"> &
  Pick<CommandContext, "files"> & { requireProject(): string };

/** The options of `amp listen`. */
export interface RunListenOptions extends ListenOptions, TemporaryOptions, RoutingChoice {
  readonly secret: readonly SecretFrom[];
  readonly printSecret: boolean;
}

/** Listens, with a temporary routing where one is needed. */
export async function runListen(
  context: RunListenContext,
  options: RunListenOptions,
  output: ListenOutput & { isClosed: () => boolean },
): Promise<Listened> {
  if (!context.interactive && options.expect !== undefined && options.within === undefined) {
    context.report.warn("--expect has no time limit. In a script, add one, such as --within 5m.");
  }
  const given: string[] = [];
  for (const from of options.secret) {
    const secret = await readSigningSecret(from, context, { isShown: options.printSecret });
    given.push(secret.reveal());
  }
  const routed = routedTo(options, context.target);
  assertKnownEvents(context, options.events);
  let isRefusalExplained = false;
  const start = (routing?: Routing) =>
    listen(context, options, {
      isClosed: output.isClosed,
      onMessage: async (message) => {
        await output.message(message);
        const { signature, forward } = message;
        if (isRefusalExplained || !signature.valid || !forward || !isRefused(forward)) return;
        isRefusalExplained = true;
        context.report.notice(
          `The signature is valid, but the answer was ${forward.status}: ${refusalReason(secretInWords(options, routing))}`,
        );
      },
      open: (receiver) => open(context, options, { receiver, routing, given, output }),
    });
  const listened = await (routed === undefined
    ? start()
    : withRouting(context, options, routed, start));
  await output.end(listened.counts);
  context.report.notice(summaryOf(listened.counts));
  return listened;
}

/** The secret that messages are signed with, and how to see it. */
function secretInWords(
  { secret, printSecret }: Pick<RunListenOptions, "secret" | "printSecret">,
  routing: Routing | undefined,
): string {
  if (routing === undefined) return secret.length > 0 ? "--secret" : "that of this run";
  return `that of the temporary routing${printSecret ? "" : " (--print-secret shows it)"}`;
}

/** A temporary routing that is about to be made. */
interface Routing {
  readonly ports: TemporaryContext;
  readonly url: "own" | URL;
  readonly events: readonly string[];
  readonly temporary: ReturnType<typeof newTemporaryRouting>;
  readonly remainder: Remainder;
}

async function withRouting(
  context: RunListenContext,
  options: RunListenOptions,
  url: "own" | URL,
  work: (routing: Routing) => Promise<Listened>,
): Promise<Listened> {
  const ports = withProject(context);
  await cleanEarlier(ports, options);
  const temporary = newTemporaryRouting(context.now());
  const events = routedEvents(options.events);
  return withTemporaryLock(ports, temporary, async (remainder) => {
    const listened = await work({ ports, url, events, temporary, remainder });
    if (!remainder.mayExist) return listened;
    return { ...listened, error: leftError(temporary.name, listened.error) };
  });
}

/**
 * The end of a listener that could not take its routing away: a script must not go on as if it had,
 * whatever else it was waiting for.
 */
function leftError(name: string, other: AmpError | undefined): PartialError {
  const { detail, done, ...facts } = other?.facts ?? {};
  const also = [other?.message, detail, done].flatMap((text) => text?.replace(/\.$/u, "") ?? []);
  return new PartialError(`The temporary routing ${name} is still at the service`, {
    ...facts,
    ...(also.length > 0 && { detail: `${also.join(". ")}.` }),
    remedy: "When the service is reachable again, remove it:",
    suggestion: suggest("listen", [], { clean: true }),
  });
}

/** The context with the project that routing needs. */
export function withProject(context: RunListenContext): TemporaryContext {
  return derived(context, { project: context.requireProject() });
}

/** Makes what leads messages to a listener, and says where it listens. */
async function open(
  { report }: RunListenContext,
  { printSecret, forwardTo, events, expect, ...options }: RunListenOptions,
  parts: {
    readonly receiver: LocalServer;
    readonly routing: Routing | undefined;
    readonly given: readonly string[];
    readonly output: ListenOutput;
  },
): Promise<Opened> {
  const { receiver, routing, given, output } = parts;
  const { url } = receiver;
  if (routing === undefined) {
    const made = given.length > 0 ? [] : [Secret.published(newSigningSecret()).reveal()];
    const secrets = [...given, ...made];
    await output.ready({ url, ...(made.length > 0 || printSecret ? { secrets } : {}) });
    report.notice(`Listening on ${url}`);
    if (made.length > 0) report.notice(`Signing secret of this run: ${made[0]}`);
    tellRest();
    const from = secretWord(options.secret[0]);
    report.notice(
      made.length > 0 ? "To send a message, with the secret in a variable:" : "To send a message:",
      suggest("trigger", [events.find((one) => !one.includes("*")) ?? EXAMPLE], {
        to: url,
        secret: from,
      }),
    );
    return { secrets, hosts: [] };
  }
  const { ports, temporary } = routing;
  const publicUrl = routing.url === "own" ? url : routing.url.href;
  const to = { url: publicUrl, events: routing.events };
  const { remainder } = routing;
  const close = async () => {
    const isRemoved = await removeTemporary(ports, temporary, options);
    remainder.mayExist = !isRemoved;
    return isRemoved;
  };
  try {
    const secrets = await makeTemporary(ports, temporary, to, { ...options, remainder });
    const { name: routingName, expires } = temporary;
    await output.ready({
      url,
      ...(routing.url === "own" ? {} : { publicUrl }),
      routing: routingName,
      ...(printSecret ? { secrets } : {}),
    });
    report.notice(`Listening on ${url}${routing.url === "own" ? "" : `, reached by ${publicUrl}`}`);
    const until = `until ${expires.toISOString().slice(11, 16)} UTC at the latest`;
    const count = to.events.length;
    report.notice(
      count === 0
        ? `Temporary destination ${routingName}, ${until}`
        : `Temporary routing ${routingName} of ${counted(count, "event type")}, ${until}`,
    );
    const data = events.filter(isDataMessage);
    if (data.length > 0) report.notice(dataNotice(data, routingName));
    tellRest();
    if (routing.url === "own") {
      const [first = data[0] ?? EXAMPLE] = to.events;
      const event = to.events.includes(EXAMPLE) ? EXAMPLE : first;
      report.notice("In another terminal:", suggest("trigger", [event]));
    }
    return { secrets, hosts: [new URL(publicUrl).hostname], expires, close };
  } catch (error) {
    if (!remainder.mayExist) throw error;
    const isRemoved = await ports.protect(close());
    if (!(error instanceof AmpError)) throw error;
    if (!isRemoved) throw leftError(temporary.name, error);
    if (!(error instanceof PartialError)) throw error;
    const facts = {
      done: "The created resources were removed again.",
      remedy: "Correct the cause, and run the command again.",
    };
    const { status = 0 } = error.facts;
    // Nothing is partial any more: it is the refusal alone.
    if (status !== 400 && status !== 422) throw error.setFacts(facts);
    throw new RejectedError(error.message, { ...error.facts, ...facts }, { cause: error });
  }

  function tellRest(): void {
    if (forwardTo !== undefined) {
      const isNew = routing !== undefined && !printSecret;
      report.notice(
        `Forwarding to ${forwardTo.href}${isNew ? ". The signing secret is new in each run; --print-secret shows it." : ""}`,
      );
    }
    const wanted = events.length === 0 ? "" : ` for ${events.join(", ")}`;
    const limit =
      options.within === undefined
        ? ", with no time limit"
        : `, or after ${durationText(options.within)}`;
    const end =
      expect === undefined
        ? "Press Ctrl-C to stop."
        : `Ends after ${counted(expect, "message")}${limit}.`;
    report.notice(`Waiting${wanted}. ${end}`);
  }
}

/** The event that suggested commands let occur, if it is a wanted one. */
const EXAMPLE = "connection.error";

/** Where a suggested command has the secret from: what was typed, or a variable that is to be set. */
function secretWord(from: SecretFrom | undefined): string {
  if (from?.from === "file") return `@${from.path}`;
  return from?.from === "env" ? `env:${from.name}` : "env:SIGNING_SECRET";
}
