import { suggest } from "../values/suggested-command.ts";
import { type Block, type Cell, id, joined, type Page, toned } from "../view/view.ts";
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

/** The counts of installations as a page: a bar for each value, then those that are unhealthy. */
export function summaryPage(summary: InstallationSummary): Page {
  const { project, integration, groupRef, installations, counts, unhealthy } = summary;
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
      ...unhealthyBlocks(unhealthy),
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
    shown: SHOWN_BARS,
  };
}

function labelOf(field: SummaryField, value: string | null, name: string | undefined): Cell {
  if (value === null) return toned("dim", "(none)");
  if (STATES.has(field)) return stateCell(value);
  return name === undefined ? value : { text: name, raw: value };
}

function unhealthyBlocks(all: readonly UnhealthyInstallation[]): Block[] {
  if (all.length === 0) return [];
  const more = all.length - SHOWN_INSTALLATIONS;
  return [
    {
      kind: "grid",
      heading: "Unhealthy",
      columns: ["Group", "Provider", "Last op", "Connection", "ID"],
      rows: all.map(unhealthyRow),
      onTerminal: all.slice(0, SHOWN_INSTALLATIONS).map(unhealthyRow),
    },
    ...(more > 0 ? [moreBlock(more)] : []),
    { kind: "command", lines: [suggest("installations get", [{ placeholder: "id" }])] },
  ];
}

function moreBlock(more: number): Block {
  return { kind: "text", text: `and ${more} more`, tone: "dim" };
}

function unhealthyRow(one: UnhealthyInstallation): Cell[] {
  return [
    one.group ?? toned("dim", "(no group)"),
    one.provider,
    stateCell(one.lastOperationStatus),
    stateCell(one.connectionStatus),
    id(one.id),
  ];
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
