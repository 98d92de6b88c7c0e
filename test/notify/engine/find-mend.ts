import fc from "fast-check";
import { WITH_LISTS } from "../../model/configurations.ts";
import { replay } from "../../model/replay.ts";
import { simulate } from "../../model/traces.ts";
import { KNOWN, playKnown } from "./known.ts";
import { ANY_SEQUENCES, brokenBy } from "./played.ts";

// Run by `npm run sequences -- --mends` once for each mend that is taken out: plays the known
// sequences, then random ones, then traces of the model, and prints what found its absence.
const [how, why] = (await byKnown()) ?? (await byChance()) ?? (await byModel()) ?? [];
process.stdout.write(how === undefined ? "not found\n" : `${how}: ${line(why)}\n`);
process.exitCode = how === undefined ? 1 : 0;

type Found = readonly [how: string, why: string] | undefined;

async function byKnown(): Promise<Found> {
  for (const known of KNOWN) {
    const [broken] = await playKnown(known).catch((error: unknown) => [String(error)]);
    if (broken !== undefined) return [`known sequence "${known.about}"`, broken];
  }
  return undefined;
}

async function byChance(): Promise<Found> {
  let ran = 0;
  const property = fc.asyncProperty(ANY_SEQUENCES, async (sequence) => {
    ran += 1;
    const [broken] = await brokenBy(sequence).catch((error: unknown) => [String(error)]);
    if (broken !== undefined) throw new Error(broken);
  });
  const numRuns = Number(process.argv[2]);
  const { errorInstance } = await fc.check(property, { numRuns, seed: 1, endOnFailure: true });
  return errorInstance instanceof Error
    ? [`random sequence ${ran}`, errorInstance.message]
    : undefined;
}

async function byModel(): Promise<Found> {
  const { traces } = await simulate(WITH_LISTS, { traces: 300, written: 300, seed: 1 });
  for (const [at, trace] of traces.entries()) {
    const problem = await replay(trace).catch((error: unknown) => String(error));
    if (problem !== undefined) return [`trace ${at + 1} of the model`, problem];
  }
  return undefined;
}

function line(text = ""): string {
  return text.replaceAll("\n", " ").slice(0, 90);
}
