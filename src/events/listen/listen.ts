import { lookup } from "node:dns/promises";
import { type FileHandle, open } from "node:fs/promises";
import { BlockList } from "node:net";
import { networkInterfaces } from "node:os";
import { resolve } from "node:path";
import type { CommandContext } from "../../context/command-context.ts";
import { refuseLink } from "../../durable/write-file.ts";
import { type AmpError, stops, UsageError } from "../../errors.ts";
import { DEADLINE, whenAborted } from "../../runtime/end-process.ts";
import { fsReason } from "../../runtime/fs-reason.ts";
import type { LocalServer } from "../../runtime/local-server.ts";
import { counted } from "../../values/counted.ts";
import { inputErrors } from "../../values/errors.ts";
import { durationText } from "../../values/time.ts";
import { captureLine } from "../capture.ts";
import type { Delivery } from "../delivery.ts";
import { eventErrors } from "../errors.ts";
import {
  type ArrivedMessage,
  type Counts,
  createSession,
  isNotAccepted,
  type ReceptionOptions,
  startReceiver,
} from "./receiver.ts";

type ListenContext = Pick<CommandContext, "environment" | "now" | "protect" | "report" | "signal">;

/** The options of a listener: its actions, and its end. */
export interface ListenOptions
  extends Pick<ReceptionOptions, "events" | "filters" | "forwardTo" | "respond"> {
  readonly host: string;
  readonly port: number;
  /** The path of the file that messages are added to. */
  readonly save?: string | undefined;
  /** Ends once so many messages with a valid signature came. */
  readonly expect?: number | undefined;
  /** The time for that, in milliseconds. */
  readonly within?: number | undefined;
}

interface ListenEvents {
  /**
   * Called when the server listens: makes what leads messages to it.
   * @returns the secrets that messages are signed with, and what takes it away again
   */
  readonly open: (receiver: LocalServer) => Promise<Opened>;
  readonly onMessage: (message: ArrivedMessage) => Promise<void>;
  /** Whether the reader of the output is gone. */
  readonly isClosed: () => boolean;
}

/** The route of messages to a listener. */
export interface Opened {
  readonly secrets: readonly string[];
  readonly signWith?: readonly string[];
  /** The hosts by which others reach this machine. */
  readonly hosts: readonly string[];
  /** When it is to be closed at the latest. */
  readonly expires?: Date | undefined;
  readonly close?: (() => Promise<unknown>) | undefined;
}

/** The messages that a listener saw, in counts. */
export interface Listened {
  readonly counts: Readonly<Counts>;
  /** Why it ended, where it is an error for a script. */
  readonly error?: AmpError | undefined;
}

/**
 * Listens until a signal, or until what is expected has come. What was opened is closed.
 * @throws {ConflictError} where the port is in use
 * @throws {UsageError} where the file cannot be written, or messages are forwarded to this listener
 */
export async function listen(
  context: ListenContext,
  options: ListenOptions,
  events: ListenEvents,
): Promise<Listened> {
  const { report, now, environment, protect } = context;
  const { host, port, save } = options;
  const file = save === undefined ? undefined : await openSave(environment.cwd, save);
  // Requests that come before all is open wait for it.
  const ready = Promise.withResolvers<ReturnType<typeof createSession>>();
  ready.promise.catch(() => {});
  try {
    const receiver = await startReceiver({
      host,
      port,
      now,
      handle: async (request) => (await ready.promise).handle(request),
      onRefused: ({ status, reason }) => report.warn(`Refused a request (${status}): ${reason}`),
    });
    let opened: Opened | undefined;
    try {
      await refuseOwnAddress(options.forwardTo, receiver);
      opened = await events.open(receiver);
      const saving = file && saver(file, report);
      return await untilEnd(
        context,
        { ...options, ...opened, save: saving },
        events,
        ready.resolve,
      );
    } finally {
      ready.reject(eventErrors.listen_stopped());
      // The routes are removed first: the platform would deliver to a closed port.
      await protect((opened?.close?.() ?? Promise.resolve()).finally(receiver.close));
    }
  } finally {
    await file?.close();
  }
}

/** Refuses a URL by which a message would come back to the listener, whatever name its host has. */
async function refuseOwnAddress(url: URL | undefined, { port }: LocalServer): Promise<void> {
  const usual = url?.protocol === "https:" ? "443" : "80";
  if (url === undefined || (url.port || usual) !== String(port)) return;
  const own = new BlockList();
  own.addSubnet("127.0.0.0", 8);
  own.addAddress("0.0.0.0");
  for (const address of ["::", "::1"]) own.addAddress(address, "ipv6");
  for (const { address, family } of Object.values(networkInterfaces()).flatMap((all) => all ?? []))
    own.addAddress(address, family === "IPv6" ? "ipv6" : "ipv4");
  // A name that cannot be resolved now is not a way back either.
  const found = await lookup(url.hostname.replace(/^\[|\]$/gu, ""), { all: true }).catch(() => []);
  if (found.some(({ address, family }) => own.check(address, family === 6 ? "ipv6" : "ipv4")))
    throw eventErrors.forward_to_itself(url.origin, port);
}

type End = "met" | "time" | "stopped" | "expired";

async function untilEnd(
  { report, signal, now }: ListenContext,
  options: Omit<ListenOptions, "save"> & Opened & Pick<ReceptionOptions, "save">,
  { onMessage, isClosed }: ListenEvents,
  begin: (session: ReturnType<typeof createSession>) => void,
): Promise<Listened> {
  const { expect, within, expires } = options;
  const end = Promise.withResolvers<End>();
  const stop = () => end.resolve("stopped");
  const after = (ms: number | undefined, why: End) =>
    ms === undefined ? undefined : setTimeout(() => end.resolve(why), ms);
  let notAccepted = 0;
  let left = expect ?? Number.POSITIVE_INFINITY;
  const session = createSession({
    ...options,
    signal,
    onMessage: async (message) => {
      await onMessage(message);
      if (message.signature.valid) {
        left -= 1;
        if (isNotAccepted(message)) notAccepted += 1;
      }
      if (left === 0) end.resolve("met");
      else if (isClosed()) stop();
    },
    onRefused: (reason) => report.warn(`Refused a request: ${reason}`),
  });
  begin(session);
  const timers = [
    after(within, "time"),
    after(expires && Math.max(0, expires.getTime() - now().getTime()), "expired"),
  ];
  whenAborted(signal, stop);
  const why = await end.promise;
  for (const timer of timers) clearTimeout(timer);
  signal.removeEventListener("abort", stop);
  const { counts } = session;
  // All that was expected came, but the application did not accept all of it.
  const isUnaccepted = why === "met" && notAccepted > 0;
  const error = isUnaccepted
    ? eventErrors.messages_not_accepted(notAccepted, counted(expect ?? 0, "expected message"))
    : errorOf(why, signal, options, counts);
  return { counts, error };
}

function errorOf(
  why: End,
  { reason }: AbortSignal,
  { expect, within = 0 }: Pick<ListenOptions, "expect" | "within">,
  { messages, invalid }: Readonly<Counts>,
): AmpError | undefined {
  if (why === "met") return undefined;
  const came =
    expect === undefined ? "" : `${messages - invalid} of ${expect} expected messages arrived`;
  const unsigned = invalid === 0 ? "" : `; ${invalid} more had no valid signature`;
  if (why === "expired") {
    const detail = expect === undefined ? undefined : `${came}${unsigned}.`;
    return eventErrors.listen_routing_expired(detail);
  }
  if (why === "time") {
    return eventErrors.messages_late(`${came} within ${durationText(within)}${unsigned}`);
  }
  if (expect === undefined) {
    // Who stops what has no other end has not interrupted anything.
    return reason === DEADLINE ? stops.interrupted() : undefined;
  }
  return stops.interrupted().setFacts({ done: `${came}${unsigned}.` });
}

async function openSave(cwd: string, path: string): Promise<FileHandle> {
  try {
    await refuseLink(resolve(cwd, path), path);
    // Messages may have data of customers.
    return await open(resolve(cwd, path), "a", 0o600);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw inputErrors.file_unusable("write", path, fsReason(error), error);
  }
}

/** Adds messages to a file in their order. A full disk is reported once, and stops nothing. */
function saver(
  file: FileHandle,
  report: ListenContext["report"],
): (message: Delivery) => Promise<void> {
  let last: Promise<unknown> = Promise.resolve();
  let isBroken = false;
  return async (message) => {
    const write = last.then(() => file.appendFile(captureLine(message)));
    last = write.catch((error: unknown) => {
      if (!isBroken) report.warn(`Cannot save the messages: ${fsReason(error)}`);
      isBroken = true;
    });
    await last;
  };
}
