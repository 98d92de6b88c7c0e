/**
 * The whole fault matrix, against the built program: `npm run bench:faults`. Prints a Markdown table
 * and what is broken; exits 1 where a record was made twice or lost, or a case is broken. With
 * `sabotage`, the cases of `npm test` for copies of the program that lack a part each, and exits 1
 * where one of them goes unnoticed. With `kills`, runs of both programs that are killed at random,
 * `--runs` of each program with lists and as many without, from `--seed` on. With words, only the cases
 * whose titles hold them all. With `sequences`, the sequences of `test/faults/sequences` and `--seeds`
 * random ones from `--seed` on, each green or with what broke and the exchange; `--only` takes those
 * whose titles hold it, `--no-kills` one way of each.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ROOT } from "../built.ts";
import { GROUPS, type Group, type Result, titleOf } from "../faults/case.ts";
import { diskWords } from "../faults/cases/disk.ts";
import { randomKills } from "../faults/cases/kills.ts";
import { reducedMatrix, runMatrix, wholeMatrix } from "../faults/matrix.ts";
import { buildCopy, SABOTAGES } from "../faults/sabotage.ts";
import { SEQUENCES } from "../faults/sequences/all.ts";
import { randomSequence } from "../faults/sequences/random.ts";
import { runSequences, titleOf as titleOfWay } from "../faults/sequences/sequence.ts";
import type { Service } from "../faults/sequences/service.ts";

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    runs: { type: "string", default: "125" },
    seed: { type: "string", default: "1" },
    seeds: { type: "string", default: "20" },
    only: { type: "string", default: "" },
    "no-kills": { type: "boolean", default: false },
  },
});
const isSabotage = positionals.includes("sabotage");
const isKills = positionals.includes("kills");
const words = positionals.filter((word) => word !== "sabotage" && word !== "kills");
const all = isSabotage
  ? reducedMatrix()
  : isKills
    ? randomKills(Number(options.runs), Number(options.seed))
    : wholeMatrix();
const cases = all.filter((one) => words.every((word) => titleOf(one).includes(word)));
const say = (text: string) => process.stdout.write(text);

if (positionals.includes("sequences")) await sequences();
else if (isSabotage) await sabotaged();
else {
  await runAll();
  if (isKills) await runAll(join(ROOT, "dist/standalone/amp"));
}

/** Runs the cases for a program, by default the one that the tests are run for. */
async function runAll(program?: string): Promise<void> {
  const from = performance.now();
  const done = tellProgress;
  const results = await runMatrix(cases, program === undefined ? { done } : { program, done });
  const minutes = (performance.now() - from) / 60_000;
  say(
    `\n${results.length} faulted runs in ${minutes.toFixed(1)} min. Full disk: ${diskWords()}.\n\n`,
  );
  say(table(results));
  for (const { case: one, why } of broken(results)) say(`\nbroken: ${titleOf(one)}: ${why}`);
  say("\n");
  const total = totalsOf(results);
  if (total.duplicates + total.lost + total.broken > 0) process.exitCode = 1;
}

async function sequences(): Promise<void> {
  const { seeds, seed, only, "no-kills": noKills } = options;
  const drawn = Array.from({ length: Number(seeds) }, (_, at) => randomSequence(Number(seed) + at));
  const chosen = [...SEQUENCES, ...drawn].map((sequence) => {
    const isMeant = (service: Service) => titleOfWay({ sequence, service }).includes(only);
    return { ...sequence, services: sequence.services.filter(isMeant) };
  });
  const counts = { green: 0, red: 0 };
  await runSequences(chosen, {
    kills: !noKills,
    done: ({ title, broken, exchange }) => {
      const isGreen = broken.length === 0;
      counts[isGreen ? "green" : "red"] += 1;
      say(`${isGreen ? "green" : "RED  "} ${title}\n`);
      if (isGreen) return;
      for (const reason of broken) say(`      ${reason}\n`);
      process.stderr.write(`\n${title}\n${broken.join("\n")}\n${exchange}\n`);
      process.exitCode = 1;
    },
  });
  say(`${counts.green} green, ${counts.red} red\n`);
}

/** What is taken out must be noticed. */
async function sabotaged(): Promise<void> {
  say("| taken out | broken cases | duplicates | lost |\n| --- | ---: | ---: | ---: |\n");
  for (const sabotage of [undefined, ...SABOTAGES]) {
    const copy = await buildCopy(sabotage);
    try {
      const { broken, duplicates, lost } = totalsOf(
        await runMatrix(cases, { program: copy.program, done: tellProgress }),
      );
      say(`| ${sabotage?.what ?? "nothing"} | ${broken} | ${duplicates} | ${lost} |\n`);
      if (broken > 0 !== (sabotage !== undefined)) process.exitCode = 1;
    } finally {
      await copy.remove();
    }
  }
}

function tellProgress({ case: one, outcome, why }: Result): void {
  if (outcome === "broken") process.stderr.write(`${titleOf(one)}: ${why}\n`);
}

function broken(results: readonly Result[]): readonly Result[] {
  return results.filter(({ outcome }) => outcome === "broken");
}

function totalsOf(results: readonly Result[]) {
  const count = (outcome: Result["outcome"]) =>
    results.filter((result) => result.outcome === outcome).length;
  const sum = (key: "duplicates" | "lost") =>
    results.reduce((total, result) => total + result[key], 0);
  return {
    runs: results.length,
    survived: count("survived"),
    stopped: count("stopped"),
    broken: count("broken"),
    duplicates: sum("duplicates"),
    lost: sum("lost"),
  };
}

function table(results: readonly Result[]): string {
  const row = (name: string, lists: string, some: readonly Result[]) =>
    `| ${[name, lists, ...Object.values(totalsOf(some))].join(" | ")} |\n`;
  const rows = (Object.keys(GROUPS) as Group[]).flatMap((group) =>
    [true, false].flatMap((lists) => {
      const some = results.filter(({ case: one }) => one.group === group && one.lists === lists);
      return some.length === 0 ? [] : [row(GROUPS[group], lists ? "yes" : "no", some)];
    }),
  );
  return [
    "| what goes wrong | lists | runs | survived | safe stops | broken | duplicates | lost |\n",
    "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |\n",
    ...rows,
    row("all", "", results),
  ].join("");
}
