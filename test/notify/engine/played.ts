import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { ROOT } from "../../built.ts";
import { Programs } from "./program.ts";
import type { Runner } from "./runner.ts";
import { type Sequence, sequences } from "./sequences.ts";
import { Simulation } from "./simulation.ts";

/** What is broken by a sequence; nothing where all holds. */
export async function brokenBy(sequence: Sequence, runner?: Runner): Promise<readonly string[]> {
  const simulation = new Simulation(sequence, runner);
  // What the simulation itself cannot follow is a failure that is made shorter and replayed as well.
  await simulation.run().catch((error: unknown) => simulation.broken.push(String(error)));
  return simulation.broken;
}

/**
 * Plays random sequences, in process unless there is a runner.
 * @throws {Error} with what is broken by the shortest sequence that was found, and how to replay it
 */
export async function playAll(
  all: fc.Arbitrary<Sequence>,
  parameters: fc.Parameters<[Sequence]>,
  runner?: Runner,
): Promise<void> {
  const property = fc.asyncProperty(all, async (sequence) => {
    const broken = await brokenBy(sequence, runner);
    if (broken.length > 0) throw new Error(broken.join("\n"));
  });
  // A program is too slow for the hundreds of sequences that are tried to make one shorter.
  const options = { ...parameters, endOnFailure: runner !== undefined };
  const { counterexample, errorInstance, seed } = await fc.check(property, options);
  if (counterexample === null) return;
  const [sequence] = counterexample;
  const message = errorInstance instanceof Error ? errorInstance.message : String(errorInstance);
  throw replayable(await shorter({ sequence, message }, runner), seed);
}

interface Failure {
  readonly sequence: Sequence;
  readonly message: string;
}

/** Leaves out each step without which a sequence fails, too. */
async function shorter(failure: Failure, runner: Runner | undefined): Promise<Failure> {
  const { steps } = failure.sequence;
  for (const at of steps.keys()) {
    const sequence = { ...failure.sequence, steps: steps.toSpliced(at, 1) };
    const broken = await brokenBy(sequence, runner);
    if (broken.length > 0) return shorter({ sequence, message: broken.join("\n") }, runner);
  }
  return failure;
}

function replayable({ sequence, message }: Failure, seed: number): Error {
  const file = join(ROOT, "dist", `sequence-${seed}.json`);
  writeFileSync(file, JSON.stringify(sequence, withMaps, 2));
  const script = JSON.stringify(sequence, withMaps);
  return new Error(`${message}\n${script}\nnpm run sequences -- --replay ${file}`);
}

/** A sequence that was saved. */
export function readSequence(text: string): Sequence {
  return JSON.parse(text, (_, value: unknown) => {
    const { $map } = Object(value) as { $map?: readonly (readonly [unknown, unknown])[] };
    return $map === undefined ? value : new Map($map);
  });
}

function withMaps(_: string, value: unknown): unknown {
  return value instanceof Map ? { $map: [...value] } : value;
}

/** Sequences at services of any kind; every third one has no lists. */
export const ANY_SEQUENCES: fc.Arbitrary<Sequence> = fc.oneof(
  { weight: 2, arbitrary: sequences({ lists: true }) },
  { weight: 1, arbitrary: sequences({ lists: false }) },
);

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
