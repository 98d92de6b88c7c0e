import { AmpError, ConflictError } from "../../errors.ts";
import { asList } from "../../values/basics.ts";
import { defined } from "../../values/json.ts";
import { createResource, updateResource } from "../model/operations.ts";
import { RESOURCES } from "../model/resource.ts";
import { bodyOf, dependenciesOf } from "../model/routing.ts";
import { compareKey, shownDifference } from "../plan/diff.ts";
import { resolveCommands } from "../state/edit.ts";
import type { Run } from "./run.ts";
import { isLookNeeded } from "./seen-update.ts";
import { type WriteInProgress, type WriteOutcome, writeOutcomeOf } from "./write-outcome.ts";

/**
 * Sends a create or update once, and says what its answer means.
 * @throws {unknown} any error that is not amp's own: a defect, which says nothing of the outcome
 */
export async function sendOnce(run: Run, write: WriteInProgress): Promise<WriteOutcome> {
  const { ports, writeSignal: signal } = run;
  const { resource, intent, dependencies } = write;
  const missing = dependenciesOf(resource).find((dependency) => !dependencies.has(dependency));
  if (missing !== undefined) throw new Error(`${missing} has no ID yet`);
  let requestId: string | undefined;
  const body = bodyOf(resource, dependencies);
  const how = {
    idempotencyKey: intent.key,
    signal,
    singleAttempt: true,
    onRequestId: (given: string) => {
      requestId = given;
    },
  };
  try {
    if (intent.update !== undefined) {
      const { id, mask: fields } = intent.update;
      const shown = await updateResource(ports, resource.kind, id, { fields, body }, how);
      const sent = { address: resource.address, pending: intent };
      return {
        kind: "done",
        id,
        requestId,
        isUnseen: isLookNeeded(run.manager.state, sent, shown),
      };
    }
    const answer = await createResource(ports, resource.kind, body, how);
    return ownOutcome(run, write, { kind: "done", id: answer.id, requestId, answer });
  } catch (error) {
    if (!(error instanceof AmpError)) throw error;
    const outcome = writeOutcomeOf(error);
    const isCreate = intent.update === undefined && outcome.kind === "done";
    return isCreate ? ownOutcome(run, write, outcome) : outcome;
  }
}

type Done = Extract<WriteOutcome, { kind: "done" }>;

/**
 * What an answer to a create means: a record that existed before, or one of another name or between
 * others, is not its result. To route to it would send customers' events elsewhere.
 */
function ownOutcome(run: Run, write: WriteInProgress, done: Done): WriteOutcome {
  const { resource, dependencies } = write;
  const { id, answer, requestId } = done;
  const known = run.outcomes.addressOf(resource.kind, id);
  const address = known === resource.address ? undefined : known;
  const { different } = answer
    ? compareKey(resource, answer, dependencies)
    : { different: [] as const };
  const listed = write.index?.byId(resource.kind, id);
  // guard: the answer to a create
  if (address === undefined && listed?.id !== id && different.length === 0) {
    run.outcomes.know(resource, id);
    return done;
  }
  const [noun] = RESOURCES[resource.kind].words;
  const isOld = address !== undefined || listed?.id === id;
  const called = address ?? (isOld ? listed : answer)?.name ?? undefined;
  const which = isOld ? `a ${noun} that existed before` : `another ${noun}`;
  const named = asList(id, called).join(", ");
  const how = different.map(
    ({ field, wanted: found, found: wanted }) =>
      `${field}: ${shownDifference({ field, wanted, found })}`,
  );
  const error = new ConflictError(
    `The service answered the create of ${resource.address} with ${which}: ${named}`,
    {
      ...(how.length === 0 ? {} : { detail: how.join("\n") }),
      remedy: `Check at the service whether it created ${resource.address}; the next run looks it up first.`,
      ...(write.index === undefined ? { suggestion: resolveCommands(resource.address) } : {}),
      ...defined({ requestId }),
      data: { answered: defined({ id, called }) },
    },
  );
  return { kind: "foreign", error };
}
