import { AMPS, type BenchFixture } from "./fixture.ts";
import { has, type Program, type Scenario, type Target } from "./measure.ts";

const NODE = "node, empty script";
const CURL = "curl --version";
const CURL_LIST = "curl, the same list";
const GH = "gh --version";
const GH_HELP = "gh --help";
const GH_LIST = "gh api, the same list";

/** Versions and help: what starting costs. */
export function startScenario(
  fixture: BenchFixture,
  peers: ReadonlyMap<string, readonly string[]>,
): Scenario {
  const programs = new Map<string, Program>();
  const add = (name: string, ...words: readonly string[]) =>
    programs.set(name, fixture.program(...words));
  add(NODE, process.execPath, "-e", "0");
  if (has("curl")) add(CURL, "curl", "--version");
  if (has("gh")) {
    add(GH, "gh", "--version");
    add(GH_HELP, "gh", "--help");
  }
  for (const [amp, words] of AMPS) {
    add(`${amp} --version`, ...words, "--version");
    add(`${amp} --help`, ...words, "--help");
    add(`${amp} installations --help`, ...words, "installations", "--help");
    add(`${amp} installations list --help`, ...words, "installations", "list", "--help");
  }
  for (const [peer, words] of peers) {
    add(`${peer} --version`, ...words, "--version");
    add(`${peer} --help`, ...words, "--help");
  }
  const helps = ["--help", "installations --help", "installations list --help"];
  const targets: Target[] = [
    { program: "standalone --version", times: CURL, atMost: 1.1 },
    { program: "standalone --version", times: GH, atMost: 0.25 },
    ...helps.flatMap((help) => [
      { program: `standalone ${help}`, times: CURL, atMost: 2 },
      { program: `standalone ${help}`, times: GH_HELP, atMost: 0.4 },
    ]),
    { program: "bundle --version", times: NODE, atMost: 1.1 },
    { program: "bundle --help", times: NODE, atMost: 1.5 },
  ];
  return { title: "Start", programs, yardsticks: [CURL, NODE, GH, GH_HELP], targets };
}

/** A list of twenty, by a saved login. */
export function shortListScenario(fixture: BenchFixture): Scenario {
  const programs = new Map<string, Program>();
  const add = (name: string, ...words: readonly string[]) =>
    programs.set(name, fixture.program(...words));
  add(NODE, process.execPath, "-e", "0");
  if (has("curl")) add(CURL_LIST, "curl", "-sf", fixture.url);
  if (has("curl") && has("jq")) add("curl \\| jq", "sh", "-c", `curl -sf ${fixture.url} | jq .`);
  if (has("gh")) add(GH_LIST, "gh", "api", fixture.url);
  for (const [amp, words] of AMPS) {
    for (const format of ["json", "table"]) {
      add(`${amp} list -o ${format}`, ...words, ...fixture.list, "-o", format);
    }
  }
  const targets: Target[] = [
    { program: "standalone list -o json", times: CURL_LIST, atMost: 2.5 },
    { program: "standalone list -o table", times: CURL_LIST, atMost: 3 },
    { program: "standalone list -o json", times: GH_LIST, atMost: 0.5 },
    { program: "standalone list -o table", times: GH_LIST, atMost: 0.5 },
    { program: "bundle list -o json", times: NODE, atMost: 3.8 },
    { program: "bundle list -o table", times: NODE, atMost: 3.8 },
  ];
  const yardsticks = [CURL_LIST, "curl \\| jq", NODE, GH_LIST];
  return { title: "A list of 20", programs, yardsticks, targets };
}
