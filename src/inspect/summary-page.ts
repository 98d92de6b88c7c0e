import { counted, numberText } from "../values/counted.ts";
import { suggest } from "../values/suggested-command.ts";
import {
  type Block,
  type Cell,
  dimBlock,
  id,
  joined,
  type Page,
  time,
  toned,
} from "../view/view.ts";
import { stateCell } from "./cells.ts";
import type {
  InstallationSummary,
  SummaryField,
  UnhealthyInstallation,
  ValueCount,
} from "./summary.ts";

/** The headings of the counts, in the order of reading. */
const HEADINGS = {
  health: "Health",
  lastOperation: "Last operation",
  connection: "Connection",
  provider: "Provider",
  integration: "Integration",
} as const satisfies Readonly<Record<SummaryField, string>>;

/** The fields whose values are states, which have words and tones. */
const STATES: ReadonlySet<SummaryField> = new Set(["health", "lastOperation", "connection"]);

/** The bars of a field, and the unhealthy installations, that a terminal shows. */
const SHOWN_BARS = 12;
const SHOWN_INSTALLATIONS = 20;
const NAMED = 3;

/** The counts of installations as a page: a bar for each value, then those that are unhealthy. */
export function summaryPage(summary: InstallationSummary): Page {
  const { project, integration, groupRef, installations, counts } = summary;
  const name = counts.integration.find(({ value }) => value === integration)?.name;
  return {
    title: counted(installations, "installation"),
    aside:
      joined([
        `project ${project}`,
        integration && `integration ${name ?? integration}`,
        groupRef && `group ${groupRef}`,
      ]) ?? "",
    blocks: [
      ...(Object.entries(HEADINGS) as [SummaryField, string][]).flatMap(([field, heading]) =>
        installations > 0 ? barsOf(field, heading, counts[field]) : [],
      ),
      ...unhealthyBlocks(summary),
    ],
  };
}

function barsOf(field: SummaryField, heading: string, counts: readonly ValueCount[]): Block {
  return {
    kind: "bars",
    heading,
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
  const more = all.length - SHOWN_INSTALLATIONS;
  const note = noteOnTimes(summary);
  return [
    {
      kind: "grid",
      heading: "Unhealthy",
      columns: ["Group", "Failing since", "Connection", "ID"],
      rows: all.map(unhealthyRow),
      onTerminal: all.slice(0, SHOWN_INSTALLATIONS).map(unhealthyRow),
    },
    ...(more > 0
      ? [{ ...dimBlock(`and ${numberText(more)} more`), onTerminal: true } as const]
      : []),
    ...(note === "" ? [] : [dimBlock(note)]),
    {
      kind: "command",
      lines: [
        suggest("installations get", [{ placeholder: "id" }]),
        ...(more > 0 ? [listOfAll(summary)] : []),
      ],
    },
  ];
}

function listOfAll({ integration, groupRef }: InstallationSummary) {
  const scope = { groupRef, filter: ["health=unhealthy"] };
  return integration === undefined
    ? suggest("installations list", [], { allIntegrations: true, ...scope })
    : suggest("installations list", [integration], scope);
}

/** The note on the times; empty if all of them are known. */
function noteOnTimes({ operationsServed, lookedUp, unhealthy }: InstallationSummary): string {
  if (operationsServed === undefined) return "";
  if (!operationsServed) return "This service does not report when installations began to fail.";
  const longer = unhealthy
    .filter(({ failingLonger }) => failingLonger)
    .map(({ id: own, group }) => (group ? `${group} (${own})` : own));
  const others = longer.length - NAMED;
  const named = [...longer.slice(0, NAMED), ...(others > 0 ? [`${others} more`] : [])].join(", ");
  return [
    longer.length > 0 && `Possibly longer, because no earlier success was found: ${named}.`,
    lookedUp < unhealthy.length &&
      `Looked up ${lookedUp} of ${unhealthy.length}, longest first; ${moreLookups(unhealthy.length)}.`,
  ]
    .filter((text) => text !== false)
    .join(" ");
}

/** The option that looks up the others: it takes no more than 10,000. */
function moreLookups(count: number): string {
  return count <= 10_000 ? `--lookups ${count} looks up all of them` : "--lookups sets the number";
}

function unhealthyRow(one: UnhealthyInstallation): Cell[] {
  return [
    one.group ?? toned("dim", "(no group)"),
    time(one.failingSince),
    stateCell(one.connectionStatus),
    id(one.id),
  ];
}
