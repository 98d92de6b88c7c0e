import { describe, expect, it } from "vitest";
import { isJavaScript, PROGRAM } from "../built.ts";
import { isWhole } from "../sample.ts";
import { type Case, runCase, titleOf } from "./case.ts";
import { wholeMatrix } from "./matrix.ts";
import { buildCopy, SABOTAGES } from "./sabotage.ts";
import { SEQUENCES } from "./sequences/all.ts";
import { runWay, titleOf as titleOfWay } from "./sequences/sequence.ts";

/** Of the many cases that notice it, a few: what is taken out, and parts of their titles. */
const NOTICED: Readonly<Record<string, RegExp>> = {
  "the intent write": /requests: killed with create 6 committed/u,
  "the wait for the intent write": /while each line of the journal is late/u,
  "the lines of the journal": /requests: killed with create 6 committed/u,
  "the sync of the journal": /killed after a line was synced of a route's/u,
  "the ids-before set": /topics of the names in capitals, and a create of one reset/u,
  "the look at the values of what may be created":
    /strangers: another destination of the name, the create reset$/u,
  "the look at what a create is answered with":
    /strangers: a create answered with the topic of another name$/u,
  "the look at the values after an update":
    /updates: a URL moved: PATCH destinations\/\* 1 (?:killed with it asked for, and in vain|reset before commit)$/u,
  "the lock": /crowds: without waiting/u,
  "the lock's check before each create and save": /another run ends what this one began/u,
  "the wait for lists that are behind":
    /lags: 58 s: (?:killed with create \d committed|reset after commit, at create 6)/u,
  "the clock that only goes forward": /2 h forward while a list is waited for/u,
};

/** What is noticed at once, however busy the machine; `npm run test:all` removes each part. */
const QUICK: readonly string[] = ["the intent write", "the lines of the journal"];

/** What sequences of commands notice, by the titles of their ways; of a way with a kill, its start. */
const BY_SEQUENCE: Readonly<Record<string, string>> = {
  "the tombstones": "1: undo, apply at once (deleted still shown)",
};

/** On a busy machine a few cases took more than two minutes. */
const LONGEST_MS = 900_000;

const WHOLE = wholeMatrix();

const casesFor = (what: string) => WHOLE.filter((one) => NOTICED[what]?.test(titleOf(one)));

const waysFor = (what: string) =>
  SEQUENCES.flatMap((sequence) =>
    sequence.services.map((service) => ({ sequence, service })),
  ).filter((way) => titleOfWay(way) === BY_SEQUENCE[what]);

/** The first of the ways that is broken. */
async function firstBrokenWay(what: string, program: string): Promise<string | undefined> {
  // On a busy machine the commands take longer, and a list that caught up before them misleads nobody.
  for (const slow of [1, 2, 3]) {
    for (const way of waysFor(what)) {
      const { title, broken } = await runWay({ ...way, slow }, program);
      if (broken.length > 0) return title;
    }
  }
  return undefined;
}

/** The first of the cases that is broken. */
async function firstBroken(cases: readonly Case[], program: string): Promise<string | undefined> {
  for (const one of cases) {
    const { outcome } = await runCase(one, program);
    if (outcome === "broken") return titleOf(one);
  }
  return undefined;
}

// The copies are programs for Node: they say nothing about a program that needs none.
describe.skipIf(!isJavaScript(PROGRAM))("the matrix", { timeout: LONGEST_MS }, () => {
  // On a busy machine a list may have caught up before the run that is to be misled by it.
  const parts = SABOTAGES.filter(({ what }) => isWhole || QUICK.includes(what));

  it.each(parts)("fails if $what is removed", { retry: 2 }, async (part) => {
    const lacking = await buildCopy(part);
    try {
      const noticed =
        (await firstBroken(casesFor(part.what), lacking.program)) ??
        (await firstBrokenWay(part.what, lacking.program));
      expect(noticed).toBeTypeOf("string");
    } finally {
      await lacking.remove();
    }
  });

  it.runIf(isWhole)("notices nothing where nothing is missing", async () => {
    const whole = await buildCopy();
    try {
      for (const what of Object.keys(BY_SEQUENCE)) {
        expect(await firstBrokenWay(what, whole.program)).toBeUndefined();
      }
      // One of each: the reduced matrix has most of the others.
      const cases = new Set(SABOTAGES.flatMap(({ what }) => casesFor(what).slice(0, 1)));
      const broken = [...cases].map((one) => firstBroken([one], whole.program));
      expect(await Promise.all(broken)).toEqual([...cases].map(() => undefined));
    } finally {
      await whole.remove();
    }
  });
});
