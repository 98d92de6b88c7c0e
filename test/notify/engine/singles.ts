import { ifAvailable } from "../../../src/api/operations/optional-operation.ts";
import { NotFoundError } from "../../../src/errors.ts";
import { createHorizons } from "../../../src/notify/engine/observe.ts";
import { createSingle, deleteSingle, updateSingle } from "../../../src/notify/engine/single.ts";
import type { EnginePorts } from "../../../src/notify/engine/types.ts";
import {
  findResource,
  findRoute,
  isNamed,
  type ListedRouting,
  listAround,
  searchFor,
  withIds,
  withKnown,
} from "../../../src/notify/find-resource.ts";
import { addressIn } from "../../../src/notify/in-use.ts";
import { type Address, addressOf, addressParts } from "../../../src/notify/model/address.ts";
import { listResources } from "../../../src/notify/model/operations.ts";
import {
  type LiveRecord,
  type NamedKind,
  RESOURCE_ORDER,
  RESOURCES,
  type ResourceKind,
  type RouteKind,
} from "../../../src/notify/model/resource.ts";
import { keyFieldsOf, type Resource, resourceAt } from "../../../src/notify/model/routing.ts";
import { compare } from "../../../src/notify/plan/compare.ts";
import { forgetEntry, importEntry } from "../../../src/notify/state/edit.ts";
import { parseState, stateText } from "../../../src/notify/state/format.ts";
import { savedOrNew } from "../../../src/notify/state/manager.ts";
import type { RoutingState } from "../../../src/notify/state/state.ts";
import { defined } from "../../../src/values/json.ts";

/** A single command with what was typed. */
export interface SingleCommand {
  readonly op: "create" | "update" | "delete" | "import" | "forget";
  readonly address: Address;
  readonly url: string;
  /** The new name of an update. */
  readonly name: string | undefined;
  readonly references: boolean;
  /** The ID of an import. */
  readonly id?: string | undefined;
}

/** What a script types: nobody is asked. */
const NOBODY = { interactive: false, prompt: undefined as never };

/** Does what a single command does, over the ports of a process; it looks and asks as the command. */
export async function runSingle(ports: EnginePorts, command: SingleCommand): Promise<unknown> {
  const { op, address, id = "" } = command;
  if (op === "forget") return edit(ports, (state) => forgetEntry(state, address));
  if (op === "import") {
    const listed = await ifAvailable(listResources(ports, addressParts(address).kind));
    if (listed?.every((one) => one.id !== id)) throw new NotFoundError("not listed");
    return edit(ports, (state) => importEntry(state, address, id, ports.now()));
  }
  const text = await ports.backend.read();
  const state = text === undefined ? undefined : parseState(text, "memory");
  return WRITES[op](ports, command, state);
}

type Write = (
  ports: EnginePorts,
  command: SingleCommand,
  state: RoutingState | undefined,
) => Promise<unknown>;

const WRITES: Readonly<Record<"create" | "update" | "delete", Write>> = {
  create: async (ports, { address, url }, state) => {
    const { kind, names } = addressParts(address);
    const { key } = RESOURCES[kind];
    const typed = Object.fromEntries(key.map(({ field }, at) => [field, names[at] ?? ""]));
    const found = await withIds({ ...ports, ...NOBODY }, kind, typed, state);
    const ids = new Map(
      key.flatMap(({ field, references }, at): [Address, string][] =>
        references ? [[addressOf(references, names[at] ?? ""), found[field] ?? ""]] : [],
      ),
    );
    return createSingle(ports, { ...resourceAt(address), ...contentOf(kind, url) }, ids);
  },
  update: async (ports, { address, url, name }, state) => {
    const { kind, names } = addressParts(address) as { kind: NamedKind; names: readonly string[] };
    const listed = (await ifAvailable(listResources(ports, kind))) ?? [];
    const all = withKnown(listed, state, kind);
    const search = { ...searchFor(kind), exact: true };
    const [typed = ""] = names;
    const found = await findResource(kind, typed, { [kind]: all }, search, NOBODY);
    const isTaken = all.some(
      (one) => name !== undefined && one.name === name && one.id !== found.id,
    );
    if (isTaken) throw new NotFoundError("the name is taken");
    const to = addressOf(kind, name ?? typed);
    const content = kind === "destination" ? { ...typeOf(found), metadata: { url } } : {};
    const resource: Resource = { ...resourceAt(to), content };
    const { mask } = compare("", resource, undefined, found);
    if (mask.length === 0) return undefined;
    return updateSingle(ports, { resource, id: found.id, mask, listedName: typed, address });
  },
  delete: async (ports, { address, references }, state) => {
    const { kind, names } = addressParts(address);
    const route = isNamed(kind) ? undefined : await routeId(ports, kind, names);
    const shown = await ifAvailable(listAround(ports, kind));
    const listed = withState(ports, shown, state);
    const search = { ...searchFor(kind), exact: true };
    const { id } = await findResource(kind, route ?? names[0] ?? "", listed, search, NOBODY);
    const routes = RESOURCE_ORDER.flatMap((using) => {
      const field = RESOURCES[using].key.find((one) => one.references === kind)?.field;
      const users = (listed[using] ?? []).filter((one) => field && one[field] === id);
      return users.map((one) => ({
        ...{ kind: using, id: one.id, address: addressIn(using, one, listed) },
      }));
    });
    const mayBeUsed = routes.length > 0 || (shown === undefined && isNamed(kind));
    if (mayBeUsed && !references) throw new NotFoundError("in use");
    const all = [...routes, { kind, id, address }];
    return deleteSingle(ports, all, shown !== undefined, state);
  },
};

function typeOf({ type }: LiveRecord) {
  return type ? { type } : {};
}

function contentOf(kind: ResourceKind, url: string) {
  return kind === "destination" ? { content: { type: "webhook", metadata: { url } } } : {};
}

async function routeId(ports: EnginePorts, kind: ResourceKind, names: readonly string[]) {
  const fields = Object.fromEntries(RESOURCES[kind].key.map(({ field }, at) => [field, names[at]]));
  return (await findRoute({ ...ports, ...NOBODY }, { kinds: [kind as RouteKind], fields })).id;
}

/** What is listed, and of the state what no list may show yet; without lists all that it has. */
function withState(
  ports: EnginePorts,
  shown: ListedRouting | undefined,
  state: RoutingState | undefined,
): ListedRouting {
  const horizons = createHorizons(ports);
  const ids = new Map(
    [...(state?.entries ?? [])].flatMap(([at, { id }]) => (id ? [[at, id]] : [])),
  );
  const listed: Partial<Record<ResourceKind, LiveRecord[]>> = {};
  for (const kind of RESOURCE_ORDER) {
    const all = isNamed(kind) && shown ? withKnown(shown[kind] ?? [], state, kind) : shown?.[kind];
    listed[kind] = [...(all ?? [])];
  }
  for (const [at, { id, time = "", serviceTime }] of state?.entries ?? []) {
    const { kind } = addressParts(at);
    const age = { time, ...defined({ serviceTime }) };
    const isMissing = listed[kind]?.every((one) => one.id !== id);
    const isOpen =
      shown === undefined || (!isNamed(kind) && horizons.of(at, age) > ports.elapsed());
    if (id && isMissing && isOpen) listed[kind]?.push({ id, ...keyFieldsOf(resourceAt(at), ids) });
  }
  return listed;
}

/** Changes the state under its lock. */
function edit(ports: EnginePorts, change: (state: RoutingState) => RoutingState): Promise<void> {
  const { backend, signal, command } = ports;
  return backend.withLock({ command, wait: 0, signal }, async (held) => {
    const saved = await savedOrNew(await held.read(), { ...ports, location: backend.location });
    const next = { ...change(saved), serial: saved.serial + 1 };
    await held.check();
    await held.write(stateText(next), "result");
  });
}
