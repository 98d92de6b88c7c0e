import type { CommandContext } from "../context/command-context.ts";
import { readSigningSecret } from "../events/secret-from.ts";
import { derived } from "../values/derived.ts";
import { cleanEarlier } from "./clean-up.ts";
import { isRefused, refusalReason } from "./forward.ts";
import { type Listened, listen } from "./listen.ts";
import { leftError, openAlone, openRouted, type Routing, type RunListenOptions } from "./open.ts";
import { type ListenOutput, summaryOf } from "./output.ts";
import { routedTo } from "./target.ts";
import {
  newTemporaryRouting,
  type TemporaryContext,
  withTemporaryLock,
} from "./temporary-routing.ts";
import { assertKnownEvents, routedEvents } from "./wanted-events.ts";

/** The part of a command's context that `amp listen` uses; a project only for routing. */
export type RunListenContext = Omit<TemporaryContext, "project"> &
  Pick<CommandContext, "files"> & { requireProject(): string };

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
      open: (receiver) => {
        const opening = { receiver, report: context.report, output };
        return routing === undefined
          ? openAlone(opening, options, given)
          : openRouted(opening, options, routing);
      },
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

/** The context with the project that routing needs. */
export function withProject(context: RunListenContext): TemporaryContext {
  return derived(context, { project: context.requireProject() });
}
