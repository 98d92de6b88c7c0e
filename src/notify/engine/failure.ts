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
import { saveRescued } from "./outcomes.ts";
import type { FailedResource, ResourceOutcome, Run, RunOutcomes, UnknownOutcome } from "./types.ts";

/** What a run set out to do. */
export interface RunGoal {
  /** All that is to be in place at the end. */
  readonly total: number;
  /** What was to be sent, or looked up, and has not come to anything yet. */
  readonly addresses: readonly Address[];
}

/** A run that has come to its end early, as data. */
export interface Failure extends Pick<RunOutcomes, "settled" | "failed" | "rescued" | "deleted"> {
  readonly unknown: readonly UnknownOutcome[];
  readonly notTried: readonly Address[];
  /** Whether the service lists what exists. */
  readonly lists: boolean;
  readonly now: Date;
}

/** The error for a run that ends early: what is in place, what failed, what nobody knows. */
export async function failureOf(run: Run, aim: RunGoal): Promise<AmpError> {
  await saveRescued(run);
  const { ports, outcomes, manager } = run;
  const { settled, failed, rescued, deleted } = outcomes;
  const unknown = [...outcomes.unknown.values()].map((one) => ({
    ...one,
    horizon: manager.state.pending.get(one.address)?.horizon,
  }));
  const seen = new Set<Address>([
    ...settled.map(({ address }) => address),
    ...failed.map(({ address }) => address),
    ...deleted.map(({ address }) => address),
    ...outcomes.unknown.keys(),
  ]);
  const notTried = aim.addresses.filter((address) => !seen.has(address));
  const lists = manager.state.lists === true;
  const ended: Failure = {
    settled,
    failed,
    unknown,
    rescued,
    deleted,
    notTried,
    lists,
    now: ports.now(),
  };
  const facts = { ...describeFailure(ended), data: dataOf(ended) };
  if (ports.signal.aborted) {
    return ports.signal.reason === "SIGTERM" || ports.signal.reason === "SIGHUP"
      ? new TerminatedError("Terminated", facts)
      : new InterruptedError("Interrupted", facts);
  }
  const saving = rescued[0]?.rescue.error ?? outcomes.trouble;
  const cause = failed[0]?.error ?? unknown[0]?.error ?? saving;
  const changed = settled.some(isChange) || deleted.length > 0;
  const isCertain = !changed && unknown.length + rescued.length === 0;
  if (isCertain && cause instanceof AmpError) {
    return cause.with({ ...facts, data: { ...cause.facts.data, ...facts.data } });
  }
  return partialError(ended, aim.total, cause, facts);
}

function partialError(
  ended: Failure,
  total: number,
  cause: unknown,
  facts: ErrorFacts,
): PartialError {
  const { settled, unknown, rescued } = ended;
  const why = cause instanceof Error ? decapitalised(cause.message) : "left open by an earlier run";
  const own = cause instanceof AmpError ? cause.facts : {};
  const inPlace = settled.filter(({ outcome }) => outcome !== "absent").length;
  const stopped =
    unknown.length > 0
      ? `${unknown.length} ${unknown.length === 1 ? "outcome" : "outcomes"} unknown`
      : rescued.length > 0
        ? `${rescued.length} not saved`
        : "then it stopped";
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

/** It was not there before this run, or before the one that was cut off. */
function isChange({ outcome }: ResourceOutcome): boolean {
  return outcome === "created" || outcome === "reconciled";
}

function dataOf({ settled, failed, unknown, rescued, deleted, notTried }: Failure) {
  return {
    settled: settled.map(({ address, outcome, id, requestId }) => ({
      address,
      outcome,
      ...(id === undefined ? {} : { id }),
      ...(requestId === undefined ? {} : { requestId }),
    })),
    failed: failed.map(failedFacts),
    unknown: unknown.map(({ address, ids, error, horizon }) => ({
      address,
      ...(horizon === undefined ? {} : { horizon }),
      ...(ids === undefined ? {} : { ids }),
      ...requestFacts(error),
      commands: resolveCommands(address, ids),
    })),
    ...(rescued.length === 0
      ? {}
      : {
          rescued: rescued.map(({ address, id, rescue: { where } }) => ({
            address,
            id,
            ...(where === undefined ? {} : { where }),
            command: importCommand(address, id),
          })),
        }),
    ...(deleted.length === 0 ? {} : { deleted }),
    notTried,
  };
}

function failedFacts({ address, error }: FailedResource) {
  const message = error instanceof Error ? error.message : String(error);
  return { address, message, ...requestFacts(error) };
}

function requestFacts(error: unknown) {
  if (!(error instanceof AmpError)) return {};
  const { status, requestId } = error.facts;
  return {
    ...(status === undefined ? {} : { status }),
    ...(requestId === undefined ? {} : { requestId }),
  };
}

/** As a part of a sentence; a name in capitals stays one. */
function decapitalised(message: string): string {
  return /^\p{Lu}\p{Ll}/u.test(message) || /^A /u.test(message)
    ? message.charAt(0).toLowerCase() + message.slice(1)
    : message;
}

/** Lines of one kind on a screen; the data has all. */
const MAX_LINES = 20;

/** What exists now and what does not, and how to go on, in words. */
export function describeFailure(
  ended: Failure,
): Pick<ErrorFacts, "done" | "remedy" | "suggestion"> {
  const { settled, failed, unknown, rescued, deleted, notTried } = ended;
  const created = settled.filter(({ outcome }) => outcome === "created");
  const found = settled.filter(({ outcome }) => outcome === "reconciled");
  const something = created.length + found.length + unknown.length + rescued.length > 0;
  const changed = something || deleted.length > 0;
  // A lone refusal is told in the first line.
  const refused = changed || failed.length > 1 ? failed : [];
  const done = [
    ...(something ? [] : ["Nothing was created."]),
    ...block("Created:", created.map(addressAndId)),
    ...block("Found, of an earlier attempt:", found.map(addressAndId)),
    ...block("Deleted:", deleted.map(addressAndId)),
    ...block("Not created:", refused.filter(({ isDelete }) => !isDelete).map(withReason)),
    ...block("Not deleted:", refused.filter(({ isDelete }) => isDelete).map(withReason)),
    ...block(
      "May exist, and was not sent again:",
      unknown.map(({ address }) => address),
    ),
    ...block("Not saved:", rescued.map(addressAndId)),
    ...block("Not tried:", changed ? notTried : []),
  ].join("\n");
  const commands = [
    ...rescued.map(({ address, id }) => importCommand(address, id)),
    ...unknown.slice(0, MAX_LINES).flatMap(({ address, ids }) => resolveCommands(address, ids)),
  ];
  return {
    done,
    ...remedyOf(ended, changed),
    ...(commands.length === 0 ? {} : { suggestion: commands }),
  };
}

function remedyOf({ unknown, rescued, failed, lists, now }: Failure, changed: boolean): ErrorFacts {
  if (rescued.length > 0) {
    return { remedy: "Make sure that the state can be saved, then add these resources to it." };
  }
  if (lists && unknown.length > 0) return { remedy: "Running the same again looks for it first." };
  if (unknown.length > 0) {
    const last = unknown.map(({ horizon = "" }) => horizon).reduce((a, b) => (a > b ? a : b));
    const when = last === "" ? "" : notBefore(new Date(last), now);
    return {
      remedy: `Look at the service${when} whether it exists, say so, and run the same again.`,
    };
  }
  if (!changed || failed.length === 0) return {};
  return { remedy: "Running the same again goes on from here." };
}

/** `, not before 12:00:15 UTC (in 15 s),`; nothing once that is past. */
function notBefore(time: Date, now: Date): string {
  const left = time.getTime() - now.getTime();
  if (left <= 0) return "";
  // Cut off, the fraction of a second would be too early.
  const [day, clock] = new Date(time.getTime() + 999).toISOString().split(/[T.]/u);
  const isToday = now.toISOString().startsWith(`${day}T`);
  return `, not before ${isToday ? "" : `${day} `}${clock} UTC (in ${durationText(left)}),`;
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
