import { describe, expect, it } from "vitest";
import { TOPIC_NAMES } from "../../src/cli/help.ts";
import { nodesOf, readTree } from "../../src/cli/tree.ts";
import { routes } from "../../src/commands/routes.ts";
import { run } from "../harness.ts";

const PAGES = [
  ...nodesOf(await readTree(routes)).map(({ path }) => [...path, "--help"]),
  ...TOPIC_NAMES.map((topic) => ["help", topic]),
].map((argv) => [argv.join(" "), argv] as const);

/** The widest help: what it says is the same at every width. */
const WIDEST = 100;

async function helpAt(argv: readonly string[], columns: number): Promise<string> {
  const { code, stdout, stderr } = await run(argv, { columns });
  expect({ argv, code, stderr }).toEqual({ argv, code: 0, stderr: "" });
  return stdout;
}

/** The words of a page, without the backslashes of folded commands. */
function wordsOf(page: string): string[] {
  return page.split(/\s+/u).filter((word) => word !== "\\" && word !== "#" && word !== "");
}

describe.each(PAGES)("amp %s", (_, argv) => {
  it("fits 60, 80 and 140 columns, with every word whole", async () => {
    const words = wordsOf(await helpAt(argv, WIDEST));
    for (const columns of [60, 80, 140]) {
      const page = await helpAt(argv, columns);
      const lines = page.split("\n");
      expect(lines.filter((line) => line.length > Math.min(columns, WIDEST))).toEqual([]);
      expect(wordsOf(page)).toEqual(words);
    }
  });
});

it("puts explanations below their terms where there is no room beside them", async () => {
  const page = await helpAt(["notify", "apply", "--help"], 50);
  for (const line of page.split("\n")) expect(line.length, line).toBeLessThanOrEqual(50);
  expect(page).toMatch(/^ {2}--expect-project <name>\n {6}refuse writes/mu);
});
