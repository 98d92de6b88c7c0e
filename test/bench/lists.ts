import { AMPS, type BenchFixture } from "./fixture.ts";
import { has, type Program, type Scenario, type Target } from "./measure.ts";

const JQ = "curl \\| jq";
const JQ_SELECT = "curl \\| jq select";
const GH = "gh api";
/** The columns of amp's table, made by others. */
const JQ_TABLE = "curl \\| jq @tsv \\| column -t";
const TABLE_OF_OTHERS =
  ".[] | [.id, .group.groupName, .connection.provider, .healthStatus, .updateTime] | @tsv";
/** The unhealthy ones, item by item. */
const UNHEALTHY = '.[] | select(.healthStatus == "unhealthy")';
/** The length for which there are targets. */
const LONG = 100_000;

/** Of 100,000 installations, 120 MB as they come. */
const TARGETS: readonly Target[] = [
  ...["json", "ndjson"].map((format) => times(`standalone -o ${format}`, JQ, 0.25)),
  times("standalone -o id", JQ, 0.15),
  times("standalone -o count", JQ, 0.15),
  ...["table", "tsv"].map((format) => times(`standalone -o ${format}`, JQ_TABLE, 0.4)),
  times("bundle -o json", JQ, 0.4),
  { program: "standalone -o json", firstByteBefore: GH },
  megabytes("standalone -o json", 130),
  ...["table", "tsv"].map((format) => megabytes(`standalone -o ${format}`, 150)),
  megabytes("standalone --filter -o ndjson", 130),
  megabytes("standalone --jq", 250),
  megabytes("bundle -o json", 200),
];

function times(program: string, base: string, atMost: number): Target {
  return { program, times: base, atMost };
}

function megabytes(program: string, atMost: number): Target {
  return { program, unit: "MB", atMost };
}

/** A long list in each format. */
export function listScenario(fixture: BenchFixture, count: number): Scenario {
  const programs = new Map<string, Program>();
  const add = (name: string, ...words: readonly string[]) =>
    programs.set(name, fixture.program(...words));
  const { url } = fixture;
  if (has("curl") && has("jq")) {
    add(JQ, "sh", "-c", `curl -sf ${url} | jq .`);
    add(JQ_SELECT, "sh", "-c", `curl -sf ${url} | jq -c '${UNHEALTHY}'`);
    const rows = `curl -sf ${url} | jq -r '${TABLE_OF_OTHERS}' | column -t -s "$(printf '\\t')"`;
    add(JQ_TABLE, "sh", "-c", rows);
  }
  if (has("gh")) add(GH, "gh", "api", url);
  for (const [amp, words] of AMPS) {
    for (const format of ["json", "ndjson", "table", "csv", "tsv", "id"]) {
      add(`${amp} -o ${format}`, ...words, ...fixture.list, "-o", format);
    }
    add(`${amp} -o count`, ...words, ...fixture.list, "-o", "count");
    const filter = ["--filter", "health=unhealthy"];
    add(`${amp} --filter -o ndjson`, ...words, ...fixture.list, ...filter, "-o", "ndjson");
    add(`${amp} --sort-by`, ...words, ...fixture.list, "--sort-by=-updated", "-o", "ndjson");
    add(`${amp} --limit 10`, ...words, ...fixture.list, "--limit", "10", "-o", "ndjson");
    add(`${amp} --jq`, ...words, ...fixture.list, "--jq", UNHEALTHY);
  }
  const targets = count === LONG ? TARGETS : [];
  const title = `A list of ${count.toLocaleString("en")}`;
  return { title, programs, yardsticks: [JQ, GH], targets };
}
