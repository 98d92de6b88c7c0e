/**
 * The whole fault matrix, against the built program: `npm run bench:faults`. Prints a Markdown table
 * and what is broken; exits 1 where a record was made twice or lost, or a case is broken. With
 * `sabotage`, the cases of `npm test` for copies of the program that lack a part each, and exits 1
 * where one of them goes unnoticed. With `kills`, runs of both programs that are killed at random,
 * `--runs` of each program with lists and as many without, from `--seed` on. With words, only the cases
 * whose titles hold them all.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ROOT } from "../built.ts";
import { GROUPS, type Group, type Result, titleOf } from "../faults/case.ts";
import { diskWords } from "../faults/cases/disk.ts";
import { randomKills } from "../faults/cases/kills.ts";
import { reducedMatrix, runMatrix, wholeMatrix } from "../faults/matrix.ts";
import { buildCopy, SABOTAGES } from "../faults/sabotage.ts";

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { runs: { type: "string", default: "125" }, seed: { type: "string", default: "1" } },
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

if (isSabotage) await sabotaged();
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
