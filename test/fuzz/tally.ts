import { afterAll } from "vitest";

/** What `npm run fuzz -- --seeds N` asks for; absent, a share that `npm test` can afford. */
const GIVEN = process.env.AMP_FUZZ_SEEDS;

/** The first seed: another one tries other inputs, the same one the same. */
export const FIRST_SEED = Number(process.env.AMP_FUZZ_FIRST_SEED ?? 1);

/** How many seeds to try. @param share of `npm test` */
export function seeds(share: number): number {
  return GIVEN === undefined ? share : Number(GIVEN);
}

/** Counts what a file tries; told at its end where `npm run fuzz` asks. */
export function createTally(what: string) {
  const tally = { inputs: 0, failures: 0 };
  const ends = new Map<unknown, number>();
  const start = performance.now();
  afterAll(() => {
    if (GIVEN === undefined) return;
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    const { inputs, failures } = tally;
    const codes = [...ends].map(([code, count]) => `${code}: ${count}`).sort();
    const ended = codes.length === 0 ? "" : ` (by exit code ${codes.join(", ")})`;
    process.stdout.write(`${what}: ${inputs} inputs, ${seconds} s, ${failures} failures${ended}\n`);
  });
  return {
    /** Tries one input; what it throws is a failure. */
    async try(attempt: () => Promise<{ readonly code: number | null } | undefined>): Promise<void> {
      tally.inputs += 1;
      try {
        const end = await attempt();
        if (end) ends.set(end.code, (ends.get(end.code) ?? 0) + 1);
      } catch (error) {
        tally.failures += 1;
        throw error;
      }
    },
  };
}
