import type { OutcomeDocument } from "../../documents/routing.ts";
import { AmpError, type ErrorFacts, isKind, PartialError, signalError } from "../../errors.ts";
import { asList } from "../../values/basics.ts";
import { counted, uncapitalised } from "../../values/counted.ts";
import { defined } from "../../values/json.ts";
import { durationText } from "../../values/time.ts";
import { routingErrors } from "../errors.ts";
import { type Address, addressParts } from "../model/address.ts";
import { entryAt, placeName } from "../state/change.ts";
import { importCommand, resolveCommands } from "../state/edit.ts";
import { type FailedResource, NOTHING_DONE } from "./outcomes.ts";
import type { Run } from "./run.ts";
import type { Receipt } from "./types.ts";

/**
 * The error for a run that ended early: it lists what is in place, what failed and what is unknown.
 * @param addresses the resources to send or look up
 * @param total number of resources that should be in place at the end
 */
export async function failedRunError(
  run: Run,
  addresses: readonly Address[],
  total: number,
): Promise<AmpError> {
  await run.outcomes.saveRescued();
  const failure = runFailure(run, addresses);
  const error = endedError(run, failure, total);
  return error.setFacts({ receipt: receiptSoFar(run, failure) });
}

declare module "../../errors.ts" {
  interface ErrorFacts {
    /** The receipt of a run that an error, a signal or the time limit ended, as far as it came. */
    receipt?: Receipt;
  }
}

function receiptSoFar(run: Run, failure: Failure): Receipt {
  const { settled, failed, unknown, deleted, notTried, hasLists: lists } = failure;
  const done = new Set(settled.map(({ address }) => address));
  const open = (
    address: Address,
    { sent = true, ...what }: Pick<OutcomeDocument, "outcome" | "created"> & { sent?: boolean },
  ) =>
    done.has(address)
      ? []
      : [{ address, kind: addressParts(address).kind, ...what, ms: 0, sent } as const];
  const all = [
    ...settled,
    ...failed.flatMap(({ address, isOpen, sent }) =>
      open(address, { outcome: isOpen ? "unknown" : "failed", sent }),
    ),
    ...unknown.flatMap(({ address, created }) =>
      open(address, { outcome: "unknown", ...defined({ created }) }),
    ),
    ...deleted,
  ];
  return bareReceipt(run, all, { lists, notTried });
}

/** The receipt of a run without a plan, or that did not come to its verification. */
export function bareReceipt(
  { ports, manager }: Run,
  settled: Receipt["settled"],
  { lists, notTried }: Pick<Receipt, "lists" | "notTried">,
): Receipt {
  const { lineage, serial } = manager.state;
  return {
    settled,
    duplicates: [],
    verified: false,
    lists,
    kept: [],
    ...defined({ notTried }),
    state: { location: ports.backend.location, lineage, serial },
  };
}

function endedError({ ports, outcomes }: Run, failure: Failure, total: number): AmpError {
  const { settled, failed, unknown, rescued, deleted } = failure;
  const facts = { ...describeFailure(failure), data: dataOf(failure) };
  if (ports.signal.aborted) return signalError(ports.signal.reason, facts);
  const saving = rescued[0]?.rescue.error ?? outcomes.trouble;
  const cause = failed[0]?.error ?? unknown[0]?.error ?? saving;
  // This run, or a killed one before it, created something.
  const changed = settled.some(({ outcome }) => CHANGED.has(outcome)) || deleted.length > 0;
  const isOpen = failed.some((one) => one.isOpen) && !(cause instanceof PartialError);
  const isCertain = !changed && unknown.length + rescued.length === 0 && !isOpen;
  if (isCertain && cause instanceof AmpError) {
    return cause.setFacts({ ...facts, data: { ...cause.facts.data, ...facts.data } });
  }
  return partialError(failure, total, cause, facts);
}

const LOOKS_FIRST_ALONE =
  "Run the command again once no other run is in progress: it looks them up first.";

/** The outcomes that changed something at the service. */
const CHANGED: ReadonlySet<string> = new Set(["created", "updated"]);

function partialError(
  failure: Failure,
  total: number,
  cause: unknown,
  facts: ErrorFacts,
): PartialError {
  const { settled, failed, unknown, rescued } = failure;
  const why =
    cause instanceof Error ? decapitalised(cause.message) : "an earlier run did not finish";
  const own = cause instanceof AmpError ? cause.facts : {};
  const inPlace = settled.filter(({ outcome }) => outcome !== "not_created").length;
  const noId = unknown.filter(({ created }) => created).length;
  const open = unknown.length - noId + failed.filter((one) => one.isOpen).length;
  const unclear = [
    open > 0 && `${counted(open, "outcome")} unknown`,
    noId > 0 && `${counted(noId, "ID")} unknown`,
    unknown.length === 0 && rescued.length > 0 && `${rescued.length} not saved`,
  ].filter((text) => text !== false);
  return routingErrors.run_incomplete(
    inPlace,
    total,
    unclear.join(", ") || "then the run stopped",
    why,
    {
      ...own,
      ...facts,
      remedy: remedyOfCause(cause, facts),
      suggestion: asList(own.suggestion, facts.suggestion),
      data: { ...own.data, ...facts.data },
    },
    cause,
  );
}

/** The remedy of the cause, and how to continue; both at once only where they agree. */
function remedyOfCause(cause: unknown, facts: ErrorFacts): string {
  const isOfOtherRun = isKind(cause, "lock_lost", "state_changed");
  if (isOfOtherRun && facts.remedy === LOOKS_FIRST) return LOOKS_FIRST_ALONE;
  const own = cause instanceof AmpError && cause.facts.remedy;
  return [own, facts.remedy].filter(Boolean).join(" ");
}

function dataOf({ settled, failed, unknown, rescued, deleted, notTried }: Failure) {
  return {
    settled: [...settled, ...deleted].map(
      ({ address, outcome, earlier, id, requestId }: OutcomeDocument) => {
        return { address, outcome, earlier, id, requestId };
      },
    ),
    failed: failed.flatMap(({ address, error, isOpen }) => {
      const message = error instanceof Error ? error.message : String(error);
      return isOpen ? [] : { address, outcome: "failed", message, ...requestFacts(error) };
    }),
    unknown: [
      ...unknown.map(({ address, ids, created, isUpdate, error, horizon }) => {
        const commands = isUpdate ? [] : resolveCommands(address, { ids, created });
        const outcome = "unknown";
        return { address, outcome, created, horizon, ids, ...requestFacts(error), commands };
      }),
      ...failed.flatMap(({ address, error, isOpen }) =>
        isOpen ? { address, outcome: "unknown", ...requestFacts(error), commands: [] } : [],
      ),
    ],
    ...(rescued.length === 0 ? {} : { rescued: rescued.map(rescuedDocument) }),
    notTried,
  };
}

function rescuedDocument({ address, id, rescue }: Failure["rescued"][number]) {
  return { address, id, where: rescue.where, command: importCommand(address, id) };
}

function requestFacts(error: unknown) {
  const { status, requestId }: ErrorFacts = error instanceof AmpError ? error.facts : {};
  return { status, requestId };
}

/** The message as part of a sentence; a name in capitals is kept. */
function decapitalised(message: string): string {
  return /^\p{Lu}\p{Ll}/u.test(message) || /^A /u.test(message) ? uncapitalised(message) : message;
}

/** A run that ended early, as data. */
type Failure = ReturnType<typeof runFailure>;

/** Gathers what a run that ended early has come to. */
function runFailure(run: Run, addresses: readonly Address[]) {
  const { ports, outcomes, manager } = run;
  const { settled, failed, rescued, deleted } = outcomes;
  const now = ports.now();
  const unknown = [...outcomes.unknown.values()].map((one) => {
    const { pending } = entryAt(manager.state, one.place) ?? {};
    const moment = pending ?? { time: now.toISOString() };
    const left = run.horizons.of(placeName(one.place), moment) - ports.elapsed();
    // The saved one is by the clock of an earlier run, which may differ from this one.
    const horizon = new Date(now.getTime() + left).toISOString();
    return { ...one, horizon, isOver: pending === undefined };
  });
  const { lists: hasLists = false } = manager.state;
  const seen = new Set(
    [...settled, ...failed, ...deleted, ...unknown].map(({ address }) => address),
  );
  const notTried = addresses.filter((address) => !seen.has(address));
  const isSingle = run.owner === "person";
  return { settled, failed, unknown, rescued, deleted, notTried, hasLists, isSingle, now };
}

/** Describes what exists now and what does not, and how to continue. */
function describeFailure(failure: Failure): ErrorFacts {
  const { settled, failed, unknown, rescued, deleted, notTried, hasLists } = failure;
  const { created: made = [], updated = [] } = Object.groupBy(settled, ({ outcome }) => outcome);
  const [found, created] = [made.filter((one) => one.earlier), made.filter((one) => !one.earlier)];
  const something =
    created.length + found.length + updated.length + unknown.length + rescued.length > 0;
  const openDeletes = failed.filter(({ isOpen }) => isOpen).map(({ address }) => address);
  const changed = something || deleted.length + openDeletes.length > 0;
  // A single refusal is in the first line of the error already.
  const refused = changed || failed.length > 1 ? failed : [];
  const [write = "create", another] = new Set(failed.map((one) => one.write));
  const nothing = another === undefined ? NOTHING_DONE[write] : NOTHING_DONE.create;
  const isSome = something || (nothing === NOTHING_DONE.delete && changed);
  const refusedOf = (wanted: FailedResource["write"]) =>
    refused.filter(({ write, isOpen }) => write === wanted && !isOpen).map(withReason);
  const openOf = (wanted: boolean) =>
    unknown.flatMap(({ address, created: isCreated, isUpdate = false }) =>
      isCreated || isUpdate !== wanted ? [] : address,
    );
  const reasons = [
    ...block("Not created:", refusedOf("create")),
    ...block("Not updated:", refusedOf("update")),
    ...block("Not deleted:", refusedOf("delete")),
  ];
  const done = [
    ...(isSome ? [] : [nothing]),
    ...block("Created:", created.map(addressAndId)),
    ...block("Created by an earlier attempt:", found.map(addressAndId)),
    ...block("Updated:", updated.map(addressAndId)),
    ...block("Deleted:", deleted.map(addressAndId)),
    ...reasons,
    ...block(
      "Created, ID unknown:",
      unknown.flatMap(({ address, created: isCreated }) => (isCreated ? address : [])),
    ),
    ...block("May exist; not sent again:", openOf(false)),
    ...block("May be updated; not sent again:", openOf(true)),
    ...block("May be deleted; the next run checks:", openDeletes),
    ...block("Not saved in the state:", rescued.map(addressAndId)),
    ...block("Not tried:", changed ? notTried : []),
  ].join("\n");
  const commands = [
    ...rescued.map(({ address, id }) => importCommand(address, id)),
    ...unknown
      // The next run finds the others in the lists.
      .filter((one) => !one.isUpdate && (!hasLists || one.created || one.ids))
      .flatMap((one) => resolveCommands(one.address, one)),
  ];
  return {
    done,
    // The first line of the error has the reason of a single one.
    ...(failed.length > 1 && { unlisted: reasons.join("\n") }),
    ...remedyOf(failure, changed),
    ...(commands.length === 0 ? {} : { suggestion: commands }),
  };
}

/** How to continue where the service has lists. */
const LOOKS_FIRST = "Run the command again: it looks them up first.";
const SENDS_NOW = "Run the command again: it sends the same values again.";
const SENDS_AGAIN =
  "Run the command again: after the time in which the earlier update may still take effect, it sends the same values again.";

const ALL_IN_PLACE = "Everything is in place. Run the same command again to verify it.";
const CORRECT_FIRST = "Correct what the service refused, then run the command again to continue.";

/** Whether the service refused the input itself (400, 422), and would refuse it again. */
function isRejected({ error }: FailedResource): boolean {
  return error instanceof AmpError && error.exit === "rejected";
}

function remedyOf(
  { unknown, rescued, failed, notTried, hasLists, isSingle, now }: Failure,
  changed: boolean,
): ErrorFacts {
  if (rescued.length > 0) {
    return { remedy: "Make sure that the state can be saved, then add these resources to it." };
  }
  if (unknown.length > 0 && unknown.every(({ isUpdate, isOver }) => isUpdate && isOver))
    return { remedy: SENDS_NOW };
  if (hasLists && unknown.some(({ ids }) => ids)) {
    // A single create that exists would be made twice.
    const then = isSingle ? "" : ", then run this one again";
    return { remedy: `Say with one of these commands which one it is${then}.` };
  }
  if (unknown.length > 0 && (hasLists || unknown.every(({ isUpdate }) => isUpdate)))
    return { remedy: hasLists ? LOOKS_FIRST : SENDS_AGAIN };
  if (unknown.length > 0) {
    const last = unknown.map(({ horizon }) => horizon).reduce((a, b) => (a > b ? a : b));
    const [and, then] = isSingle ? [" and", ""] : ["", ", then run this one again"];
    const check = unknown.every(({ created }) => created)
      ? `Check at the service which ID it has,${and} record it with this command`
      : `${checkAfter(new Date(last), now)} at the service whether it exists,${and} record the result with one of these commands`;
    return { remedy: `${check}${then}.` };
  }
  // The error of a single refusal has a remedy of its own.
  const canContinue = failed.length > 0 ? changed : notTried.length > 0;
  if (!canContinue && changed) return { remedy: ALL_IN_PLACE };
  const hasOwn = failed.some(({ error }) => error instanceof AmpError && error.facts.remedy);
  if (!canContinue && (isSingle || hasOwn || !failed.some(isRejected))) return {};
  return {
    remedy: failed.some(isRejected) ? CORRECT_FIRST : "Run the same command again to continue.",
  };
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

function addressAndId({ address, id }: Pick<OutcomeDocument, "address" | "id">): string {
  return `${address}  ${id}`;
}

function withReason({ address, error, reason }: FailedResource): string {
  return error instanceof AmpError ? `${address}: ${reason ?? error.message}` : address;
}

function block(heading: string, lines: readonly string[]): string[] {
  if (lines.length === 0) return [];
  return [heading, ...lines.map((line) => `  ${line}`)];
}
