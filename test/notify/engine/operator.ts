import { type Address, addressParts } from "../../../src/notify/model/address.ts";
import type { ResourceKind } from "../../../src/notify/model/resource.ts";
import { resolvePending } from "../../../src/notify/state/edit.ts";
import { stateText } from "../../../src/notify/state/format.ts";
import type { Entry, RoutingState } from "../../../src/notify/state/state.ts";
import { type EngineWorld, stateOf } from "./engine-world.ts";
import type { Failed } from "./runner.ts";
import { naturalKey, type StoredRecord } from "./simulated-service.ts";

/** Follows what exit 9 says: looks at the service, not too early, and says what became of creates. */
export async function answerAsOperator(world: EngineWorld, { unknown }: Failed): Promise<void> {
  const { service, disk, clock } = world;
  await clock.sleep(90_000);
  if (disk.text === undefined) return;
  let state = stateOf(world);
  // One that a single command began may be beside another entry of its address.
  const beside = [...state.left.values()].map((entry) => [entry.address, entry] as const);
  for (const [address, entry] of [...state.entries, ...beside]) {
    if (entry.pending?.op !== "create") continue;
    const found = [...service.records.values()].find((one) => isMeant(state, address, entry, one));
    const offered = unknown.find((one) => one.address === address)?.ids ?? [];
    const id = found?.id ?? offered.find((one) => service.records.has(one));
    const word = id === undefined ? "not-created" : { id };
    state = resolvePending(state, address, word, clock.now());
  }
  disk.text = stateText({ ...state, serial: state.serial + 1 });
}

/** Whether a record is what a create made, told without amp's own table of resources. */
function isMeant(
  { entries, left }: RoutingState,
  address: Address,
  { key = [] }: Entry,
  { kind, id, fields }: StoredRecord,
): boolean {
  const known = [...entries.values(), ...left.values()].some((entry) => entry.id === id);
  if (known || addressParts(address).kind !== kind) return false;
  const [first, second] = key;
  const wanted: Record<ResourceKind, object> = {
    destination: { name: first },
    topic: { name: first },
    "event-route": { topicId: first, eventType: second },
    "destination-route": { topicId: first, destinationId: second },
  };
  return naturalKey({ kind, fields }) === naturalKey({ kind, fields: { ...wanted[kind] } });
}
