import { cpus, loadavg, totalmem } from "node:os";
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
    `### ${scenario.title}`,
    "",
    ...table(head, rows),
    "",
    `Medians of ${rounds} rounds, in turn; ratios are medians of the ratios of each round.`,
    "",
    ...targets(scenario, costs),
  ].join("\n");
}

function targets(scenario: Scenario, costs: AllCosts): string[] {
  const rows = scenario.targets.flatMap((target) => {
    const measured = measuredOf(target, costs);
    if (measured === undefined) return [];
    const what = "times" in target ? `× ${target.times}` : target.unit;
    const digits = "times" in target ? 2 : 0;
    const verdict = measured <= target.atMost ? "met" : "**missed**";
    return [[target.program, `≤ ${target.atMost} ${what}`, measured.toFixed(digits), verdict]];
  });
  return rows.length === 0 ? [] : [...table(["program", "target", "measured", ""], rows), ""];
}

function measuredOf(target: Target, costs: AllCosts): number | undefined {
  const own = costs.get(target.program);
  if (!("times" in target)) return own?.peakMb;
  const base = costs.get(target.times);
  return own && base && ratio(own, base);
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
