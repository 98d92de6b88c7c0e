import { ConflictError, UsageError } from "../errors.ts";
import { suggest } from "../values/suggested-command.ts";
import { type ApplyContext, planAndApply } from "./apply.ts";
import { findResource, searchFor } from "./find-resource.ts";
import { type Address, addressOf, heldAddresses } from "./model/address.ts";
import type { Metadata } from "./model/metadata.ts";
import { listResources } from "./model/operations.ts";
import type { LiveRecord, NamedKind } from "./model/resource.ts";
import type { RoutingModel } from "./model/routing.ts";
import type { Secrets } from "./model/secrets.ts";
import type { ApplyResult } from "./pages/apply.ts";
import { renameBack } from "./plan/conflicts.ts";
import { lostId, type Plan } from "./plan/plan.ts";
import { planJson, withoutFile } from "./plan/plan-document.ts";
import type { SessionOptions } from "./session.ts";
import { openState, readState } from "./state/open-backend.ts";

/** The changes of a destination or topic: only of the named fields. */
export interface NamedChanges {
  readonly name?: string | undefined;
  readonly metadata?: Metadata;
  readonly secrets?: Secrets;
}

/**
 * Changes a destination or topic in place by the same plan and engine as a routing file that names
 * only what changes, so that the state follows and an unknown outcome is settled.
 * @throws {ConflictError} where the state does not hold what is renamed, or reads name it
 */
export async function updateNamed(
  ports: ApplyContext,
  kind: NamedKind,
  wanted: string,
  changes: NamedChanges,
  options: SessionOptions & { readonly breakReferences?: boolean | undefined },
): Promise<ApplyResult> {
  const all = await listResources(ports, kind);
  const search = { ...searchFor(kind), exact: true };
  const found = await findResource(kind, wanted, { [kind]: all }, search, ports);
  const opened = await openState(ports, options);
  const state = (await readState(opened))?.state;
  const held = state ? heldAddresses(state, kind, found.id) : [];
  // What was renamed at the service can only get the name back that the state has.
  const names = [found.name, changes.name].filter((name) => typeof name === "string");
  if (!found.name || !names.some((name) => held.includes(addressOf(kind, name)))) {
    throw notHeld(kind, found, held);
  }
  const model = modelOf(kind, found, changes);
  // It names one resource, and its plan says who else wants it.
  const session = { ...options, adoptChanges: false, changeShared: true };
  return planAndApply(ports, opened, session, {
    model,
    warnings: [],
    document: (plan) => planJson(withoutFile(plan)),
    consent: { command: `amp notify ${kind}s update` },
    check: assertOnlyUpdates,
  });
}

/** The routing that names the resource with what changes, and nothing else. */
function modelOf(
  kind: NamedKind,
  { name: before, type }: LiveRecord,
  { name, metadata = {}, secrets = {} }: NamedChanges,
): RoutingModel {
  const old = before ?? "";
  const renamed = name === undefined || name === old ? {} : { renamedFrom: old };
  if (kind === "topic") {
    const part = { events: [], destinations: [], ...renamed };
    return { destinations: new Map(), topics: new Map([[name ?? old, part]]) };
  }
  const part = { kind: "new", type: type ?? "", metadata, secrets, ...renamed } as const;
  return { destinations: new Map([[name ?? old, part]]), topics: new Map() };
}

/** The engine would create what it does not find: an update never does. */
function assertOnlyUpdates({ items }: Plan): void {
  const other = items.find((item) => item.action === "create" || lostId(item) !== undefined);
  if (other === undefined) return;
  throw new ConflictError(`${other.address} is no longer listed`, {
    remedy: "It was deleted elsewhere, or the list is out of date.",
    done: "Nothing was sent.",
  });
}

function notHeld(
  kind: NamedKind,
  { id, name }: LiveRecord,
  [address]: readonly Address[],
): ConflictError | UsageError {
  if (!name) return new UsageError(`The ${kind} ${id} has no name`);
  const done = "Nothing was sent.";
  if (address !== undefined) {
    return new ConflictError(`The state has the ${kind} ${name} as ${address}`, {
      remedy: "It was renamed at the service: first restore its name there.",
      suggestion: renameBack({ address, id }),
      done,
    });
  }
  return new ConflictError(`The ${kind} ${name} is not in the state`, {
    remedy: "Add it to the state first: amp changes only resources in the state.",
    suggestion: suggest("notify state import", [addressOf(kind, name), id]),
    done,
  });
}
