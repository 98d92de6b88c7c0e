import { describe, it } from "vitest";
import { isJavaScript, PROGRAM } from "../../built.ts";
import { playAll, withPrograms } from "./played.ts";
import { sequences } from "./sequences.ts";

// The clock of a program that needs no Node is its own. More of them: `npm run sequences`.
describe.skipIf(!isJavaScript(PROGRAM))("the program, in sequences that chance has made", () => {
  it.each([
    ["with lists", true, 7],
    ["without lists", false, 3],
  ])("doubles, loses and takes nothing, %s", { timeout: 300_000 }, async (_, lists, numRuns) => {
    await withPrograms((programs) => playAll(sequences({ lists }), { numRuns, seed: 1 }, programs));
  });
});
