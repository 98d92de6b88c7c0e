import type { Api } from "../api/operations/endpoint.ts";
import { listDeliveries, redeliver } from "../api/operations/endpoints.ts";
import { follow, type Polling } from "../api/operations/poll.ts";
import type { DeliveryAttempt } from "../api/schemas/sandbox-event.ts";
import type { CommandContext } from "../context/command-context.ts";
import { NotFoundError } from "../errors.ts";
import { type Asker, chooseOne, type Lookup, noMatch, quotedInput } from "../questions/find.ts";
import { asList } from "../values/basics.ts";
import { isJsonObject, plainText } from "../values/json.ts";
import { matchesById } from "../values/matching.ts";
import { changeDisplayCopy } from "../values/odd-fields.ts";
import { suggest } from "../values/suggested-command.ts";

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

/** The attempts of a sandbox as they are made, after the last ones; ends with the signal or the reader. */
export function followDeliveries(
  context: Polling & { isOutputClosed(): boolean },
  query: DeliveryQuery,
): AsyncGenerator<readonly DeliveryAttempt[]> {
  // Also those at other destinations count, so that none is asked for twice.
  let after: number | undefined;
  const read = async (api: Api) => {
    const attempts = await deliveriesOf({ api }, query, after);
    after = attempts.at(-1)?.sequence ?? after ?? 0;
    return attempts;
  };
  return follow(context, read, () => context.isOutputClosed(), [INTERVAL_MS]);
}

/**
 * Delivers a message again, or each message of an event. Any service but a sandbox is only read.
 * @param wanted the ID of either, or the beginning of one that was attempted
 * @throws {NotFoundError} where there is neither, with the nearest ID of those that were attempted
 * @throws {ConflictError} where several begin like this, without an interactive terminal
 */
export async function redeliverMessage(
  context: Asking & Asker,
  project: string,
  wanted: string,
): Promise<readonly DeliveryAttempt[]> {
  const { api } = context;
  const path = { projectIdOrName: project };
  // The answer of a service may be odd.
  const attempts = asList<unknown>(await api.call(listDeliveries, { path })).filter(isJsonObject);
  const ids = attempts.flatMap(({ messageId, eventId, eventType }) =>
    [messageId, eventId].map((id) => [plainText(id), plainText(eventType)] as const),
  );
  const items = [...new Map(ids)].map(([id, event]) => ({ id, event }));
  const found = matchesById(items, wanted, LOOKUP);
  const ask = () => chooseOne(found, quotedInput(wanted), LOOKUP, context);
  const [one] = found.length < 2 ? found : [await ask()];
  try {
    // The sandbox also knows messages whose attempts it lists no longer.
    return await api.call(redeliver, { path, body: { id: one?.id ?? wanted } });
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
    throw noMatch(items, wanted, LOOKUP).setFacts({ done: "Nothing was sent." });
  }
}

const LOOKUP: Lookup<{ readonly id: string; readonly event: string }> = {
  noun: "delivery ID",
  argument: "--from",
  list: suggest("sandbox deliveries", [], { output: "id" }),
  again: (id) => suggest("trigger", [], { from: id }),
  ids: ({ id }) => [id],
  names: () => [],
  describe: (item) => ({ ...item }),
};

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
