import { AmpError, type ErrorFacts, PartialError, signalError } from "../../errors.ts";
import { asList } from "../../values/basics.ts";
import { counted, uncapitalised } from "../../values/counted.ts";
import { type Address, addressParts } from "../model/address.ts";
import { CHECK_OTHER_RUN } from "../state/backend.ts";
import { importCommand, resolveCommands } from "../state/edit.ts";
import { describeFailure, type Failure, LOOKS_FIRST, runFailure } from "./failure-text.ts";
import { deletedDocument, type OutcomeDocument, outcomeDocument } from "./receipt.ts";
import type { Run } from "./run.ts";
import type { Receipt, ResourceOutcome } from "./types.ts";

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
  const { settled, failed, unknown, deleted, notTried, hasLists } = failure;
  const { lineage, serial } = run.manager.state;
  const done = new Set(settled.map(({ address }) => address));
  const open = (address: Address, outcome: ResourceOutcome["outcome"], sent = true) => {
    if (done.has(address)) return [];
    return [{ address, kind: addressParts(address).kind, outcome, ms: 0, sent }];
  };
  return {
    settled: [
      ...settled,
      ...failed.flatMap(({ address, isOpen, sent }) =>
        open(address, isOpen ? "unknown" : "refused", sent),
      ),
      ...unknown.flatMap((one) => open(one.address, one.created ? "id-unknown" : "unknown")),
    ],
    deleted,
    duplicates: [],
    verified: false,
    hasLists,
    kept: [],
    notTried,
    state: { location: run.ports.backend.location, lineage, serial },
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
  const isCertain = !changed && unknown.length + rescued.length === 0;
  if (isCertain && cause instanceof AmpError) {
    return cause.setFacts({ ...facts, data: { ...cause.facts.data, ...facts.data } });
  }
  return partialError(failure, total, cause, facts);
}

const LOOKS_FIRST_ALONE =
  "Run the command again once no other run is in progress: it looks them up first.";

/** The outcomes that changed something at the service. */
const CHANGED: ReadonlySet<string> = new Set(["created", "reconciled", "updated"]);

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
  const unclear = [
    open > 0 && `${counted(open, "outcome")} unknown`,
    noId > 0 && `${counted(noId, "ID")} unknown`,
    unknown.length === 0 && rescued.length > 0 && `${rescued.length} not saved`,
  ].filter((text) => text !== false);
  return new PartialError(
    `${inPlace} of ${total} in place, ${unclear.join(", ") || "then the run stopped"}: ${why}`,
    {
      ...own,
      ...facts,
      remedy: remedyOf(own, facts),
      suggestion: asList(own.suggestion, facts.suggestion),
      data: { ...own.data, ...facts.data },
    },
    { cause },
  );
}

/** The remedy of the cause, and how to continue; both at once only where they agree. */
function remedyOf(own: ErrorFacts, facts: ErrorFacts): string {
  if (own.remedy === CHECK_OTHER_RUN && facts.remedy === LOOKS_FIRST) return LOOKS_FIRST_ALONE;
  return [own.remedy, facts.remedy].filter(Boolean).join(" ");
}

function dataOf({ settled, failed, unknown, rescued, deleted, notTried }: Failure) {
  return {
    settled: [...settled.map(outcomeDocument), ...deleted.map(deletedDocument)].map(
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
