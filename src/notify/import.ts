import { isUnavailable } from "../api/operations/optional-operation.ts";
import type { CommandContext } from "../context/command-context.ts";
import { NotFoundError } from "../errors.ts";
import { nearest } from "../values/nearest.ts";
import { suggest } from "../values/suggested-command.ts";
import { editState } from "./edit-state.ts";
import { type Address, addressParts, parseAddress } from "./model/address.ts";
import { listResources } from "./model/operations.ts";
import { type LiveRecord, RESOURCE_ORDER, RESOURCES, type ResourceKind } from "./model/resource.ts";
import { resourceAt } from "./model/routing.ts";
import { indexLive, type LiveRouting } from "./plan/live.ts";
import { dependencyIds } from "./plan/plan-new.ts";
import { importCommand, importRecord } from "./state/edit.ts";
import type { StateContext, StateOptions } from "./state/open-backend.ts";
import type { RoutingState } from "./state/state.ts";

/** The resource that was added to the state. */
export interface ImportedResource {
  readonly address: Address;
  readonly id: string;
  /** Whether the service lists the ID; false where it does not list such resources at all. */
  readonly checked: boolean;
}

/**
 * Adds a resource that exists to the state. Where the service lists its kind, the ID must be listed:
 * with a wrong one, a plan would call the resource missing, and create it again on request.
 * @throws {NotFoundError} for an ID that is not listed, with the one that may have been meant
 */
export async function importResource(
  context: StateContext & Pick<CommandContext, "now">,
  options: StateOptions,
  { address: typed, id }: { readonly address: string; readonly id: string },
): Promise<ImportedResource> {
  const address = parseAddress(typed);
  const { kind } = addressParts(address);
  const listed = await listResources(context, kind).catch((error: unknown) => {
    if (isUnavailable(error)) return undefined;
    throw error;
  });
  if (listed === undefined) {
    context.report.warn(
      `The service does not list ${RESOURCES[kind].words[1]}, so the ID ${id} was not checked.`,
    );
  }
  const change = (state: RoutingState, now: Date) => {
    if (listed) assertListed(listed, { state, address, id });
    return importRecord(state, address, id, now);
  };
  await editState(context, options, change, "online");
  return { address, id, checked: listed !== undefined };
}

function assertListed(
  listed: readonly LiveRecord[],
  { state, address, id }: { state: RoutingState; address: Address; id: string },
): void {
  if (listed.some((one) => one.id === id)) return;
  const { kind } = addressParts(address);
  const ids = listed.map((one) => one.id).filter((one) => one !== "");
  // The record at this address was meant, whatever was typed; otherwise the ID that is spelled most like it.
  const [own, ...more] = recordsAt(address, kind, listed, state);
  const meant = own !== undefined && more.length === 0 ? own.id : nearest(id, ids);
  const candidates = [own ?? [], more].flat();
  throw new NotFoundError(`The service does not list ${RESOURCES[kind].words[0]} ${id}`, {
    ...(meant === undefined ? {} : { remedy: `Did you mean ${meant}?` }),
    ...(candidates.length === 0
      ? {}
      : { candidates: candidates.map((one) => ({ id: one.id, createTime: one.createTime })) }),
    done: "Nothing was saved.",
    suggestion: meant === undefined ? suggest("notify status") : importCommand(address, meant),
  });
}

/** The listed records with the natural key of an address, as far as the state knows its parts. */
function recordsAt(
  address: Address,
  kind: ResourceKind,
  listed: readonly LiveRecord[],
  { records }: Pick<RoutingState, "records">,
): readonly LiveRecord[] {
  const none = Object.fromEntries(RESOURCE_ORDER.map((one) => [one, []])) as unknown as LiveRouting;
  const resource = resourceAt(address);
  const ids = dependencyIds(resource, (dependency) => records.get(dependency)?.id);
  return indexLive({ ...none, [kind]: listed })
    .matches(resource, ids)
    .filter((one) => one.id !== "");
}
