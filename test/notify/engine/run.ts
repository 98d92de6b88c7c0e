import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { ROOT } from "../../built.ts";
import { MENDS } from "./mends.ts";
import { ANY_SEQUENCES, brokenBy, playAll, readSequence, withPrograms } from "./played.ts";

// npm run sequences: random sequences of commands over the built program, and in process. One that
// fails is made as short as possible, and saved: --replay FILE runs it again. With --mends, each mend
// of `mends.ts` is taken out, and must be found again.
const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "1000" },
    seed: { type: "string", default: `${Date.now() % 1_000_000}` },
    replay: { type: "string" },
    mends: { type: "boolean", default: false },
  },
});
const WITHOUT = new URL("without.ts", import.meta.url);
const FIND = new URL("find-mend.ts", import.meta.url);
const runs = Number(values.runs);
/** A sequence in process takes so much less time. */
const IN_PROCESS = 10;
/** What random sequences have not found among so many, traces of the model are asked. */
const MOST = 500;
const seed = Number(values.seed);

if (values.mends) findMends();
else if (values.replay === undefined) await runAll();
else await replay(values.replay);

async function runAll(): Promise<void> {
  const began = performance.now();
  const share = Math.ceil(runs / availableParallelism());
  const workers = Array.from({ length: availableParallelism() }, (_, at) =>
    withPrograms((programs) =>
      playAll(ANY_SEQUENCES, { numRuns: share, seed: seed + at }, programs).catch(report),
    ),
  );
  await Promise.all(workers);
  const minutes = ((performance.now() - began) / 60_000).toFixed(1);
  say(`${share * workers.length} sequences over the program in ${minutes} min, from seed ${seed}`);
  const env = {
    ...process.env,
    AMP_PROPERTY_RUNS: `${IN_PROCESS * runs}`,
    AMP_PROPERTY_SEED: `${seed}`,
  };
  const tests = ["sequences", "processes"].map((name) => `test/notify/engine/${name}.test.ts`);
  const vitest = ["vitest", "run", "--testTimeout", "3600000", ...tests];
  const { status } = spawnSync("npx", vitest, { cwd: ROOT, env, stdio: "inherit" });
  process.exitCode ||= status ?? 1;
}

/** Takes each mend out: a sequence, a trace of the model, or its test must find it again. */
function findMends(): void {
  let found = 0;
  for (const mend of MENDS) {
    const env = { ...process.env, AMP_TEST_WITHOUT: JSON.stringify(mend) };
    const how = mend.test === undefined ? foundBySequences(env) : foundByTest(mend.test, env);
    if (how !== undefined) found += 1;
    say(`${how === undefined ? "✗" : "✓"} ${mend.part} (${mend.found}): ${how ?? "not found"}`);
  }
  say(`${found} of ${MENDS.length} mends are found again`);
  if (found < MENDS.length) process.exitCode = 1;
}

function foundBySequences(env: NodeJS.ProcessEnv): string | undefined {
  const words = ["--import", WITHOUT.href, fileURLToPath(FIND), `${Math.min(runs, MOST)}`];
  const { status, stdout } = spawnSync(process.execPath, words, { env, encoding: "utf8" });
  return status === 0 ? stdout.trim() : undefined;
}

function foundByTest(test: string, env: NodeJS.ProcessEnv): string | undefined {
  const words = ["vitest", "run", `test/notify/${test}`];
  const { status, stdout, stderr } = spawnSync("npx", words, { cwd: ROOT, env, encoding: "utf8" });
  return status !== 0 && `${stdout}${stderr}`.includes("AssertionError") ? test : undefined;
}

function report(error: unknown): void {
  say(`✗ ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}

/** Plays a saved sequence in process, and over the program. */
async function replay(file: string): Promise<void> {
  const sequence = readSequence(readFileSync(file, "utf8"));
  const broken = [
    ...(await brokenBy(sequence)),
    ...(await withPrograms((programs) => brokenBy(sequence, programs))),
  ];
  for (const one of broken) report(one);
  if (broken.length === 0) say("✓ nothing is broken");
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
