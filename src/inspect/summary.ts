import type { ListResult } from "../api/operations/endpoint.ts";
import type { Installation } from "../api/schemas/installation.ts";
import type { CommandContext } from "../context/command-context.ts";
import type {
  Incident,
  InstallationSummary,
  UnhealthyInstallation,
  ValueCount,
} from "../documents/inspect.ts";
import { countedBatches } from "../values/batches.ts";
import { counted, numberText } from "../values/counted.ts";
import { filtersText, narrowed } from "../values/filter.ts";
import { defined } from "../values/json.ts";
import { suggest } from "../values/suggested-command.ts";
import { shortTimeText, timeOf } from "../values/time.ts";
import { createSelection } from "../view/selection.ts";
import {
  type Block,
  type Cell,
  dimBlock,
  id,
  joined,
  nextBlock,
  type Page,
  sentence,
  time,
  toned,
} from "../view/view.ts";
import { lookUpFailing, unhealthyFacts } from "./failing.ts";
import { incidentsOf, lookupNote } from "./incidents.ts";
import {
  INSTALLATION_NAMES,
  type InstallationScope,
  integrationNames,
  stateCell,
  streamInstallations,
  withIntegrationNames,
} from "./installations.ts";

type SummaryField = keyof typeof FIELDS;

/** The heading of each field and its value of an installation, in the order of reading. */
const FIELDS = {
  health: ["Health", ({ healthStatus }) => healthStatus],
  lastOperation: ["Last operation", ({ lastOperationStatus }) => lastOperationStatus],
  connection: ["Connection", ({ connection }) => connection.status],
  provider: [
    "Provider",
    ({ config, connection }) => config.content?.provider || connection.provider,
  ],
  integration: ["Integration", ({ integrationId }) => integrationId],
} as const satisfies Readonly<
  Record<string, readonly [string, (installation: Installation) => string | null | undefined]>
>;

const FIELD_NAMES = Object.keys(FIELDS) as SummaryField[];

/**
 * Counts the installations of a scope as the list arrives, in memory that depends on the number of
 * different values and of unhealthy installations alone.
 * @param filters the conditions of `--filter`
 * @param lookups the maximum of requests for causes; undefined: a few
 */
export async function summariseInstallations(
  context: Pick<CommandContext, "api" | "report" | "signal" | "now">,
  scope: InstallationScope,
  filters: readonly string[],
  lookups: number | undefined,
): Promise<InstallationSummary> {
  const { api, report, now } = context;
  const query = { filters, sortBy: [], limit: undefined };
  const selection = createSelection(INSTALLATION_NAMES, query, { now: now() });
  // The names arrive while the list does; a failure is reported where they are awaited.
  const named = integrationNames(api, scope.project);
  named.catch(() => {});
  const counted = byField(() => new Map<string | null, number>());
  const unhealthy: UnhealthyInstallation[] = [];
  let total = 0;
  const listed = await streamInstallations(api, scope);
  const isNamed = selection.uses("Integration");
  const seen = isNamed ? withIntegrationNames(listed, await named) : listed;
  const list = selection.of(seen) as ListResult<Installation>;
  for await (const batch of countedBatches(list, report, "Counting the installations")) {
    for (const installation of batch) {
      for (const field of FIELD_NAMES) {
        const value = FIELDS[field][1](installation) || null;
        const counts = counted[field];
        counts.set(value, (counts.get(value) ?? 0) + 1);
      }
      if (installation.healthStatus === "unhealthy") unhealthy.push(unhealthyFacts(installation));
    }
    total += batch.length;
  }
  for (const { text } of selection.doubts()) report.warn(text);
  const names = await named;
  const { project, integration, groupRef } = scope;
  const facts = await lookUpFailing(context, project, unhealthy, lookups);
  return {
    project,
    ...defined({ integration, groupRef }),
    filters,
    installations: total,
    counts: byField((field) => sorted(counted[field], field === "integration" ? names : undefined)),
    ...defined({ operationsServed: facts.served }),
    lookedUp: facts.known.size,
    requests: facts.requests,
    incidents: incidentsOf(unhealthy, facts.known),
    unhealthy: longestFirst(
      unhealthy.map((one) => {
        const { since, atLeast, cause } = facts.known.get(one.id) ?? {};
        const integrationName = names.get(one.integrationId);
        const failingLonger = atLeast ? (true as const) : undefined;
        return {
          ...one,
          ...defined({ integrationName, failingSince: since, cause, failingLonger }),
        };
      }),
    ),
  };
}

/** The installations with a time in its order, then the others as they were. */
function longestFirst(all: readonly UnhealthyInstallation[]): UnhealthyInstallation[] {
  const startOf = ({ failingSince }: UnhealthyInstallation) =>
    timeOf(failingSince) ?? Number.MAX_VALUE;
  return all.toSorted((one, other) => startOf(one) - startOf(other));
}

function byField<Value>(make: (field: SummaryField) => Value) {
  const entries = FIELD_NAMES.map((field) => [field, make(field)] as const);
  return Object.fromEntries(entries) as Record<SummaryField, Value>;
}

/** @param names of the values, where they have some */
function sorted(
  counts: ReadonlyMap<string | null, number>,
  names: ReadonlyMap<string, string> | undefined,
): ValueCount[] {
  return [...counts]
    .map(([value, count]) => defined({ value, name: names?.get(value ?? ""), count }))
    .sort((a, b) => b.count - a.count || ((a.value ?? "") < (b.value ?? "") ? -1 : 1));
}

/** The fields whose values are states, which have words and tones. */
const STATES: ReadonlySet<SummaryField> = new Set(["health", "lastOperation", "connection"]);

/** The bars of a field, and the unhealthy installations, that a terminal shows. */
const SHOWN_BARS = 12;
const SHOWN_INSTALLATIONS = 20;
const SHOWN_INCIDENTS = 10;

/** The counts of installations as a page: a bar for each value, then those that are unhealthy. */
export function summaryPage(summary: InstallationSummary): Page {
  const { project, integration, groupRef, filters, installations, counts } = summary;
  const name = counts.integration.find(({ value }) => value === integration)?.name;
  return {
    title: joined([counted(installations, "installation"), unhealthyText(summary)], ", ") ?? "",
    aside:
      joined([
        `project ${project}`,
        integration && `integration ${name ?? integration}`,
        groupRef && `group ${groupRef}`,
        filtersText(filters),
      ]) ?? "",
    blocks: [
      ...incidentBlocks(summary),
      ...FIELD_NAMES.flatMap((field) => (installations > 0 ? barsOf(field, counts[field]) : [])),
      ...unhealthyBlocks(summary),
      ...nextBlocks(summary),
    ],
  };
}

function unhealthyText({ unhealthy, installations }: InstallationSummary): string | false {
  if (installations === 0) return false;
  return unhealthy.length === 0 ? "none unhealthy" : `${numberText(unhealthy.length)} unhealthy`;
}

/** What fails together, the large and newest first. */
function incidentBlocks(summary: InstallationSummary): Block[] {
  const { incidents } = summary;
  const { operationsServed, lookedUp, requests, unhealthy } = summary;
  const note =
    operationsServed === false
      ? "This service does not report when installations began to fail."
      : operationsServed === true && lookupNote(lookedUp, unhealthy.length, requests);
  const noted = note ? [dimBlock(note)] : [];
  if (incidents.length === 0) return noted;
  const all = incidents.map(incidentRow);
  return [
    {
      kind: "grid",
      heading: "Failing together",
      columns: ["Count", "Provider", "Looked up", "Since", "Cause"],
      rows: all,
      onTerminal: all.slice(0, SHOWN_INCIDENTS),
    },
    ...moreBlock(all.length - SHOWN_INCIDENTS),
    ...noted,
  ];
}

/** Says on a terminal how many rows it leaves out. */
function moreBlock(count: number): Block[] {
  return count > 0 ? [{ ...dimBlock(`and ${numberText(count)} more`), onTerminal: true }] : [];
}

function incidentRow(incident: Incident): Cell[] {
  const { installations, provider, lookedUp, since, latest, failingLonger } = incident;
  const at = since && shortTimeText(since, new Date(since));
  return [
    installations,
    provider ?? toned("dim", "(none)"),
    lookedUp === installations ? "all" : numberText(lookedUp),
    // The last of them may have begun days later: the JSON has when.
    at && sentence(`${latest ? "from " : ""}${at}${failingLonger ? " or earlier" : ""}`),
    sentence(causeText(incident)),
  ];
}

/** The cause, or the causes with their counts, or else what the list shows. */
function causeText(incident: Incident): string {
  const { causes, lookedUp } = incident;
  const [first] = causes;
  if (first === undefined) return stateText(incident);
  if (first.found === lookedUp) return first.text;
  return causes.map(({ text, found }) => `${text} (${found})`).join(", ");
}

/** The state of the connection or of a failed operation, for want of a cause. */
function stateText({
  connectionStatus,
  lastOperationStatus,
}: Pick<UnhealthyInstallation, "connectionStatus" | "lastOperationStatus">): string {
  const states = [
    connectionStatus && connectionStatus !== "working" && `connection ${connectionStatus}`,
    lastOperationStatus === "failure" && "last operation failure",
  ];
  return (joined(states, ", ") ?? "not known").replaceAll("_", " ");
}

function barsOf(field: SummaryField, counts: readonly ValueCount[]): Block {
  return {
    kind: "bars",
    heading: FIELDS[field][0],
    bars: counts.map(({ value, name, count }) => ({
      label: labelOf(field, value, name),
      count,
    })),
    maxBars: SHOWN_BARS,
  };
}

function labelOf(field: SummaryField, value: string | null, name: string | undefined): Cell {
  if (value === null) return toned("dim", "(none)");
  if (STATES.has(field)) return stateCell(value);
  return name === undefined ? value : { text: name, raw: value };
}

function unhealthyBlocks(summary: InstallationSummary): Block[] {
  const { unhealthy: all } = summary;
  if (all.length === 0) return [];
  return [
    {
      kind: "grid",
      heading: "Unhealthy",
      columns: ["Group", "Failing since", "ID", "Cause"],
      rows: all.map(unhealthyRow),
      onTerminal: all.slice(0, SHOWN_INSTALLATIONS).map(unhealthyRow),
    },
    ...moreBlock(all.length - SHOWN_INSTALLATIONS),
  ];
}

/** The commands that list the first of what fails together, and the one that shows an installation. */
function nextBlocks(summary: InstallationSummary): Block[] {
  const { incidents, operationsServed, unhealthy } = summary;
  if (unhealthy.length === 0) return [];
  // Such a list shows since when and why each of them fails.
  const sort = operationsServed === false ? {} : { sortBy: "failing-since" };
  const lists = incidents.slice(0, 2).map(({ filters }) => listOf(summary, filters, sort));
  const rest = unhealthy.length > SHOWN_INSTALLATIONS && lists.length < 2;
  return [
    nextBlock(
      ...lists,
      ...(rest ? [listOf(summary, ["health=unhealthy"])] : []),
      suggest("installations get", [{ placeholder: "id" }]),
    ),
  ];
}

function listOf(
  { integration, groupRef, filters }: InstallationSummary,
  filter: readonly string[],
  more = {},
) {
  const scope = { groupRef, filter: narrowed(filters, filter), ...more };
  return integration === undefined
    ? suggest("installations list", [], { allIntegrations: true, ...scope })
    : suggest("installations list", [integration], scope);
}

function unhealthyRow(one: UnhealthyInstallation): Cell[] {
  return [
    one.group ?? toned("dim", "(no group)"),
    time(one.failingSince, one.failingLonger),
    id(one.id),
    sentence(one.cause ?? stateText(one)),
  ];
}
