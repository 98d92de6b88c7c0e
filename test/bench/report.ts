import { cpus, loadavg, totalmem } from "node:os";
import { BEFORE } from "./earlier.ts";
import { type Costs, median, ratio, type Scenario, type Target } from "./measure.ts";

type AllCosts = ReadonlyMap<string, Costs>;

/** What was measured, as Markdown: a table of the programs, and one of the targets. */
export function report(scenario: Scenario, costs: AllCosts, rounds: number): string {
  const yardsticks = scenario.yardsticks.filter((name) => costs.has(name));
  const head = ["program", "ms", "first byte", "peak MB", ...yardsticks.map((name) => `× ${name}`)];
  const rows = [...costs].map(([name, own]) => [
    name,
    median(own.ms).toFixed(0),
    median(own.firstByteMs).toFixed(0),
    own.peakMb?.toFixed(0) ?? "",
    ...yardsticks.map((base) => times(own, costs.get(base))),
  ]);
  return [
    ...table(head, rows),
    "",
    `Medians of ${rounds} rounds, in turn; ratios are medians of the ratios of each round.`,
    "",
    ...targets(scenario, costs),
    ...beforeAndAfter(costs),
  ].join("\n");
}

/** The earlier programs beside those of today; nothing without them. */
function beforeAndAfter(costs: AllCosts): string[] {
  const rows = [...costs].flatMap(([name, before]) => {
    const after = name.includes(BEFORE) && costs.get(name.replace(BEFORE, ""));
    if (!after) return [];
    const ms = [before, after].map((one) => median(one.ms).toFixed(1));
    return [[name.replace(BEFORE, ""), ...ms, times(after, before)]];
  });
  return rows.length === 0 ? [] : [...table(["program", "before", "after", "ratio"], rows), ""];
}

function targets(scenario: Scenario, costs: AllCosts): string[] {
  const rows = scenario.targets.flatMap((target) => {
    const own = costs.get(target.program);
    const verdict = own && verdictOf(target, own, costs);
    return verdict ? [targetRow(target.program, verdict)] : [];
  });
  return targetTable(rows);
}

/** What was wanted, what was measured, and whether that is enough. */
interface Verdict {
  readonly wanted: string;
  readonly measured: string;
  readonly isMet: boolean;
}

/** A table of what was wanted of each program and what was measured; nothing without a row. */
export function targetTable(rows: readonly (readonly string[])[]): string[] {
  return rows.length === 0 ? [] : [...table(["program", "target", "measured", ""], rows), ""];
}

/** A row of {@link targetTable}. */
export function targetRow(program: string, { wanted, measured, isMet }: Verdict): string[] {
  return [program, wanted, measured, isMet ? "met" : "**missed**"];
}

function verdictOf(target: Target, own: Costs, costs: AllCosts): Verdict | undefined {
  if ("unit" in target) {
    return own.peakMb === undefined ? undefined : atMost(own.peakMb, target.atMost, " MB");
  }
  const base = costs.get("times" in target ? target.times : target.firstByteBefore);
  if (base === undefined) return undefined;
  if ("times" in target) {
    return atMost(ratio(own, base), target.atMost, ` × ${target.times}`, 2);
  }
  const [first, others] = [median(own.firstByteMs), median(base.firstByteMs)];
  return {
    wanted: `first byte before ${target.firstByteBefore}'s`,
    measured: `${first.toFixed(0)} ms, ${others.toFixed(0)} ms`,
    isMet: first < others,
  };
}

/** The verdict about a number with an upper limit. */
export function atMost(measured: number, limit: number, unit: string, digits = 0): Verdict {
  return {
    wanted: `≤ ${limit}${unit}`,
    measured: measured.toFixed(digits),
    isMet: measured <= limit,
  };
}

function times(own: Costs, base: Costs | undefined): string {
  return base ? ratio(own, base).toFixed(2) : "";
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(head), `|---|${"---:|".repeat(head.length - 1)}`, ...rows.map(line)];
}

/** What it was measured on, in words. */
export function machine(): string {
  const [cpu] = cpus();
  const load = loadavg()[0]?.toFixed(1);
  return [
    `${new Date().toISOString().slice(0, 10)}`,
    `${process.platform} ${process.arch}`,
    `${cpus().length} × ${cpu?.model}`,
    `${(totalmem() / 2 ** 30).toFixed(0)} GB`,
    `Node ${process.versions.node}`,
    `load average ${load} at the start`,
  ].join(", ");
}
