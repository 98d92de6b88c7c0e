/**
 * What amp costs, beside curl, jq, gh and its peers: `npm run bench [-- OPTIONS]`, after `npm run
 * build` and, for both programs, `npm run build:standalone`. Prints Markdown.
 *
 * --only start,list,lists,completion,apply   some parts; scale, of 20,000 routes, only on demand
 * --rounds N                                 in place of the rounds that each part has
 * --peers                                    with stripe, resend and hookdeck, installed on demand
 * --before                                   with the earlier programs of npm run bench:earlier
 * --write                                    puts the tables into test/bench/performance.md, too
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ROOT } from "../built.ts";
import { completionScenario } from "./completion.ts";
import { writeTables } from "./document.ts";
import { type BenchFixture, makeBenchFixture } from "./fixture.ts";
import { listScenario } from "./lists.ts";
import { measure, type Scenario } from "./measure.ts";
import { peers } from "./peers.ts";
import { machine, report } from "./report.ts";
import { shortListScenario, startScenario } from "./start.ts";

const { values: options } = parseArgs({
  options: {
    only: { type: "string", default: "start,list,lists,completion,apply" },
    rounds: { type: "string" },
    peers: { type: "boolean", default: false },
    write: { type: "boolean", default: false },
    before: { type: "boolean", default: false },
  },
});
const wanted = new Set(options.only.split(","));
// Each certificate that it names would be read at every start.
delete process.env.NODE_EXTRA_CA_CERTS;

publish("Machine", `${machine()}.\n`);
await part("start", 0, 21, (fixture) =>
  startScenario(fixture, options.peers ? peers() : new Map()),
);
await part("list", 20, 21, shortListScenario);
await part("lists", 10_000, 7, (fixture) => listScenario(fixture, 10_000));
await part("lists", 100_000, 5, (fixture) => listScenario(fixture, 100_000));
await part("completion", 0, 15, completionScenario);
if (wanted.has("apply")) {
  const before = options.before ? ["--before"] : [];
  script("A thousand routes", "provision.ts", options.rounds ?? "3", ...before);
}
if (wanted.has("scale")) script("Twenty thousand routes", "scale.ts");

function publish(title: string, tables: string): void {
  process.stdout.write(`### ${title}\n\n${tables}\n`);
  if (options.write) writeTables(title, tables);
}

function script(title: string, name: string, ...words: string[]): void {
  const args = [join(ROOT, "test/bench", name), ...words];
  const stdio = ["ignore", "pipe", "inherit"] as const;
  const { status, stdout } = spawnSync(process.execPath, args, {
    stdio: [...stdio],
    encoding: "utf8",
  });
  if (status === 0) publish(title, stdout);
  else process.exitCode = 1;
}

/** @param count of the installations that the service has */
async function part(
  name: string,
  count: number,
  usualRounds: number,
  scenarioOf: (fixture: BenchFixture) => Scenario,
): Promise<void> {
  if (!wanted.has(name)) return;
  const rounds = Number(options.rounds ?? usualRounds);
  const fixture = await makeBenchFixture(count);
  try {
    const scenario = scenarioOf(fixture);
    publish(scenario.title, report(scenario, await measure(scenario, rounds), rounds));
  } finally {
    await fixture.remove();
  }
}
