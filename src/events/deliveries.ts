import type { Api } from "../api/operations/endpoint.ts";
import { listDeliveries, redeliver } from "../api/operations/endpoints.ts";
import { follow, type Polling } from "../api/operations/poll.ts";
import type { DeliveryAttempt } from "../api/schemas/sandbox-event.ts";
import type { CommandContext } from "../context/command-context.ts";
import { NotFoundError } from "../errors.ts";
import { isJsonObject } from "../values/json.ts";
import { nearest } from "../values/nearest.ts";
import { changeDisplayCopy } from "../values/odd-fields.ts";
import { eventErrors } from "./errors.ts";

/** The attempts of which project, at which destination. */
interface DeliveryQuery {
  readonly project: string;
  readonly destination?: string | undefined;
}

/** The part of a command's context that asks the sandbox. */
export type Asking = Pick<CommandContext, "api">;

const INTERVAL_MS = 500;

/** The last attempts of a sandbox, or those after one, the oldest first. */
export async function deliveriesOf(
  { api }: Asking,
  { project, destination }: DeliveryQuery,
  after?: number,
): Promise<readonly DeliveryAttempt[]> {
  const path = { projectIdOrName: project };
  const query = { destination, after: after === undefined ? undefined : String(after) };
  return withoutPastTimes(await api.call(listDeliveries, { path, query }));
}

/** The attempts of a sandbox as they are made, after the last ones; ends with the signal. */
export function followDeliveries(
  context: Polling,
  query: DeliveryQuery,
): AsyncGenerator<readonly DeliveryAttempt[]> {
  // Also those at other destinations count, so that none is asked for twice.
  let after: number | undefined;
  const read = async (api: Api) => {
    const attempts = await deliveriesOf({ api }, query, after);
    after = attempts.at(-1)?.sequence ?? after ?? 0;
    return attempts;
  };
  return follow(context, read, () => false, [INTERVAL_MS]);
}

/**
 * Delivers a message again, or each message of an event. Any service but a sandbox is only read.
 * @throws {UsageError} for too little of an ID
 * @throws {NotFoundError} where there is neither, with the nearest ID of those that were attempted
 */
export async function redeliverMessage(
  { api }: Asking,
  project: string,
  wanted: string,
): Promise<readonly DeliveryAttempt[]> {
  const path = { projectIdOrName: project };
  const attempts = await api.call(listDeliveries, { path });
  try {
    return await api.call(redeliver, { path, body: { id: wanted } });
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
    const list: readonly (DeliveryAttempt | null)[] = Array.isArray(attempts) ? attempts : [];
    const ids = new Set(list.flatMap((one) => [one?.messageId, one?.eventId]));
    const known = [...ids].filter((id) => typeof id === "string");
    const matching = known.filter((id) => id.startsWith(wanted)).length;
    if (matching > 0) throw eventErrors.delivery_ambiguous(matching, wanted);
    throw eventErrors.delivery_not_found(wanted, nearest(wanted, known));
  }
}

/**
 * The attempts as they are shown: once the next one was made, its row says more than the time when
 * it was due.
 */
function withoutPastTimes(attempts: readonly DeliveryAttempt[]): readonly DeliveryAttempt[] {
  if (!Array.isArray(attempts)) return attempts;
  const later = new Set<unknown>();
  const shown = (attempts as readonly DeliveryAttempt[]).toReversed().map((one) => {
    if (!isJsonObject(one)) return one;
    const isPast = later.has(one.messageId);
    later.add(one.messageId);
    return isPast ? changeDisplayCopy(one, ({ nextAttemptTime: _, ...rest }) => rest) : one;
  });
  return shown.toReversed();
}
