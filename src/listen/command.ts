import type { CommandContext } from "../context/command-context.ts";
import { UsageError } from "../errors.ts";
import { readSigningSecrets } from "../events/receiver-options.ts";
import { planPage } from "../notify/pages/plan.ts";
import { derived } from "../values/basics.ts";
import { parseFilter } from "../values/filter.ts";
import { suggest } from "../values/suggested-command.ts";
import type { Cell } from "../view/view.ts";
import { cleanEarlier, cleanUp } from "./clean-up.ts";
import { isRefused, refusalReason } from "./forward.ts";
import { type Listened, listen } from "./listen.ts";
import { leftError, openAlone, openRouted, type Routing, type RunListenOptions } from "./open.ts";
import { createListenOutput, type ListenOutput, summaryOf } from "./output.ts";
import { assertKnownEvents, routedEvents, routedTo } from "./target.ts";
import {
  newTemporaryRouting,
  planTemporary,
  type TemporaryContext,
  withTemporaryLock,
} from "./temporary-routing.ts";

/** The part of a command's context that `amp listen` uses; a project only for routing. */
export type ListenCommandContext = Omit<TemporaryContext, "project"> &
  Pick<CommandContext, "files" | "output"> & {
    requireProject(): string;
    write(chunk: string): Promise<void>;
    writeRow(cells: readonly Cell[], widths?: readonly number[]): Promise<void>;
    isOutputClosed(): boolean;
  };

/** The options of `amp listen` as they are typed. */
export interface ListenCommandOptions extends Omit<RunListenOptions, "events" | "filters"> {
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
  const { output, now } = context;
  const filters = (output.query()?.filters ?? []).map((text) => parseFilter(text, now()));
  const events = typed.event.includes("all") ? [] : typed.event;
  const options = { ...typed, events, filters, lockWait: LOCK_WAIT_MS };
  if (options.clean) return clean(context, options);
  const written = outputOf(context, options);
  const routed = routedTo(options, context.target);
  if (context.dryRun && routed !== undefined) return showPlan(context, options, routed);
  const { error } = await runListen(context, options, written);
  if (error !== undefined) throw error;
}

function outputOf(
  context: ListenCommandContext,
  { printSecret }: Pick<ListenCommandOptions, "printSecret">,
): ListenOutput {
  // A program of jq gets each document on its own, as it comes.
  const format = context.output.jq === undefined ? (context.output.format() ?? "table") : "ndjson";
  if (!["table", "tsv", "json", "ndjson"].includes(format)) {
    throw new UsageError(`amp listen does not support --output ${format}`, {
      remedy: "Use table, tsv, json or ndjson.",
      done: "Nothing was sent.",
    });
  }
  return createListenOutput(format, context, { isTty: context.output.forReading(), printSecret });
}

function isJson(output: CommandContext["output"]): boolean {
  return output.jq !== undefined || ["json", "ndjson"].includes(output.format() ?? "");
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
  assertKnownEvents(context, options.events);
  const url = routed === "own" ? `http://${options.host}:${options.port}` : routed.href;
  const to = { url, events: routedEvents(options.events) };
  const routing = newTemporaryRouting(context.now());
  const plan = await planTemporary(withProject(context), routing, to, options);
  if (isJson(context.output)) return context.write(`${JSON.stringify(plan)}\n`);
  context.report.page(planPage(plan));
}

/** Listens, with a temporary routing where one is needed. */
async function runListen(
  context: ListenCommandContext,
  options: RunListenOptions,
  output: ListenOutput,
): Promise<Listened> {
  if (!context.interactive && options.expect !== undefined && options.within === undefined) {
    context.report.warn("--expect has no time limit. In a script, add one, such as --within 5m.");
  }
  const isShown = options.printSecret;
  const given = await readSigningSecrets(options.secret, context, { isShown });
  const routed = routedTo(options, context.target);
  assertKnownEvents(context, options.events);
  let isRefusalExplained = false;
  const start = (routing?: Routing) =>
    listen(context, options, {
      isClosed: context.isOutputClosed,
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
  context: ListenCommandContext,
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

function withProject(context: ListenCommandContext): TemporaryContext {
  return derived(context, { project: context.requireProject() });
}
