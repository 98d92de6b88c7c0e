import { type AmpError, ConflictError } from "../../errors.ts";
import { differencesOf } from "../plan/compare.ts";
import { indexLive, type LiveRecord } from "../plan/natural-key.ts";
import type { Work } from "./create-one.ts";
import { importCommand } from "./ending-text.ts";
import { keep, settledOf } from "./keep.ts";
import { look, type Run } from "./run.ts";

/** Statuses by which a service may say that it exists already. */
const MAY_EXIST = new Set([400, 409, 422]);

/**
 * Settles a create that was refused. Where the list shows exactly one that is as wanted, that is it;
 * else nothing came about, and the intent is gone.
 */
export async function settleRefusal(run: Run, work: Work, error: AmpError): Promise<"on" | "stop"> {
  const { step, intent } = work;
  const { address } = step;
  const found = await existing(run, work, error.facts.status ?? 0);
  const [one] = found;
  if (one !== undefined && found.length === 1 && differencesOf(step, one).length === 0) {
    // One that was sent before may well be the one that is there.
    const origin = intent.attempt > 1 ? "reconciled" : "adopted";
    return keep(run, work, { id: one.id, origin, sent: true });
  }
  const { requestId } = error.facts;
  const settled = settledOf(run, work, { outcome: "refused", requestId, sent: true });
  run.ledger.fail({ address, error: told(run, work, error, found) }, settled);
  // An intent that stays is looked up by the next run, and found to have come to nothing.
  await run.journal.drop(address).catch(() => {});
  return "stop";
}

/** None where there is no list, or it cannot be read now: the refusal stands. */
async function existing(
  run: Run,
  { step, ends, intent: { idsBefore } }: Work,
  status: number,
): Promise<readonly LiveRecord[]> {
  if (!MAY_EXIST.has(status)) return [];
  const live = await look(run).catch(() => undefined);
  if (live === undefined) return [];
  // One that was held for gone is there after all only if the service says so.
  return indexLive(live)
    .matches(step, ends)
    .filter(({ id }) => status === 409 || !idsBefore.includes(id));
}

function told(run: Run, work: Work, error: AmpError, found: readonly LiveRecord[]): AmpError {
  if (found.length > 1) return several(error, found);
  // Nothing can be looked up here, but somebody may know that the one in the way is the one meant.
  return error.facts.status === 409 && run.journal.state.lists !== true
    ? error.with({ suggestion: importCommand(work.step.address, "ID") })
    : error;
}

function several(error: AmpError, found: readonly LiveRecord[]): AmpError {
  const ids = found.map(({ id }) => id);
  return new ConflictError(
    `${error.message}, and there are ${ids.length} of it`,
    { ...error.facts, detail: ids.join(", "), data: { ...error.facts.data, ids } },
    { cause: error },
  );
}
