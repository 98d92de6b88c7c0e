import { AMPS, type Bed } from "./bed.ts";
import { has, type Program, type Scenario, type Target } from "./measure.ts";

const JQ = "curl \\| jq";
const GH = "gh api";
/** MB that 100,000 installations may take, 120 MB as they come. */
const MEMORY = { json: 130, tsv: 150 } as const;

/** A long list in each format. */
export function listScenario(bed: Bed, count: number): Scenario {
  const programs = new Map<string, Program>();
  const add = (name: string, ...words: readonly string[]) =>
    programs.set(name, bed.program(...words));
  if (has("curl") && has("jq")) add(JQ, "sh", "-c", `curl -sf ${bed.url} | jq .`);
  if (has("gh")) add(GH, "gh", "api", bed.url);
  for (const [amp, words] of AMPS) {
    for (const format of ["json", "ndjson", "table", "csv", "tsv", "id"]) {
      add(`${amp} -o ${format}`, ...words, ...bed.list, "-o", format);
    }
    add(`${amp} --count`, ...words, ...bed.list, "--count");
  }
  const targets: Target[] = Object.entries(MEMORY).map(([format, atMost]) => ({
    program: `standalone -o ${format}`,
    unit: "MB",
    atMost,
  }));
  const title = `A list of ${count.toLocaleString("en")}`;
  return { title, programs, yardsticks: [JQ, GH], targets };
}
