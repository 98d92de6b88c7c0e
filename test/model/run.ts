import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { CONFIGURATIONS, type Judged, WITH_LISTS } from "./configurations.ts";
import { replay } from "./replay.ts";
import { simulate } from "./traces.ts";

// npm run model: simulates each configuration, and replays traces on the engine.
const { values } = parseArgs({
  options: {
    traces: { type: "string", default: "50000" },
    replay: { type: "string", default: "3000" },
  },
});
/** What is broken is found in far fewer; the first that is found ends a simulation. */
const traces = Number(values.traces);
const AT_ONCE = 1_000;
const seed = Date.now() % 1_000_000;
const failures: string[] = [];

await inTurns(CONFIGURATIONS, judge);
await inTurns(
  Array.from({ length: Math.ceil(Number(values.replay) / AT_ONCE) }, (_, at) => at),
  replayed,
);
for (const failure of failures) say(`✗ ${failure}`);
process.exitCode = failures.length > 0 ? 1 : 0;

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Works on all, as many at once as there are processors. */
async function inTurns<Item>(items: readonly Item[], work: (item: Item) => Promise<void>) {
  const left = [...items];
  const worker = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: availableParallelism() }, worker));
}

async function judge(judged: Judged): Promise<void> {
  const { about, holds } = judged;
  const { isBroken, ms } = await simulate(judged, { traces, seed });
  const isRight = isBroken !== holds;
  const says = isBroken ? "broken" : `holds in ${traces} traces`;
  say(`${isRight ? "✓" : "✗"} ${about}: ${says}, ${Math.round(ms / 1000)} s`);
  if (!isRight) failures.push(`${about}: ${says}; --seed ${seed}`);
}

async function replayed(part: number): Promise<void> {
  const options = { traces: AT_ONCE, written: AT_ONCE, seed: seed + part };
  const { traces: written } = await simulate(WITH_LISTS, options);
  let same = 0;
  for (const trace of written) {
    const problem = await replay(trace);
    if (problem === undefined) same += 1;
    else failures.push(`replay of seed ${options.seed}: ${problem}`);
  }
  say(`${same} of ${written.length} traces: the engine did as the model`);
}
