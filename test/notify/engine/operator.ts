import type { AmpError } from "../../../src/errors.ts";
import { type Address, addressOf } from "../../../src/notify/model/address.ts";
import { type Resource, resourceAt } from "../../../src/notify/model/routing.ts";
import { importRecord, resolvePending } from "../../../src/notify/state/edit.ts";
import { stateText } from "../../../src/notify/state/format.ts";
import type { RoutingState } from "../../../src/notify/state/state.ts";
import { type EngineWorld, stateOf } from "./engine-world.ts";
import type { Outcome } from "./simulated-process.ts";
import { naturalKey } from "./simulated-service.ts";

/** Follows what the error says: looks at the service, not too early, and tells the state. */
export async function answerAsOperator(
  world: EngineWorld,
  outcome: Outcome<unknown>,
): Promise<void> {
  const { service, disk, clock } = world;
  await clock.sleep(90_000);
  if (outcome === "killed" || "result" in outcome || disk.text === undefined) return;
  const { data } = (outcome.error as AmpError).facts;
  const unknown = (data?.unknown ?? []) as { address: Address; commands: string[] }[];
  const rescued = (data?.rescued ?? []) as { address: Address; id: string }[];
  let state = stateOf(world);
  for (const { address, id } of rescued) state = importRecord(state, address, id, clock.now());
  for (const { address } of unknown) {
    if (!state.pending.has(address)) continue;
    const wanted = wantedKey(state, resourceAt(address));
    const found = [...service.records.values()].find((one) => naturalKey(one) === wanted);
    const word = found ? { id: found.id } : "not-created";
    state = resolvePending(state, address, word, clock.now());
  }
  disk.text = stateText({ ...state, serial: state.serial + 1 });
}

/** The natural key of what an address stands for, told without amp's own table of resources. */
function wantedKey({ records }: RoutingState, { kind, names }: Resource): string {
  const [first = "", second = ""] = names;
  const isRoute = kind.endsWith("route");
  const fields = {
    name: isRoute ? undefined : first,
    eventType: kind === "event-route" ? second : undefined,
    topicId: isRoute ? records.get(addressOf("topic", first))?.id : undefined,
    destinationId:
      kind === "destination-route" ? records.get(addressOf("destination", second))?.id : undefined,
  };
  return naturalKey({ kind, fields });
}
