import { AMPS, type BenchFixture } from "./fixture.ts";
import { has, type Program, type Scenario, type Target } from "./measure.ts";

const JQ = "curl \\| jq";
const GH = "gh api";
/** The length for which there are targets. */
const LONG = 100_000;
/** MB that so many installations may take, 120 MB as they come. */
const MEMORY = { json: 130, tsv: 150 } as const;

/** A long list in each format. */
export function listScenario(fixture: BenchFixture, count: number): Scenario {
  const programs = new Map<string, Program>();
  const add = (name: string, ...words: readonly string[]) =>
    programs.set(name, fixture.program(...words));
  if (has("curl") && has("jq")) add(JQ, "sh", "-c", `curl -sf ${fixture.url} | jq .`);
  if (has("gh")) add(GH, "gh", "api", fixture.url);
  for (const [amp, words] of AMPS) {
    for (const format of ["json", "ndjson", "table", "csv", "tsv", "id"]) {
      add(`${amp} -o ${format}`, ...words, ...fixture.list, "-o", format);
    }
    add(`${amp} --count`, ...words, ...fixture.list, "--count");
    const filter = ["--filter", "health=unhealthy"];
    add(`${amp} --filter -o ndjson`, ...words, ...fixture.list, ...filter, "-o", "ndjson");
    add(`${amp} --sort-by`, ...words, ...fixture.list, "--sort-by=-updated", "-o", "ndjson");
    add(`${amp} --limit 10`, ...words, ...fixture.list, "--limit", "10", "-o", "ndjson");
    add(`${amp} --jq`, ...words, ...fixture.list, "--jq", ".[] | .id");
  }
  const memory = count === LONG ? Object.entries(MEMORY) : [];
  const targets: Target[] = memory.map(([format, atMost]) => ({
    program: `standalone -o ${format}`,
    unit: "MB",
    atMost,
  }));
  const title = `A list of ${count.toLocaleString("en")}`;
  return { title, programs, yardsticks: [JQ, GH], targets };
}
