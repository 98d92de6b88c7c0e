import {
  AmpError,
  type ErrorFacts,
  InterruptedError,
  PartialError,
  TerminatedError,
} from "../../errors.ts";
import type { Address } from "../address.ts";
import { importCommand, resolveCommands, tellEnding } from "./ending-text.ts";
import type { Settled } from "./engine.ts";
import { keepLate } from "./keep.ts";
import type { Failed, Ledger, Unknown } from "./ledger.ts";
import type { Run } from "./run.ts";

/** What a run set out to do. */
export interface Aim {
  /** All that is to be in place at the end. */
  readonly total: number;
  /** What was to be sent, or looked up, and has not come to anything yet. */
  readonly addresses: readonly Address[];
}

/** A run that has come to its end early, as data. */
export interface Ended extends Pick<Ledger, "settled" | "failed" | "rescued" | "deleted"> {
  readonly unknown: readonly Unknown[];
  readonly notTried: readonly Address[];
  /** Whether the service lists what exists. */
  readonly lists: boolean;
  readonly now: Date;
}

/** The error for a run that ends early: what is in place, what failed, what nobody knows. */
export async function endingOf(run: Run, aim: Aim): Promise<AmpError> {
  await keepLate(run);
  const { ports, ledger, journal } = run;
  const { settled, failed, rescued, deleted } = ledger;
  const unknown = [...ledger.unknown.values()].map((one) => ({
    ...one,
    horizon: journal.state.pending.get(one.address)?.horizon,
  }));
  const seen = new Set<Address>([
    ...settled.map(({ address }) => address),
    ...failed.map(({ address }) => address),
    ...deleted.map(({ address }) => address),
    ...ledger.unknown.keys(),
  ]);
  const notTried = aim.addresses.filter((address) => !seen.has(address));
  const lists = journal.state.lists === true;
  const ended: Ended = {
    settled,
    failed,
    unknown,
    rescued,
    deleted,
    notTried,
    lists,
    now: ports.now(),
  };
  const facts = { ...tellEnding(ended), data: dataOf(ended) };
  if (ports.signal.aborted) {
    return ports.signal.reason === "SIGTERM" || ports.signal.reason === "SIGHUP"
      ? new TerminatedError("Terminated", facts)
      : new InterruptedError("Interrupted", facts);
  }
  const saving = rescued[0]?.rescue.error ?? ledger.trouble;
  const cause = failed[0]?.error ?? unknown[0]?.error ?? saving;
  const changed = settled.some(isChange) || deleted.length > 0;
  const isCertain = !changed && unknown.length + rescued.length === 0;
  if (isCertain && cause instanceof AmpError) {
    return cause.with({ ...facts, data: { ...cause.facts.data, ...facts.data } });
  }
  return partial(ended, aim.total, cause, facts);
}

function partial(ended: Ended, total: number, cause: unknown, facts: ErrorFacts): PartialError {
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
      data: { ...own.data, ...facts.data },
    },
    { cause },
  );
}

/** It was not there before this run, or before the one that was cut off. */
function isChange({ outcome }: Settled): boolean {
  return outcome === "created" || outcome === "reconciled";
}

function dataOf({ settled, failed, unknown, rescued, deleted, notTried }: Ended) {
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

function failedFacts({ address, error }: Failed) {
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
