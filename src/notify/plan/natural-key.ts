import { type Address, destinationAddress, topicAddress } from "../address.ts";
import { STEP_ORDER, type Step, type StepKind } from "../steps.ts";
import type { LiveRouting } from "./live.ts";

/** A record of any of the lists, by the fields that matter here. */
export interface LiveRecord {
  readonly id: string;
  readonly name?: string | null | undefined;
  readonly type?: string | null | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | null | undefined;
  readonly topicId?: string | null | undefined;
  readonly eventType?: string | null | undefined;
  readonly destinationId?: string | null | undefined;
}

/** The list of each kind. */
const LISTS = {
  destination: "destinations",
  topic: "topics",
  "event-route": "eventRoutes",
  "destination-route": "destinationRoutes",
} as const satisfies Readonly<Record<StepKind, keyof LiveRouting>>;

/**
 * What makes two records of a kind the same thing. Routes have no name of their own, and are what
 * silently doubles.
 */
const KEYS: Readonly<Record<StepKind, readonly (keyof LiveRecord)[]>> = {
  destination: ["name"],
  topic: ["name"],
  "event-route": ["topicId", "eventType"],
  "destination-route": ["topicId", "destinationId"],
};

/** The records of a kind. */
export function recordsOf(live: LiveRouting, kind: StepKind): readonly LiveRecord[] {
  return live[LISTS[kind]];
}

/** The addresses of what a route connects; none for what is no route. */
export function endsOf(step: Step): readonly Address[] {
  if ("event" in step) return [topicAddress(step.topic)];
  if ("destination" in step)
    return [topicAddress(step.topic), destinationAddress(step.destination)];
  return [];
}

/** What the service lists, to be found by natural key or id. */
export interface LiveIndex {
  /**
   * The records of a step's natural key.
   * @param ids of the ends of a route; without them there can be no such route
   */
  matches(step: Step, ids: ReadonlyMap<Address, string>): readonly LiveRecord[];
  byId(kind: StepKind, id: string): LiveRecord | undefined;
  /** Natural keys with several records. */
  duplicates(): readonly { readonly kind: StepKind; readonly records: readonly LiveRecord[] }[];
}

/** Sorts what the service lists, once, so that looking something up is quick. */
export function indexLive(live: LiveRouting): LiveIndex {
  const byKey = new Map<string, LiveRecord[]>();
  const byId = new Map<string, LiveRecord>();
  for (const kind of STEP_ORDER) {
    for (const record of recordsOf(live, kind)) {
      const idKey = joined([kind, record.id]);
      // A list that repeats a record has no two of it.
      if (byId.has(idKey)) continue;
      byId.set(idKey, record);
      const key = keyOf(kind, record);
      if (key === undefined) continue;
      const same = byKey.get(key);
      if (same === undefined) byKey.set(key, [record]);
      else same.push(record);
    }
  }
  return {
    matches: (step, ids) => {
      const key = keyOf(step.kind, wantedKey(step, ids));
      return key === undefined ? [] : (byKey.get(key) ?? []);
    },
    byId: (kind, id) => byId.get(joined([kind, id])),
    duplicates: () =>
      [...byKey]
        .filter(([, records]) => records.length > 1)
        .map(([key, records]) => ({ kind: (JSON.parse(key) as [StepKind])[0], records })),
  };
}

/** The records of a step's natural key. For one step; for many, {@link indexLive}. */
export function matches(
  live: LiveRouting,
  step: Step,
  ids: ReadonlyMap<Address, string>,
): readonly LiveRecord[] {
  return indexLive(live).matches(step, ids);
}

/** The addresses whose natural key has several records: the last look of a run. */
export function duplicatesOf(
  live: LiveRouting,
  steps: readonly Step[],
  ids: ReadonlyMap<Address, string>,
): { readonly address: Address; readonly ids: readonly string[] }[] {
  const index = indexLive(live);
  return steps.flatMap((step) => {
    const found = index.matches(step, ids);
    return found.length > 1 ? [{ address: step.address, ids: found.map(({ id }) => id) }] : [];
  });
}

type KeyFields = Omit<LiveRecord, "id">;

function wantedKey(step: Step, ids: ReadonlyMap<Address, string>): KeyFields {
  if ("name" in step) return { name: step.name };
  const [topicId, destinationId] = endsOf(step).map((end) => ids.get(end));
  return "event" in step ? { topicId, eventType: step.event } : { topicId, destinationId };
}

function keyOf(kind: StepKind, record: Partial<LiveRecord>): string | undefined {
  const parts = KEYS[kind].map((field) => record[field]);
  return parts.every((part) => typeof part === "string" && part !== "")
    ? joined([kind, ...parts])
    : undefined;
}

function joined(parts: readonly unknown[]): string {
  return JSON.stringify(parts);
}
