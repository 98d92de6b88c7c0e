import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import fc from "fast-check";
import { ROOT } from "../../built.ts";
import { MENDS } from "./mends.ts";
import { brokenBy, withPrograms } from "./played.ts";
import { type Sequence, sequences } from "./sequences.ts";

// npm run sequences: random sequences of commands over the built program, and in process. One that
// fails is made as short as possible, and saved: --replay FILE runs it again. With --mends, each mend
// of `mends.ts` is taken out, and must be found again.
const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "5000" },
    seed: { type: "string", default: `${Date.now() % 1_000_000}` },
    replay: { type: "string" },
    mends: { type: "boolean", default: false },
  },
});
const WITHOUT = new URL("without.ts", import.meta.url);
const FIND = new URL("find-mend.ts", import.meta.url);
const runs = Number(values.runs);
const seed = Number(values.seed);

if (values.mends) findMends();
else if (values.replay === undefined) await runAll();
else await replay(values.replay);

async function runAll(): Promise<void> {
  const began = performance.now();
  const workers = Array.from({ length: availableParallelism() }, (_, at) => at);
  const done = await Promise.all(workers.map((at) => work(at, Math.ceil(runs / workers.length))));
  const minutes = ((performance.now() - began) / 60_000).toFixed(1);
  const all = done.reduce((sum, one) => sum + one, 0);
  say(`${all} sequences over the program in ${minutes} min, from seed ${seed}`);
  const env = { ...process.env, AMP_PROPERTY_RUNS: `${runs}` };
  const tests = ["sequences", "processes"].map((name) => `test/notify/engine/${name}.test.ts`);
  const vitest = ["vitest", "run", "--testTimeout", "3600000", ...tests];
  const { status } = spawnSync("npx", vitest, { cwd: ROOT, env, stdio: "inherit" });
  process.exitCode ||= status ?? 1;
}

/** A share of the sequences, of which every third one is without lists. @returns how many it ran */
function work(at: number, numRuns: number): Promise<number> {
  return withPrograms(async (programs) => {
    let ran = 0;
    const both = fc.oneof(
      { weight: 2, arbitrary: sequences({ lists: true }) },
      { weight: 1, arbitrary: sequences({ lists: false }) },
    );
    const property = fc.asyncProperty(both, async (sequence) => {
      ran += 1;
      const broken = await brokenBy(sequence, programs);
      if (broken.length > 0) throw new Error(broken.join("\n"));
    });
    const { counterexample, errorInstance } = await fc.check(property, {
      numRuns,
      seed: seed + at,
    });
    if (counterexample) report(counterexample[0], errorInstance);
    return ran;
  });
}

/** Takes each mend out: sequences in process must find it again. */
function findMends(): void {
  let found = 0;
  for (const mend of MENDS) {
    const words = ["--import", WITHOUT.href, fileURLToPath(FIND), `${Math.min(runs, 1500)}`];
    const env = { ...process.env, AMP_TEST_WITHOUT: JSON.stringify(mend) };
    const { status, stdout } = spawnSync(process.execPath, words, { env, encoding: "utf8" });
    if (status === 0) found += 1;
    say(`${status === 0 ? "✓" : "✗"} ${mend.part} (${mend.found}): ${stdout.trim()}`);
  }
  say(`${found} of ${MENDS.length} mends are found again`);
  if (found < MENDS.length) process.exitCode = 1;
}

function report(sequence: Sequence, error: unknown): void {
  const file = join(ROOT, "dist", `sequence-${seed}-${Date.now()}.json`);
  writeFileSync(file, JSON.stringify(sequence, withMaps, 2));
  say(`✗ ${error instanceof Error ? error.message : String(error)}`);
  say(JSON.stringify(sequence, withMaps));
  say(`  npm run sequences -- --replay ${file}`);
  process.exitCode = 1;
}

async function replay(file: string): Promise<void> {
  const sequence = JSON.parse(readFileSync(file, "utf8"), asMaps) as Sequence;
  const broken = await withPrograms((programs) => brokenBy(sequence, programs));
  for (const one of broken) say(`✗ ${one}`);
  if (broken.length === 0) say("✓ nothing is broken");
  else process.exitCode = 1;
}

function withMaps(_: string, value: unknown): unknown {
  return value instanceof Map ? { $map: [...value] } : value;
}

function asMaps(_: string, value: unknown): unknown {
  const { $map } = Object(value) as { $map?: readonly (readonly [unknown, unknown])[] };
  return $map === undefined ? value : new Map($map);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
