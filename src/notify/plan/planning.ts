import type { Difference } from "../../documents/routing.ts";
import { type Address, addressOf, recordKey } from "../model/address.ts";
import { type LiveRecord, NAMED_GROUPS, NAMED_KINDS } from "../model/resource.ts";
import {
  dependenciesOf,
  type Resource,
  type RoutingModel,
  referencedIds,
} from "../model/routing.ts";
import { type Entry, kindOf, type Mark, ownerOf, type RoutingState } from "../state/state.ts";
import { KnownEntries } from "./known-entries.ts";
import type { Observation } from "./live.ts";
import type { Plan } from "./plan.ts";
import { decidingChoices, NO_CHOICES, type PlanChoices } from "./table.ts";

/** The choices of a run. */
export interface RunChoices extends PlanChoices {
  /** Exactly these, by kind and ID, are deleted, and nothing else: what a run created. */
  readonly undo?: ReadonlySet<string> | undefined;
}

/** The input of a plan. */
export interface PlanInput {
  readonly model: RoutingModel;
  readonly state: Pick<RoutingState, "entries" | "left" | "marks" | "key"> | undefined;
  /** What the service lists, and how far it may be believed. */
  readonly seen: Observation;
  /** Absent: none. */
  readonly choices?: RunChoices;
  /** The reads of customers that name a destination, in lines of text, by its name. */
  readonly reads?: ReadonlyMap<string, readonly string[]>;
}

/** A plan that is being made. */
export type Planning = ReturnType<typeof startedPlan>;

/** Begins a plan. */
export function startedPlan(
  { model, state, seen, choices = NO_CHOICES, reads = new Map() }: PlanInput,
  resources: readonly Resource[],
) {
  const byId = referencedIds(model);
  const declared = Map.groupBy(byId, ([address, id]) => recordKey(kindOf(address), id));
  return {
    seen,
    choices,
    reads,
    /** The choices, as the table of decisions asks for them. */
    deciding: decidingChoices(choices),
    /** The key of the digests. */
    key: state?.key ?? "",
    /** The name of the file; absent: it has none. */
    file: model.name,
    owner: ownerOf(model),
    entries: new KnownEntries(state),
    marks: state?.marks ?? new Map<string, Mark>(),
    /** The addresses that the file names, also by ID. */
    named: new Set([...byId.keys(), ...resources.map(({ address }) => address)]),
    /** The addresses of what the file declares by ID, by kind and ID. */
    declaredById: new Map(
      [...declared].map(([key, all]) => [key, all.map(([address]) => address)]),
    ),
    /** The earlier names of the file, by the new address. */
    renames: declaredRenames(model),
    /** The IDs of what was planned; null for what is created now. */
    ids: new Map<Address, string | null | typeof IN_CONFLICT>(),
    /** The resources of which the list is behind what amp did. */
    waiting: [] as Plan["waiting"][number][],
  };
}

function declaredRenames(model: RoutingModel): Map<Address, Rename> {
  return new Map(
    NAMED_KINDS.flatMap((kind) =>
      [...model[NAMED_GROUPS[kind]]].flatMap(([name, part]): [Address, Rename][] => {
        const before = "renamedFrom" in part ? part.renamedFrom : undefined;
        if (before === undefined) return [];
        return [[addressOf(kind, name), { from: addressOf(kind, before) }]];
      }),
    ),
  );
}

/** A name that the file declares as earlier. */
interface Rename {
  readonly from: Address;
  /** The listed record of the earlier name, where the state has neither. */
  readonly listed?: LiveRecord;
  /** Both names exist: which one is meant is not known. */
  readonly both?: readonly Difference[];
}

/** In place of the ID of what is in conflict. */
export const IN_CONFLICT = Symbol("in conflict");

/** The IDs of a route's topic and destination, and whether they are the ones that it was made with. */
export function endsOf(plan: Planning, resource: Resource, entry: Entry | undefined) {
  const planned = dependenciesOf(resource).map((end) => [end, plan.ids.get(end) ?? null] as const);
  const ids = new Map(planned.flatMap(([end, id]) => (typeof id === "string" ? [[end, id]] : [])));
  const [inConflict] = planned.findLast(([, id]) => id === IN_CONFLICT) ?? [];
  const isNew = planned.some(([, id]) => id === null) || isElsewhere(resource, entry, ids);
  const ends = inConflict ? "in conflict" : isNew ? "new" : "kept";
  return { ends, ids, inConflict } as const;
}

function isElsewhere(
  resource: Resource,
  entry: Entry | undefined,
  ids: ReadonlyMap<Address, string>,
): boolean {
  const now = dependenciesOf(resource).map((address) => ids.get(address));
  return entry?.key !== undefined && now.some((id) => id !== undefined && !entry.key?.includes(id));
}
