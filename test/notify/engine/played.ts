import { Programs } from "./program.ts";
import type { Runner } from "./runner.ts";
import type { Sequence } from "./sequences.ts";
import { Simulation } from "./simulation.ts";

/** What is broken by a sequence; nothing where all holds. */
export async function brokenBy(sequence: Sequence, runner?: Runner): Promise<readonly string[]> {
  const simulation = new Simulation(sequence, runner);
  await simulation.run();
  return simulation.broken;
}

/** Works with programs, which are removed afterwards. */
export async function withPrograms<Result>(
  work: (programs: Programs) => Promise<Result>,
): Promise<Result> {
  const programs = await new Programs().start();
  try {
    return await work(programs);
  } finally {
    await programs.close();
  }
}
