import { EVENT_TYPES } from "../../api/catalogue/events.ts";
import type { CommandContext } from "../../context/command-context.ts";
import { AmpError, isInterrupt, PartialError, signalError } from "../../errors.ts";
import { expandEvents } from "../../notify/model/names.ts";
import { planPage } from "../../notify/pages/plan.ts";
import type { StateOptions } from "../../notify/state/open-backend.ts";
import { derived } from "../../values/basics.ts";
import { counted } from "../../values/counted.ts";
import { inputErrors } from "../../values/errors.ts";
import { parseFilter } from "../../values/filter.ts";
import { formatFacts } from "../../values/setting.ts";
import { type SuggestedOptions, suggest } from "../../values/suggested-command.ts";
import { durationText } from "../../values/time.ts";
import { type Cell, toned } from "../../view/view.ts";
import { deliveryDocument } from "../delivery.ts";
import { eventErrors } from "../errors.ts";
import { assertKnownEvents } from "../known-events.ts";
import { isDataMessage } from "../message/payloads.ts";
import { DELIVERY_COLUMNS, type DeliveryLine, linesOf, reasonOf, signatureCell } from "../page.ts";
import { readSigningSecrets, type SecretFrom, secretOption } from "../receiver-options.ts";
import { type Listened, type ListenOptions, listen, type Opened } from "./listen.ts";
import { type OwnSecret, ownSecret } from "./own-secret.ts";
import type { ArrivedMessage, Counts } from "./receiver.ts";
import { type RoutingChoice, routedTo } from "./target.ts";
import {
  cleanEarlier,
  cleanUp,
  makeTemporary,
  newTemporaryRouting,
  planTemporary,
  type Remainder,
  removeTemporary,
  type TemporaryContext,
  withTemporaryLock,
} from "./temporary-routing.ts";

/** The part of a command's context that `amp listen` uses; a project only for routing. */
type ListenCommandContext = Omit<TemporaryContext, "project"> &
  Pick<CommandContext, "files" | "output"> & {
    requireProject(): string;
    write(chunk: string): Promise<void>;
    writeRow(cells: readonly Cell[], widths?: readonly number[]): Promise<void>;
    isOutputClosed(): boolean;
  };

interface RunListenOptions extends ListenOptions, StateOptions, RoutingChoice {
  readonly secret: readonly SecretFrom[];
  readonly printSecret: boolean;
  readonly verbose: boolean;
  /** The words of `--allow`. */
  readonly allow: readonly string[];
}

interface ListenCommandOptions extends Omit<RunListenOptions, "events" | "filters"> {
  readonly event: readonly string[];
}

/** Listeners that start or end together share the state, and each needs it for a moment. */
const LOCK_WAIT_MS = 20_000;

/**
 * Runs `amp listen`: cleans up, or listens.
 * @throws {AmpError} where what a script waits for did not come
 */
export async function runCommand(
  context: ListenCommandContext,
  typed: ListenCommandOptions,
): Promise<void> {
  const { output, now, interactive, report } = context;
  const filters = (output.query()?.filters ?? []).map((text) => parseFilter(text, now()));
  const events = typed.event.includes("all") ? [] : typed.event;
  const options = { ...typed, events, filters, lockWait: LOCK_WAIT_MS };
  if (options.clean) return clean(context, options);
  const written = createOutput(context, options);
  const routed = routedTo(options, context.target);
  if (context.dryRun && routed !== undefined) return showPlan(context, options, routed);
  if (!interactive && options.expect !== undefined && options.within === undefined) {
    report.warn("--expect has no time limit. In a script, add one, such as --within 5m.");
  }
  assertKnownEvents(context, options.events, options.allow);
  const { counts, error } = await (routed === undefined
    ? listenAlone(context, options, written)
    : listenRouted(context, options, written, routed));
  await written.end?.(counts);
  report.notice(summaryOf(counts));
  if (error !== undefined) throw error;
}

/** How a listener writes to standard output what it receives. */
interface ListenOutput {
  /** Called once, when messages can come. */
  ready(facts: ReadyFacts): Promise<void>;
  message(message: ArrivedMessage): Promise<void>;
  /** Called once, where there is more to write. */
  end?(counts: Readonly<Counts>): Promise<void>;
}

/** The facts that others need to reach a listener. */
interface ReadyFacts {
  readonly url: string;
  /** The URL that messages are sent to from elsewhere. */
  readonly publicUrl?: string | undefined;
  readonly routing?: string | undefined;
  /** The signing secrets, if requested or new. */
  readonly secrets?: readonly string[] | undefined;
}

function createOutput(
  { output, write, writeRow }: ListenCommandContext,
  { printSecret, verbose: withBody }: Pick<RunListenOptions, "printSecret" | "verbose">,
): ListenOutput {
  // A program of jq gets each document on its own, as it comes.
  const format = output.jq === undefined ? (output.format() ?? "table") : "ndjson";
  const line = (value: object) => write(`${JSON.stringify(value)}\n`);
  if (format === "ndjson") {
    return {
      ready: (facts) => line({ ready: true, ...facts }),
      message: (message) => line(deliveryDocument(message, { withBody })),
    };
  }
  if (format === "json") {
    // One document, which begins when messages can come, and has a line for each.
    let isFirst = true;
    return {
      ready: (facts) => write(`{"ready":true,${JSON.stringify(facts).slice(1, -1)},"messages":[`),
      message: async (message) => {
        const text = JSON.stringify(deliveryDocument(message, { withBody }));
        await write(`${isFirst ? "" : ","}\n${text}`);
        isFirst = false;
      },
      end: (counts) => write(`${isFirst ? "" : "\n"}],"counts":${JSON.stringify(counts)}}\n`),
    };
  }
  if (!formatFacts(format).isLive)
    throw inputErrors.format_not_supported("amp listen", format, "Use table, tsv, json or ndjson.");
  const isTerminal = output.forReading();
  return {
    ready: async ({ secrets = [] }) => {
      for (const secret of printSecret ? secrets : []) await writeRow(["secret", secret]);
    },
    message: async (message) => {
      for (const shown of linesOf(deliveryDocument(message, { withBody }))) {
        if (!isTerminal) await writeRow(pipeCells(shown));
        else {
          await writeRow(terminalCells(shown), WIDTHS);
          for (const cell of remarks(shown)) await writeRow(["", cell], WIDTHS.slice(0, 1));
        }
      }
    },
  };
}

const { Time, Event, Signature, Result, Reason, Took, Message } = DELIVERY_COLUMNS;

/** The least widths of time, event, signature and result on a terminal. */
const WIDTHS = [9, 18, 9, 13];

function terminalCells(line: DeliveryLine): Cell[] {
  const isValid = line.signature?.valid === true;
  const signature = isValid ? Signature(line) : toned("bad", "not valid");
  return [
    Time(line),
    Event(line) ?? "no event",
    signature,
    Result(line),
    Took(line),
    Message(line),
  ];
}

function pipeCells(line: DeliveryLine): Cell[] {
  const cells = [Time, Event, Signature, Result, Reason, Took].map((cellOf) => cellOf(line));
  return [...cells, line.id, ...(line.body === undefined ? [] : [JSON.stringify(line.body)])];
}

/** The lines for people below the row. */
function remarks(line: DeliveryLine): Cell[] {
  const { signature, destination, body } = line;
  const text = typeof body === "string" ? body : JSON.stringify(body, undefined, 2);
  const reason = reasonOf(line);
  return [
    ...(signature?.valid ? [] : [signatureCell(signature), ...(signature?.advice ?? [])]),
    ...(reason === "" ? [] : [toned("attention", `${destination}: ${reason}`)]),
    ...(body === undefined ? [] : text.split("\n")),
  ];
}

function summaryOf(counts: Readonly<Counts>): string {
  const { messages, invalid, notAccepted, others, refused } = counts;
  const parts = [
    // A message whose delivery is attempted again is counted again.
    counted(messages, "delivery attempt"),
    ...(invalid === 0 ? [] : [`${invalid} without a valid signature`]),
    ...(notAccepted === 0 ? [] : [`${notAccepted} not accepted by the application`]),
    ...(others === 0 ? [] : [`${others} filtered out`]),
    ...(refused === 0 ? [] : [`${refused} refused`]),
  ];
  return `${parts.join(", ")}.`;
}

function isJson(output: CommandContext["output"]): boolean {
  return output.jq !== undefined || formatFacts(output.format()).json !== undefined;
}

async function clean(context: ListenCommandContext, options: RunListenOptions): Promise<void> {
  const { report, write, output, dryRun } = context;
  const { removed, kept } = await cleanUp(withProject(context), { ...options, dryRun });
  if (isJson(output)) {
    const document = {
      [dryRun ? "wouldRemove" : "removed"]: removed,
      kept: kept.map(({ name, reason }) => ({ name, reason })),
    };
    return write(`${JSON.stringify(document)}\n`);
  }
  const done = dryRun ? "Would remove" : "Removed";
  for (const name of removed) await write(output.forReading() ? `${done} ${name}\n` : `${name}\n`);
  for (const { name, reason, isElsewhere } of kept) {
    report.notice(`${name} was not removed: ${reason}`);
    if (!isElsewhere) continue;
    report.notice(
      "To remove it now, if no listener uses it:",
      suggest("notify destinations delete", [name], { accept: "references" }),
    );
  }
  if (removed.length === 0) report.notice("Nothing to remove.");
}

async function showPlan(
  context: ListenCommandContext,
  options: RunListenOptions,
  routed: "own" | URL,
): Promise<void> {
  assertKnownEvents(context, options.events, options.allow);
  const url = routed === "own" ? `http://${options.host}:${options.port}` : routed.href;
  const to = { url, events: routedEvents(options.events) };
  const routing = newTemporaryRouting(context.now());
  const plan = await planTemporary(withProject(context), routing, to, options);
  if (isJson(context.output)) return context.write(`${JSON.stringify(plan)}\n`);
  context.report.page(planPage(plan));
}

/** Shows each message; explains once why an application refuses one whose signature is valid. */
function shownBy(
  { report, isOutputClosed }: ListenCommandContext,
  output: ListenOutput,
  own: OwnSecret | undefined,
) {
  const secret = own === undefined ? "--secret" : "that of this listener";
  let isExplained = false;
  return {
    isClosed: isOutputClosed,
    onMessage: async (message: ArrivedMessage) => {
      await output.message(message);
      const { signature, attempts } = message;
      const refused = attempts.find(({ url, status }) => url && (status === 401 || status === 403));
      if (isExplained || !signature.valid || refused === undefined) return;
      isExplained = true;
      report.notice(
        `The signature is valid, but the answer was ${refused.status}: the application may verify a body that was parsed and serialised again in place of the unchanged bytes, have another signing secret than ${secret}, or require a login or a CSRF token for this URL. amp webhooks test finds out which.`,
      );
    },
  };
}

/** The secrets of a listener: those of `--secret`, or else its own where it needs one. */
async function secretsOf(
  context: ListenCommandContext,
  { secret, printSecret: isShown }: RunListenOptions,
  needsOwn: boolean,
): Promise<{ readonly own: OwnSecret | undefined; readonly secrets: readonly string[] }> {
  const given = await readSigningSecrets(secret, context, { isShown });
  const own = needsOwn && given.length === 0 ? await ownSecret(context) : undefined;
  return { own, secrets: own === undefined ? given : [own.secret] };
}

/** Listens without a routing, for messages that are signed with a given secret or its own. */
async function listenAlone(
  context: ListenCommandContext,
  options: RunListenOptions,
  output: ListenOutput,
): Promise<Listened> {
  const { report } = context;
  const { own, secrets } = await secretsOf(context, options, true);
  return listen(context, options, {
    ...shownBy(context, output, own),
    open: async ({ url }) => {
      const isTold = own !== undefined || options.printSecret;
      await output.ready({ url, ...(isTold ? { secrets } : {}) });
      report.notice(`Listening on ${url}`);
      sayWaiting(report, options, own);
      report.notice(
        own === undefined
          ? "To send a message:"
          : "To send a message, with the secret in a variable:",
        suggest("trigger", [options.events.find((one) => !one.includes("*")) ?? EXAMPLE], {
          to: url,
          secret: secretOption(options.secret[0]) ?? "env:SIGNING_SECRET",
        }),
      );
      return { secrets, hosts: [] };
    },
  });
}

async function listenRouted(
  context: ListenCommandContext,
  options: RunListenOptions,
  output: ListenOutput,
  target: "own" | URL,
): Promise<Listened> {
  const ports = withProject(context);
  await cleanEarlier(ports, options);
  const temporary = newTemporaryRouting(context.now());
  const events = routedEvents(options.events);
  const { own, secrets } = await secretsOf(context, options, options.forwardTo !== undefined);
  return withTemporaryLock(ports, temporary, async (remainder) => {
    const routing = { ports, target, events, temporary, remainder, own, signWith: secrets };
    const listened = await listen(context, options, {
      ...shownBy(context, output, own),
      open: ({ url }) => openRouted(url, options, routing, output),
    });
    if (!remainder.mayExist) return listened;
    return { ...listened, error: leftError(temporary.name, listened.error) };
  });
}

function withProject(context: ListenCommandContext): TemporaryContext {
  return derived(context, { project: context.requireProject() });
}

interface Routing {
  readonly ports: TemporaryContext;
  readonly target: "own" | URL;
  readonly events: readonly string[];
  readonly temporary: ReturnType<typeof newTemporaryRouting>;
  readonly remainder: Remainder;
  /** The secrets that what is forwarded is signed with; those of a listener itself are shown. */
  readonly signWith: readonly string[];
  readonly own: OwnSecret | undefined;
}

/**
 * Makes the temporary routing that leads messages to a receiver.
 * @throws {AmpError} where it was not made; what was made of it is then removed
 */
async function openRouted(
  url: string,
  options: RunListenOptions,
  routing: Routing,
  output: ListenOutput,
): Promise<Opened> {
  const { ports, target, temporary, remainder, events, signWith } = routing;
  const { name: routed, expires } = temporary;
  const reached = target === "own" ? url : target.href;
  const isSignedAgain = signWith.length > 0;
  const close = async () => {
    const isRemoved = await removeTemporary(ports, temporary, options);
    if (isRemoved && remainder.mayExist)
      ports.report.notice(`Removed the temporary routing ${routed}.`);
    remainder.mayExist = !isRemoved;
    return isRemoved;
  };
  try {
    const to = { url: reached, events };
    const secrets = await makeTemporary(ports, temporary, to, { ...options, remainder });
    await output.ready({
      url,
      ...(target === "own" ? {} : { publicUrl: reached }),
      routing: routed,
      ...(options.printSecret ? { secrets: isSignedAgain ? signWith : secrets } : {}),
    });
    sayRouted(url, options, routing);
    return {
      secrets,
      ...(isSignedAgain ? { signWith } : {}),
      hosts: [new URL(reached).hostname],
      expires,
      close,
    };
  } catch (error) {
    if (!remainder.mayExist) throw error;
    const isRemoved = await ports.protect(close());
    if (!(error instanceof AmpError)) throw error;
    if (!isRemoved) throw leftError(routed, error);
    const done = "The created resources were removed again.";
    if (isInterrupt(error)) throw signalError(ports.signal.reason, { done });
    throw error instanceof PartialError ? removedError(error, done) : error;
  }
}

function sayRouted(
  url: string,
  options: RunListenOptions,
  { ports: { report, settings }, target, events, temporary: { name, expires }, own }: Routing,
): void {
  report.notice(`Listening on ${url}${target === "own" ? "" : `, reached by ${target.href}`}`);
  const what =
    events.length === 0
      ? `destination ${name}`
      : `routing ${name} of ${counted(events.length, "event type")}`;
  const until = expires.toISOString().slice(11, 16);
  report.notice(`Temporary ${what}, until ${until} UTC at the latest`);
  const data = options.events.filter(isDataMessage);
  if (data.length > 0) {
    // No topic routes data messages.
    report.notice(
      `${data.join(" and ")}: arrives only if the reads of an installation use ${name} as their destination. To receive what they send now, set the URL of their current destination to this listener, and run amp listen --local with its secret.`,
    );
  }
  sayWaiting(report, options, own);
  if (target !== "own") return;
  const [first = data[0] ?? EXAMPLE] = events;
  const event = events.includes(EXAMPLE) ? EXAMPLE : first;
  report.notice("In another terminal:", suggest("trigger", [event], targetOf(settings)));
}

/** The target of this listener in the words of a shell that has not its variables. */
function targetOf({ get }: TemporaryContext["settings"]): SuggestedOptions {
  const outside = (name: "profile" | "baseUrl" | "project") => {
    const { place, value } = get(name) ?? {};
    return place === "variable" || place === "project file" ? value : undefined;
  };
  // A sandbox has that key, which a variable may have had.
  const hasKey = get("apiKey") !== undefined || get("accessToken") !== undefined;
  return {
    profile: outside("profile") ?? (hasKey ? "sandbox" : undefined),
    baseUrl: outside("baseUrl"),
    project: outside("project"),
  };
}

/** Says where messages go, the secret that an application needs, and what ends the listener. */
function sayWaiting(
  report: CommandContext["report"],
  { forwardTo, secret: [given], events, expect, within }: RunListenOptions,
  own: OwnSecret | undefined,
): void {
  if (forwardTo !== undefined) {
    const signed = given === undefined ? "" : ", signed with --secret";
    report.notice(`Forwarding to ${forwardTo.href}${signed}`);
  }
  if (own !== undefined) report.notice(`Signing secret: ${own.secret} (${own.runs})`);
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
function removedError(error: PartialError, done: string): AmpError {
  const facts = { done, remedy: "Correct the cause, and run the command again." };
  const { status = 0 } = error.facts;
  if (status !== 400 && status !== 422) return error.setFacts(facts);
  // Nothing is partial any more: it is the refusal alone.
  return eventErrors.listen_routing_refused(error.message, { ...error.facts, ...facts }, error);
}

/**
 * The end of a listener that could not take its routing away: a script must not go on as if it had,
 * whatever else it was waiting for.
 */
function leftError(name: string, other: AmpError | undefined): PartialError {
  const { detail, done, ...facts } = other?.facts ?? {};
  const also = [other?.message, detail, done].flatMap((text) => text?.replace(/\.$/u, "") ?? []);
  return eventErrors.listen_routing_left(name, {
    ...facts,
    ...(also.length > 0 && { detail: `${also.join(". ")}.` }),
  });
}

/** The event that suggested commands let occur, if it is a wanted one. */
const EXAMPLE = "connection.error";

/** The event types that a topic can have; all, if none are requested. */
function routedEvents(events: readonly string[]): readonly string[] {
  if (events.length === 0) return EVENT_TYPES;
  return expandEvents(events.filter((event) => !isDataMessage(event)));
}
