import fc from "fast-check";
import { brokenBy } from "./played.ts";
import { sequences } from "./sequences.ts";

// Run by `npm run sequences -- --mends` once for each mend that is taken out: prints after how many
// sequences its absence was found.
let ran = 0;
const both = fc.oneof(
  sequences({ lists: true }),
  sequences({ lists: true }),
  sequences({ lists: false }),
);
const property = fc.asyncProperty(both, async (sequence) => {
  ran += 1;
  const broken = await brokenBy(sequence).catch((error: unknown) => [String(error)]);
  if (broken.length > 0) throw new Error(broken[0]);
});
const { failed, errorInstance } = await fc.check(property, {
  numRuns: Number(process.argv[2]),
  seed: 1,
  endOnFailure: true,
});
const why =
  errorInstance instanceof Error ? errorInstance.message.replaceAll("\n", " ").slice(0, 90) : "";
process.stdout.write(failed ? `found after ${ran}: ${why}\n` : `not found in ${ran}\n`);
process.exitCode = failed ? 0 : 1;
