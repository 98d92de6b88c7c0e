import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { BEFORE } from "./earlier.ts";

/** A program to measure: its words, and what it needs of the environment. */
export interface Program {
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Programs that do the same, by name, and how they are compared. */
export interface Scenario {
  readonly title: string;
  readonly programs: ReadonlyMap<string, Program>;
  /** The names of those that the others are compared with; one that is absent is left out. */
  readonly yardsticks: readonly string[];
  readonly targets: readonly Target[];
}

/** What a program may cost: times another one, at its peak, or until its first byte. */
export type Target = { readonly program: string } & (
  | { readonly times: string; readonly atMost: number }
  | { readonly unit: "MB"; readonly atMost: number }
  | { readonly firstByteBefore: string }
);

/** What a program has cost, a run each. */
export interface Costs {
  readonly ms: readonly number[];
  /** Until the first byte of its output. */
  readonly firstByteMs: readonly number[];
  /** Of its largest process, in any run; absent where no time(1) can tell. */
  readonly peakMb: number | undefined;
}

/** Runs that only tell of memory: time(1) itself takes time, which a fast program would show. */
const MEMORY_ROUNDS = 3;

/**
 * Measures the programs in turn, round by round, so that a machine whose speed drifts is as slow for
 * all. One round more, before them, warms the file cache and amp's compile cache.
 */
export async function measure(
  scenario: Scenario,
  rounds: number,
): Promise<ReadonlyMap<string, Costs>> {
  const programs = new Map(scenario.programs);
  const all = new Map([...programs.keys()].map((name) => [name, [] as Run[]]));
  for (let round = -1; round < rounds; round += 1) {
    for (const [name, program] of programs) {
      try {
        const cost = await run(program);
        if (round >= 0) all.get(name)?.push(cost);
      } catch (error) {
        // An earlier program may not know every option of today.
        if (round >= 0 || !name.includes(BEFORE)) throw error;
        programs.delete(name);
      }
    }
  }
  const costs = new Map<string, Costs>();
  for (const [name, program] of programs) {
    const runs = all.get(name) ?? [];
    costs.set(name, {
      ms: runs.map(({ ms }) => ms),
      firstByteMs: runs.map(({ firstByteMs }) => firstByteMs),
      peakMb: await peakOf(program),
    });
  }
  return costs;
}

interface Run {
  readonly ms: number;
  readonly firstByteMs: number;
  readonly told: string;
}

async function run({ words: [program = "", ...rest], env }: Program): Promise<Run> {
  const start = performance.now();
  const child = spawn(program, rest, { env, stdio: ["ignore", "pipe", "pipe"] });
  let firstByteMs: number | undefined;
  let told = "";
  child.stdout.on("data", () => {
    firstByteMs ??= performance.now() - start;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    told += text;
  });
  const [code] = await once(child, "close");
  const ms = performance.now() - start;
  if (code !== 0) throw new Error(`${[program, ...rest].join(" ")} ended with ${code}: ${told}`);
  return { ms, firstByteMs: firstByteMs ?? ms, told };
}

async function peakOf({ words, env }: Program): Promise<number | undefined> {
  if (!has("/usr/bin/time")) return undefined;
  let peak = 0;
  for (let round = 0; round < MEMORY_ROUNDS; round += 1) {
    const { told } = await run({ words: ["/usr/bin/time", "-f", "peak %M", ...words], env });
    peak = Math.max(peak, Number(/peak (\d+)/u.exec(told)?.[1]) / 1024);
  }
  return peak;
}

/** Whether a program is installed here. */
export function has(program: string): boolean {
  return spawnSync(program, ["--version"], { stdio: "ignore" }).error === undefined;
}

/** By pairs of the same round, and of these the median. */
export function ratio(costs: Costs, base: Costs): number {
  return median(costs.ms.map((ms, round) => ms / (base.ms[round] ?? Number.NaN)));
}

export function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? Number.NaN;
}
