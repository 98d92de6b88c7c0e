/** What fails together: unhealthy installations of one provider, cause and hour. Sends nothing. */

import type { Incident, UnhealthyInstallation } from "../documents/inspect.ts";
import { counted, numberText } from "../values/counted.ts";
import { defined } from "../values/json.ts";
import { timeOf } from "../values/time.ts";

/** What the operations and the log of an installation say about its failure. */
export interface LookedUp {
  /** The time of the first failed operation since the last one that succeeded. */
  readonly since?: string | undefined;
  /** Whether older operations failed too, and were not read. */
  readonly atLeast?: boolean | undefined;
  readonly cause?: string | undefined;
}

type Known = ReadonlyMap<string, LookedUp>;
type State = Pick<
  UnhealthyInstallation,
  "id" | "provider" | "connectionStatus" | "lastOperationStatus"
>;

/** Installations whose lists show the same: provider, connection and last operation. */
interface Alike<One extends State> {
  readonly all: readonly One[];
  readonly looked: readonly One[];
}

const HOUR_MS = 3_600_000;
/** The size from which a group is listed before all smaller ones. */
const LARGE = 10;
/** The steps through a list that reach all parts of it early: the golden ratio. */
const STEP = 0.618;
/** The kinds that are looked up further before it is judged again which ones tell most. */
const AT_A_TIME = 4;

/**
 * The installations to look up next, the most telling first; none where all are known. One of each
 * kind, and more of those whose last operation failed: they may have different causes.
 */
export function nextLookups<One extends State>(all: readonly One[], known: Known): One[] {
  const kinds = kindsOf(all, known);
  const first = kinds.flatMap(({ all: members, looked }) =>
    looked.length === 0 ? (members[0] ?? []) : [],
  );
  if (first.length > 0) return first;
  const further = kinds.flatMap((kind) => {
    const { all: members, looked } = kind;
    if (looked.length === members.length) return [];
    // A kind of several causes is only known whole: a large one is not worth the requests.
    const isMixed = groupsOf(looked, known).length > 1;
    const isFailure = members[0]?.lastOperationStatus === "failure";
    return [{ kind, rank: isMixed ? members.length : isFailure ? looked.length : members.length }];
  });
  return further
    .toSorted((one, other) => one.rank - other.rank)
    .slice(0, AT_A_TIME)
    .flatMap(({ kind }) => unread(kind, known));
}

/** The next one of a kind, from another part of the list; of many, as many as were looked up. */
function unread<One extends State>({ all, looked }: Alike<One>, known: Known): One[] {
  const left = all.filter(({ id }) => !known.has(id));
  const count = Math.max(1, Math.floor(looked.length / 2));
  const places = Array.from({ length: count }, (_, place) =>
    Math.floor((((looked.length + place) * STEP) % 1) * left.length),
  );
  return [...new Set(places)].flatMap((place) => left.slice(place, place + 1));
}

function kindsOf<One extends State>(all: readonly One[], known: Known): Alike<One>[] {
  return [...Map.groupBy(all, kindOf).values()]
    .map((members) => ({ all: members, looked: members.filter(({ id }) => known.has(id)) }))
    .sort((one, other) => other.all.length - one.all.length);
}

function kindOf({ provider, connectionStatus, lastOperationStatus }: State): string {
  return JSON.stringify([provider, connectionStatus, lastOperationStatus]);
}

/** Splits by cause and by the hour of the beginning. */
function groupsOf<One extends State>(looked: readonly One[], known: Known): One[][] {
  const byCause = Map.groupBy(looked, ({ id }) => causeKey(known.get(id)?.cause));
  return [...byCause.values()].flatMap((members) => byHour(members, known));
}

/** The numbers of a cause but its first word, which may be an HTTP status. */
const VARIABLE = /(?<!^)\b\d+\b/gu;

/** A cause without such numbers: "retry after 540 s" is "retry after 600 s". */
function causeKey(cause: string | undefined): string {
  return (cause ?? "").replaceAll(VARIABLE, "0");
}

function byHour<One extends State>(members: readonly One[], known: Known): One[][] {
  const start = ({ id }: State) => timeOf(known.get(id)?.since) ?? 0;
  const groups: One[][] = [];
  for (const one of members.toSorted((a, b) => start(a) - start(b))) {
    const last = groups.at(-1);
    const [first] = last ?? [];
    // One that may have failed for longer began with the first.
    if (known.get(one.id)?.atLeast && groups[0]) groups[0].push(one);
    else if (last && first && start(one) - start(first) < HOUR_MS) last.push(one);
    else groups.push([one]);
  }
  return groups;
}

/**
 * The groups of at least two that fail together: large ones before the others, then the newest
 * first. They have one provider, connection and last operation; one cause and hour only where all of
 * these were looked up.
 */
export function incidentsOf(all: readonly State[], known: Known): Incident[] {
  const kinds = kindsOf(all, known);
  const incidents = kinds.flatMap((kind) => {
    const filters = filtersOf(kind.all, all);
    const groups = groupsOf(kind.looked, known);
    const isWhole = kind.looked.length === kind.all.length;
    if (!isWhole || groups.length < 2) return [incident(kind.all, kind.looked, known, filters)];
    return groups.map((members) =>
      incident(members, members, known, [...filters, ...ownFilters(members, groups, known)]),
    );
  });
  const isLarge = ({ installations }: Incident) =>
    installations >= Math.min(LARGE, all.length / 10);
  const startOf = ({ since }: Incident) => timeOf(since) ?? 0;
  return incidents
    .filter(({ installations }) => installations > 1)
    .sort(
      (one, other) =>
        Number(isLarge(other)) - Number(isLarge(one)) ||
        startOf(other) - startOf(one) ||
        other.installations - one.installations,
    );
}

function incident(
  members: readonly State[],
  looked: readonly State[],
  known: Known,
  filters: string[],
): Incident {
  const [{ provider, connectionStatus, lastOperationStatus } = {}] = members as Partial<State>[];
  const times = timesOf(looked, known);
  const since = times[0];
  const last = times.findLast((time) => !looked.some(isLonger(known, time)));
  const isSpread = (timeOf(last) ?? 0) - (timeOf(since) ?? 0) >= HOUR_MS;
  const causes = [...Map.groupBy(looked, ({ id }) => causeKey(known.get(id)?.cause)).values()]
    .flatMap((some) => {
      const text = known.get(some[0]?.id ?? "")?.cause;
      return text === undefined ? [] : [{ text, found: some.length }];
    })
    .sort((one, other) => other.found - one.found);
  return defined({
    installations: members.length,
    provider,
    connectionStatus,
    lastOperationStatus,
    since,
    latest: isSpread ? last : undefined,
    failingLonger: looked.some(({ id }) => known.get(id)?.atLeast) ? (true as const) : undefined,
    causes,
    lookedUp: looked.length,
    filters,
  });
}

/** The times since when these fail, the first before the others. */
function timesOf(looked: readonly State[], known: Known): string[] {
  return looked
    .flatMap(({ id }) => known.get(id)?.since ?? [])
    .sort((one, other) => (timeOf(one) ?? 0) - (timeOf(other) ?? 0));
}

/** Whether one began to fail at this time or earlier. */
function isLonger(known: Known, time: string) {
  return ({ id }: State) => known.get(id)?.since === time && known.get(id)?.atLeast === true;
}

/** The conditions of `--filter` by which a list has these unhealthy installations and no others. */
function filtersOf(members: readonly State[], all: readonly State[]): string[] {
  const [first] = members;
  if (first === undefined) return [];
  const others = all.filter(
    (one) => one.provider === first.provider && kindOf(one) !== kindOf(first),
  );
  const isAlone = (...names: (keyof State)[]) =>
    others.every((one) => names.some((name) => one[name] !== first[name]));
  const connection = `connection=${first.connectionStatus ?? ""}`;
  const lastOp = `last-op=${first.lastOperationStatus ?? ""}`;
  const state = isAlone("connectionStatus")
    ? [connection]
    : isAlone("lastOperationStatus")
      ? [lastOp]
      : [connection, lastOp];
  const states = others.length === 0 ? [] : state;
  return ["health=unhealthy", `provider=${first.provider ?? ""}`, ...states];
}

/** The conditions that separate a group from the others of its kind. */
function ownFilters(
  members: readonly State[],
  groups: readonly (readonly State[])[],
  known: Known,
): string[] {
  const of = (one: State | undefined) => known.get(one?.id ?? "");
  const cause = of(members[0])?.cause;
  const same = groups.filter(([one]) => causeKey(of(one)?.cause) === causeKey(cause));
  const times = timesOf(members, known);
  return [
    cause === undefined ? "cause=" : `cause~${longestWords(cause)}`,
    ...(same.length > 1 && times.length > 0
      ? [`failing-since>=${times[0]}`, `failing-since<=${times.at(-1)}`]
      : []),
  ];
}

/** The longest part of a cause without such numbers, which differ from one installation to another. */
function longestWords(cause: string): string {
  const parts = cause.split(VARIABLE).map((part) => part.trim());
  return parts.toSorted((one, other) => other.length - one.length)[0] ?? cause;
}

/** The requests for causes and times without `--lookups`, and the maximum with it. */
export const DEFAULT_LOOKUPS = 40;
export const MAX_LOOKUPS = 10_000;

/** What was looked up, where it was not all; empty otherwise. */
export function lookupNote(lookedUp: number, all: number, requests: number): string {
  if (lookedUp >= all) return "";
  const of = `${numberText(lookedUp)} of ${counted(all, "unhealthy installation")}`;
  const more = Math.min(MAX_LOOKUPS, 2 * all);
  return `Looked up ${of} with ${counted(requests, "request")}; the others may have failed since other times, for other causes. --lookups ${more} looks up more.`;
}
