import { randomUUID } from "node:crypto";
import { isUnavailable } from "../api/operations/optional-operation.ts";
import type { CommandContext } from "../context/command-context.ts";
import type { ImportedResource, ResolvedOutcome } from "../documents/notify.ts";
import { asList } from "../values/basics.ts";
import { nearest } from "../values/nearest.ts";
import { safeJson } from "../values/safe-data.ts";
import type { SuggestedCommand } from "../values/suggested-command.ts";
import { routingErrors } from "./errors.ts";
import { searchFor } from "./find-resource.ts";
import { type Address, addressParts, isAddress, parseAddress } from "./model/address.ts";
import { listResources } from "./model/operations.ts";
import { type LiveRecord, RESOURCES, type ResourceKind } from "./model/resource.ts";
import { knownEnds, resourceAt } from "./model/routing.ts";
import { indexOfKind } from "./plan/live.ts";
import { importCommand, importEntry, resolveCommand, resolvePending } from "./state/edit.ts";
import { stateText } from "./state/format.ts";
import { savedOrNew } from "./state/manager.ts";
import {
  lockWaitOf,
  openState,
  readState,
  type StateContext,
  type StateOptions,
} from "./state/open-backend.ts";
import type { RoutingState, StateTarget } from "./state/state.ts";

/**
 * Changes the saved state under its lock, as `forget`, `import`, `resolve` and `state push` do.
 * @param change gets the saved state, or a new one if nothing was saved yet, and the current target
 * @param use `online` for a command that uses the service; otherwise only a sandbox is asked which
 *   world it is
 */
export async function editState(
  context: StateContext & Pick<CommandContext, "now">,
  options: StateOptions,
  change: (state: RoutingState, now: Date, here: StateTarget) => RoutingState,
  use: "online" | "offline" = "offline",
): Promise<RoutingState> {
  const { backend, target, newTarget, assertOwn } = await openState(context, options, use);
  const { signal, environment } = context;
  const request = { command: environment.commandLine, wait: lockWaitOf(context, options), signal };
  return backend.withLock(request, async (held) => {
    const text = await held.read();
    const { location } = backend;
    const saved = await savedOrNew(text, { newTarget, assertOwn, location, uuid: randomUUID });
    // A file of earlier data of a sandbox was set aside.
    const here = text === undefined || backend.local ? saved.target : target;
    const changed = change(saved, context.now(), here);
    const next = { ...changed, serial: Math.max(changed.serial, saved.serial + 1) };
    await held.check();
    await held.write(stateText(next), "result");
    return next;
  });
}

/**
 * The text of the saved state, as `state pull` prints it. Its names come from outside, so
 * characters that a CI log would interpret are escaped.
 * @throws {NotFoundError} if nothing was saved yet
 */
export async function savedStateText(
  context: StateContext,
  options: StateOptions,
): Promise<string> {
  const opened = await openState(context, options, "offline");
  const saved = await readState(opened);
  if (saved) return safeJson(saved.text);
  throw routingErrors.state_not_found(opened.backend.location);
}

/**
 * Adds a resource that exists to the state. Where the service lists its kind, the ID must be
 * listed: with a wrong one, a plan would call the resource missing, and create it again on request.
 * @throws {NotFoundError} for an ID that is not listed, with the one that may have been meant
 */
export async function importResource(
  context: StateContext & Pick<CommandContext, "now">,
  options: StateOptions,
  { address: typed, id }: { readonly address: string; readonly id: string },
): Promise<ImportedResource> {
  const address = parseAddress(typed);
  const listed = await listedLike(context, address, id);
  const change = (state: RoutingState, now: Date) => {
    assertListed(listed, { state, address, id, again: importCommand });
    return importEntry(state, address, id, now);
  };
  await editState(context, options, change, "online");
  return { address, id, checked: listed !== undefined };
}

/**
 * Records what the user found about an unknown outcome; an ID is checked as that of an import.
 * @param found.id absent if it was not created
 * @throws {NotFoundError} for an ID that is not listed, and if no create of the address is pending
 */
export async function resolveOutcome(
  context: StateContext & Pick<CommandContext, "now">,
  options: StateOptions,
  { address, id }: { readonly address: string; readonly id: string | undefined },
): Promise<ResolvedOutcome> {
  if (id === undefined) {
    await editState(context, options, (state, now) =>
      resolvePending(state, address, "not-created", now),
    );
    return { address, created: false };
  }
  const where = isAddress(address) ? address : undefined;
  const listed = where && (await listedLike(context, where, id));
  const change = (state: RoutingState, now: Date) => {
    const resolved = resolvePending(state, address, { id }, now);
    if (where) assertListed(listed, { state, address: where, id, again: resolveCommand });
    return resolved;
  };
  await editState(context, options, change, "online");
  return { address, created: true, id, checked: listed !== undefined };
}

/** The listed resources of an address's kind; undefined, with a warning, without a list. */
async function listedLike(
  context: StateContext,
  address: Address,
  id: string,
): Promise<readonly LiveRecord[] | undefined> {
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
  return listed;
}

function assertListed(
  listed: readonly LiveRecord[] | undefined,
  {
    state,
    address,
    id,
    again,
  }: {
    state: RoutingState;
    address: Address;
    id: string;
    again: (address: Address, id: string) => SuggestedCommand;
  },
): void {
  if (listed === undefined || listed.some((one) => one.id === id)) return;
  const { kind } = addressParts(address);
  const ids = listed.map((one) => one.id).filter((one) => one !== "");
  // The record at this address was meant, whatever was typed; otherwise the ID that is spelled most
  // like it.
  const [own, ...more] = recordsAt(address, kind, listed, state);
  const meant = own !== undefined && more.length === 0 ? own.id : nearest(id, ids);
  const next = meant === undefined ? searchFor(kind).list : again(address, meant);
  const found = asList(own, more).map((one) => ({ id: one.id, createTime: one.createTime }));
  throw routingErrors.id_not_listed(RESOURCES[kind].words[0], id, meant, next, found);
}

/** The listed records with the natural key of an address, as far as the state knows its parts. */
function recordsAt(
  address: Address,
  kind: ResourceKind,
  listed: readonly LiveRecord[],
  { entries }: Pick<RoutingState, "entries">,
): readonly LiveRecord[] {
  const resource = resourceAt(address);
  return indexOfKind(kind, listed)
    .matches(
      resource,
      knownEnds(resource, (end) => entries.get(end)?.id),
    )
    .filter((one) => one.id !== "");
}
