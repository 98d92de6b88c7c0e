import type { CommandContext } from "../context/command-context.ts";
import type { DeletedResource } from "../documents/notify.ts";
import { isKind } from "../errors.ts";
import { confirm } from "../questions/confirm.ts";
import { counted } from "../values/counted.ts";
import { defined } from "../values/json.ts";
import { note, type Page, type PageRow } from "../view/view.ts";
import { reportWaits } from "./create.ts";
import { createHorizons } from "./engine/observe.ts";
import { type Deletion, deleteSingle } from "./engine/single.ts";
import type { EnginePorts } from "./engine/types.ts";
import {
  findResource,
  isNamed,
  type ListedRouting,
  listAround,
  searchFor,
  withKnown,
} from "./find-resource.ts";
import { addressIn, inUseError, type ResourceUse, useLines, useOf } from "./in-use.ts";
import { type Address, addressParts } from "./model/address.ts";
import { deleteResource } from "./model/operations.ts";
import { type LiveRecord, RESOURCES, type ResourceKind } from "./model/resource.ts";
import { keyFieldsOf, resourceAt } from "./model/routing.ts";
import { KnownEntries } from "./plan/known-entries.ts";
import type { AcceptWord } from "./plan/table.ts";
import { enginePorts, type SessionContext } from "./session.ts";
import { entriesOfId } from "./state/change.ts";
import { type OpenedState, openState, readState, type StateOptions } from "./state/open-backend.ts";
import { type Entry, filesOf, type RoutingState } from "./state/state.ts";

type DeleteContext = SessionContext &
  Pick<CommandContext, "dryRun" | "interactive" | "prompt" | "yes">;

interface DeleteOptions extends StateOptions {
  /** With `references`: also what is in use, with the routes at it. */
  readonly accept?: readonly AcceptWord[];
}

/**
 * Deletes a resource, and with `--accept references` the routes at it first. The state holds nothing
 * against it, and gets what was done.
 * @throws {ConflictError} where something depends on it, or this could not be checked
 */
export async function deleteNamed(
  context: DeleteContext,
  kind: ResourceKind,
  wanted: string,
  options: DeleteOptions,
): Promise<readonly DeletedResource[]> {
  const opened = await openState(context, options);
  const saved = (await readState(opened))?.state;
  const mayBeUnlisted = beyondLists(enginePorts(opened, context, options));
  const lists = await knownRouting(context, kind, saved, mayBeUnlisted);
  const search = { ...searchFor(kind, "<resource>"), exact: true };
  const record = await findResource(kind, wanted, lists.listed, search, context);
  const use = await useOf(context, kind, record, lists);
  if (!options.accept?.includes("references")) {
    const error = inUseError([use], "delete it", {
      done: "Nothing was deleted.",
      suggestion: search.again(wanted),
    });
    if (error) throw error;
  }
  const own: Deletion = {
    kind,
    id: record.id,
    address: addressIn(kind, record, lists.listed),
  };
  const deletions: readonly Deletion[] = [...use.routes, own];
  // --quiet hides the page of what nothing depends on.
  const isWarning = useLines(use).length > 0;
  const show = () => context.report.page(deletionPage(own, record, use, saved), { isWarning });
  if (context.dryRun) {
    show();
    for (const one of deletions) await deleteResource(context, one.kind, one.id);
    return [];
  }
  await confirmDelete(context, show, deletions);
  const send = (to: EnginePorts) => deleteSingle(to, deletions, lists.isComplete, saved);
  return deleteAll(context, opened, options, send);
}

/** Whether a list may not show an entry of the state yet; to be asked after the lists were read. */
export function beyondLists(ports: EnginePorts): (address: Address, entry: Entry) => boolean {
  const horizons = createHorizons(ports);
  return (address, { time, serviceTime }) =>
    time !== undefined &&
    horizons.of(address, { time, ...defined({ serviceTime }) }) > ports.elapsed();
}

/**
 * The routing as the service lists it, with the routes that a list may not show yet; without lists
 * what the state knows, perhaps not all.
 */
async function knownRouting(
  context: DeleteContext,
  kind: ResourceKind,
  saved: RoutingState | undefined,
  mayBeUnlisted: (address: Address, entry: Entry) => boolean,
): Promise<{ readonly listed: ListedRouting; readonly isComplete: boolean }> {
  try {
    const listed: Record<string, readonly LiveRecord[]> = { ...(await listAround(context, kind)) };
    if (saved === undefined) return { listed, isComplete: true };
    if (isNamed(kind)) listed[kind] = withKnown(listed[kind] ?? [], saved, kind);
    for (const [route, known] of Object.entries(routingOf(saved, mayBeUnlisted))) {
      const shown = listed[route];
      if (shown === undefined || RESOURCES[route as ResourceKind].key.length === 1) continue;
      const ids = new Set(shown.map(({ id }) => id));
      listed[route] = [...shown, ...known.filter(({ id }) => !ids.has(id))];
    }
    return { listed, isComplete: true };
  } catch (error) {
    if (!isKind(error, "operation_missing") || saved === undefined) throw error;
    return { listed: routingOf(saved), isComplete: false };
  }
}

/** The entries of a state as a list would show them. */
function routingOf(
  state: RoutingState,
  isWanted: (address: Address, entry: Entry) => boolean = () => true,
): ListedRouting {
  const ids = new Map([...state.entries].flatMap(([at, { id }]) => (id ? [[at, id]] : [])));
  const listed: Partial<Record<ResourceKind, LiveRecord[]>> = {};
  for (const [{ address }, entry] of new KnownEntries(state).all()) {
    const { id, key = [] } = entry;
    if (!id || !isWanted(address, entry)) continue;
    const { kind } = addressParts(address);
    // The address may have another name of what a route connects, or its ID: the key is what was sent.
    const sent = RESOURCES[kind].key.map(({ field }, at) => [field, key[at]] as const);
    const fields =
      key.length > 0 ? Object.fromEntries(sent) : keyFieldsOf(resourceAt(address), ids);
    listed[kind] = [...(listed[kind] ?? []), { id, ...fields }];
  }
  return listed;
}

function deletionPage(
  own: Deletion,
  record: LiveRecord,
  use: ResourceUse,
  saved: RoutingState | undefined,
): Page {
  const { details = {} } = RESOURCES[own.kind];
  const files = saved ? entriesOfId(saved, own.kind, own.id).flatMap(filesOf) : [];
  return {
    title: `Delete ${own.address}`,
    aside: own.id,
    blocks: [
      {
        kind: "rows",
        rows: [
          ...Object.entries(details).map(([label, textOf]): PageRow => [label, textOf(record)]),
          ...(files.length > 0
            ? [["Declared by", `${files.join(", ")}: the next apply creates it again`] as PageRow]
            : []),
        ],
      },
      ...useLines(use).flatMap((text) => note(text, "attention")),
    ],
  };
}

async function confirmDelete(
  context: DeleteContext,
  show: () => void,
  deletions: readonly Deletion[],
): Promise<void> {
  const routes = deletions.length - 1;
  const more = routes === 0 ? "" : ` and ${counted(routes, "route")}`;
  if (context.yes) show();
  await confirm(context, {
    message: `Delete ${deletions.at(-1)?.address}${more}?`,
    needed: "The delete needs confirmation",
    done: "Nothing was deleted.",
    show,
  });
}

async function deleteAll(
  context: DeleteContext,
  opened: OpenedState,
  options: DeleteOptions,
  send: (ports: EnginePorts) => ReturnType<typeof deleteSingle>,
): Promise<readonly DeletedResource[]> {
  const { report, now } = context;
  const tell = reportWaits(context);
  const ports = enginePorts(opened, context, options, (event) => {
    tell(event);
    if (event.type !== "settled" || event.settled.outcome !== "deleted") return;
    const { address, id } = event.settled;
    report.event({ amp: "deleted", address, id, time: now().toISOString() });
  });
  const deleted = await send(ports);
  return deleted.map(({ address, id }) => ({ address, id, outcome: "deleted" }));
}
