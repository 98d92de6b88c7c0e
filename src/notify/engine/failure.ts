import {
  AmpError,
  type ErrorFacts,
  InterruptedError,
  PartialError,
  TerminatedError,
} from "../../errors.ts";
import { durationText } from "../../values/duration.ts";
import type { Address } from "../model/address.ts";
import { importCommand, resolveCommands } from "../state/edit.ts";
import type { FailedResource } from "./outcomes.ts";
import { deletedDocument, type OutcomeDocument, outcomeDocument } from "./receipt.ts";
import { commitDeadlineOf, type Run } from "./run.ts";
import type { ResourceOutcome } from "./types.ts";

/**
 * The error for a run that ended early: it names what is in place, what failed and what is
 * unknown.
 * @param addresses the resources to send or look up
 * @param total number of resources that should be in place at the end
 */
export async function failedRunError(
  run: Run,
  addresses: readonly Address[],
  total: number,
): Promise<AmpError> {
  const { ports, outcomes } = run;
  await outcomes.saveRescued();
  const failure = runFailure(run, addresses);
  const { settled, failed, unknown, rescued, deleted } = failure;
  const facts = { ...describeFailure(failure), data: dataOf(failure) };
  if (ports.signal.aborted) {
    return ports.signal.reason === "SIGTERM" || ports.signal.reason === "SIGHUP"
      ? new TerminatedError("Terminated", facts)
      : new InterruptedError("Interrupted", facts);
  }
  const saving = rescued[0]?.rescue.error ?? outcomes.trouble;
  const cause = failed[0]?.error ?? unknown[0]?.error ?? saving;
  // This run, or a killed one before it, created something.
  const changed =
    settled.some(({ outcome }) => outcome === "created" || outcome === "reconciled") ||
    deleted.length > 0;
  const isCertain = !changed && unknown.length + rescued.length === 0;
  if (isCertain && cause instanceof AmpError) {
    return cause.addFacts({ ...facts, data: { ...cause.facts.data, ...facts.data } });
  }
  return partialError(failure, total, cause, facts);
}

/** A run that ended early, as data. */
type Failure = ReturnType<typeof runFailure>;

function runFailure(run: Run, addresses: readonly Address[]) {
  const { ports, outcomes, manager } = run;
  const { settled, failed, rescued, deleted } = outcomes;
  const now = ports.now();
  const unknown = [...outcomes.unknown.values()].map((one) => {
    const left = commitDeadlineOf(run, one.address) - ports.elapsed();
    // The saved one is by the clock of an earlier run, which may differ from this one.
    return { ...one, horizon: new Date(now.getTime() + left).toISOString() };
  });
  const seen = new Set(
    [...settled, ...failed, ...deleted, ...unknown].map(({ address }) => address),
  );
  const notTried = addresses.filter((address) => !seen.has(address));
  const { lists = false } = manager.state;
  return { settled, failed, unknown, rescued, deleted, notTried, lists, now };
}

function partialError(
  failure: Failure,
  total: number,
  cause: unknown,
  facts: ErrorFacts,
): PartialError {
  const { settled, unknown, rescued } = failure;
  const why =
    cause instanceof Error ? decapitalised(cause.message) : "an earlier run did not finish";
  const own = cause instanceof AmpError ? cause.facts : {};
  const inPlace = settled.filter(({ outcome }) => outcome !== "absent").length;
  const open = unknown.filter(({ created }) => !created).length;
  const noId = unknown.length - open;
  const stopped =
    unknown.length > 0
      ? [
          ...(open > 0 ? [`${open} ${open === 1 ? "outcome" : "outcomes"} unknown`] : []),
          ...(noId > 0 ? [`${noId} ${noId === 1 ? "ID" : "IDs"} unknown`] : []),
        ].join(", ")
      : rescued.length > 0
        ? `${rescued.length} not saved`
        : "then the run stopped";
  return new PartialError(
    `${inPlace} of ${total} in place, ${stopped}: ${why}`,
    {
      ...own,
      ...facts,
      remedy: [own.remedy, facts.remedy].filter(Boolean).join(" "),
      suggestion: [own.suggestion ?? [], facts.suggestion ?? []].flat(),
      data: { ...own.data, ...facts.data },
    },
    { cause },
  );
}

function dataOf({ settled, failed, unknown, rescued, deleted, notTried }: Failure) {
  return {
    settled: [...settled.map(outcomeDocument), ...deleted.map(deletedDocument)].map(
      ({ address, outcome, earlier, id, requestId }: OutcomeDocument) => {
        return { address, outcome, earlier, id, requestId };
      },
    ),
    failed: failed.map(({ address, error }) => {
      const message = error instanceof Error ? error.message : String(error);
      return { address, outcome: "failed", message, ...requestFacts(error) };
    }),
    unknown: unknown.map(({ address, ids, created, error, horizon }) => {
      const commands = resolveCommands(address, { ids, created });
      const outcome = "unknown";
      return { address, outcome, created, horizon, ids, ...requestFacts(error), commands };
    }),
    ...(rescued.length === 0
      ? {}
      : {
          rescued: rescued.map(({ address, id, rescue: { where } }) => {
            return { address, id, where, command: importCommand(address, id) };
          }),
        }),
    notTried,
  };
}

function requestFacts(error: unknown) {
  const { status, requestId }: ErrorFacts = error instanceof AmpError ? error.facts : {};
  return { status, requestId };
}

/** The message as part of a sentence; a name in capitals is kept. */
function decapitalised(message: string): string {
  return /^\p{Lu}\p{Ll}/u.test(message) || /^A /u.test(message)
    ? message.charAt(0).toLowerCase() + message.slice(1)
    : message;
}

/** Maximum lines of a block on the screen; the data has all. */
const MAX_LINES = 20;

/** Describes what exists now and what does not, and how to continue. */
function describeFailure(failure: Failure): Pick<ErrorFacts, "done" | "remedy" | "suggestion"> {
  const { settled, failed, unknown, rescued, deleted, notTried } = failure;
  const created = settled.filter(({ outcome }) => outcome === "created");
  const found = settled.filter(({ outcome }) => outcome === "reconciled");
  const something = created.length + found.length + unknown.length + rescued.length > 0;
  const changed = something || deleted.length > 0;
  // A single refusal is in the first line of the error already.
  const refused = changed || failed.length > 1 ? failed : [];
  const done = [
    ...(something ? [] : ["Nothing was created."]),
    ...block("Created:", created.map(addressAndId)),
    ...block("Created by an earlier attempt:", found.map(addressAndId)),
    ...block("Deleted:", deleted.map(addressAndId)),
    ...block("Not created:", refused.filter(({ isDelete }) => !isDelete).map(withReason)),
    ...block("Not deleted:", refused.filter(({ isDelete }) => isDelete).map(withReason)),
    ...block(
      "Created, ID unknown:",
      unknown.flatMap(({ address, created: isCreated }) => (isCreated ? address : [])),
    ),
    ...block(
      "May exist; not sent again:",
      unknown.flatMap(({ address, created: isCreated }) => (isCreated ? [] : address)),
    ),
    ...block("Not saved in the state:", rescued.map(addressAndId)),
    ...block("Not tried:", changed ? notTried : []),
  ].join("\n");
  const commands = [
    ...rescued.map(({ address, id }) => importCommand(address, id)),
    ...unknown.slice(0, MAX_LINES).flatMap((one) => resolveCommands(one.address, one)),
  ];
  return {
    done,
    ...remedyOf(failure, changed),
    ...(commands.length === 0 ? {} : { suggestion: commands }),
  };
}

function remedyOf(
  { unknown, rescued, failed, notTried, lists, now }: Failure,
  changed: boolean,
): ErrorFacts {
  if (rescued.length > 0) {
    return { remedy: "Make sure that the state can be saved, then add these resources to it." };
  }
  if (lists && unknown.length > 0)
    return { remedy: "Run the command again: it looks for them first." };
  if (unknown.length > 0) {
    const record = "then run this one again.";
    if (unknown.every(({ created }) => created)) {
      return {
        remedy: `Check at the service which ID it has, record it with this command, ${record}`,
      };
    }
    const last = unknown.map(({ horizon }) => horizon).reduce((a, b) => (a > b ? a : b));
    return {
      remedy: `${checkAfter(new Date(last), now)} at the service whether it exists, record the result with one of these commands, ${record}`,
    };
  }
  // What the service refused at once would be refused again.
  const canContinue = failed.length > 0 ? changed : notTried.length > 0;
  return canContinue ? { remedy: "Run the same command again to continue." } : {};
}

/** The words `After 12:00:15 UTC (in 15 s), check`; only `Check` once that time is past. */
function checkAfter(time: Date, now: Date): string {
  const left = time.getTime() - now.getTime();
  if (left <= 0) return "Check";
  // The time is rounded up: without the fraction of a second it would be too early.
  const [day, clock] = new Date(time.getTime() + 999).toISOString().split(/[T.]/u);
  const isToday = now.toISOString().startsWith(`${day}T`);
  return `After ${isToday ? "" : `${day} `}${clock} UTC (in ${durationText(left)}), check`;
}

function addressAndId({ address, id }: Pick<ResourceOutcome, "address" | "id">): string {
  return `${address}  ${id}`;
}

function withReason({ address, error }: FailedResource): string {
  return error instanceof AmpError ? `${address}: ${error.message}` : address;
}

function block(heading: string, lines: readonly string[]): string[] {
  if (lines.length === 0) return [];
  const more = lines.length - MAX_LINES;
  const shown = more > 1 ? [...lines.slice(0, MAX_LINES), `and ${more} more`] : lines;
  return [heading, ...shown.map((line) => `  ${line}`)];
}
