import { expect, it } from "vitest";
import { runCase, titleOf } from "./case.ts";
import { wholeMatrix } from "./matrix.ts";
import { buildCopy, SABOTAGES } from "./sabotage.ts";

/** Of the many cases that notice it, a few: what is taken out, and parts of their titles. */
const NOTICED: Readonly<Record<string, RegExp>> = {
  "the intent write": /requests: killed with create 6 committed/u,
  "the wait for the intent write": /while each line of the journal is late/u,
  "the lines of the journal": /requests: killed with create 6 committed/u,
  "the sync of the journal": /killed after a line was synced of a route's/u,
  "the ids-before set": /its create reset, and the list then back before that/u,
  "the lock": /crowds: without waiting/u,
  "the lock's check before each create and save": /another run ends what this one began/u,
  "the wait for lists that are behind": /lags: 40 s: reset after commit, at create 6/u,
  "the clock that only goes forward": /2 h forward while a create is looked up, at create 6/u,
};

const casesFor = (what: string) => wholeMatrix().filter((one) => NOTICED[what]?.test(titleOf(one)));

it.each(SABOTAGES)(
  "the matrix notices that $what is missing",
  { timeout: 120_000 },
  async (part) => {
    const [whole, lacking] = await Promise.all([buildCopy(), buildCopy(part)]);
    try {
      const broken = async (program: string) => {
        const results = await Promise.all(casesFor(part.what).map((one) => runCase(one, program)));
        return results.filter(({ outcome }) => outcome === "broken").length;
      };
      expect(await broken(whole.program)).toBe(0);
      expect(await broken(lacking.program)).toBeGreaterThan(0);
    } finally {
      await Promise.all([whole.remove(), lacking.remove()]);
    }
  },
);
