/**
 * What a list of 100,000 installations costs in each format, beside `curl | jq .`: each program in
 * turn, round by round. Prints a Markdown table. Run by `npm run bench:lists`.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PROGRAM, wordsOf } from "../built.ts";
import { INTEGRATION, type LongListServer, serveLongList } from "../long-list-server.ts";

const ROUNDS = Number(process.env.ROUNDS ?? 5);
const COUNT = Number(process.env.COUNT ?? 100_000);
const folder = mkdtempSync(join(tmpdir(), "amp-bench-"));
const YARDSTICK = "curl \\| jq";

/** Of one run. */
interface Cost {
  readonly ms: number;
  readonly firstByteMs: number;
  /** Of the largest process; absent where no time(1) can tell. */
  readonly peakMb: number | undefined;
}

const server = await serveLongList(COUNT);
try {
  const costs = new Map(
    [...programs(server)].map(([name, words]) => [name, { words, all: [] as Cost[] }]),
  );
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const { words, all } of costs.values()) all.push(await measure(words, server));
  }
  report(new Map([...costs].map(([name, { all }]) => [name, all])));
} finally {
  server.close();
  rmSync(folder, { recursive: true, force: true });
}

function programs({ baseUrl }: LongListServer): Map<string, readonly string[]> {
  const all = new Map<string, readonly string[]>();
  if (["curl", "jq"].every((name) => spawnSync(name, ["--version"]).status === 0)) {
    all.set(YARDSTICK, ["sh", "-c", `curl -sf ${baseUrl} | jq .`]);
  }
  const list = [...wordsOf(PROGRAM), "installations", "list", INTEGRATION];
  for (const format of ["json", "ndjson", "table", "csv", "tsv", "id"]) {
    all.set(`amp -o ${format}`, [...list, "-o", format]);
  }
  return all.set("amp --count", [...list, "--count"]);
}

async function measure(words: readonly string[], { baseUrl }: LongListServer): Promise<Cost> {
  const timed = spawnSync("/usr/bin/time", ["-f", "%M", "true"]).status === 0;
  const [program = "", ...rest] = timed ? ["/usr/bin/time", "-f", "peak %M", ...words] : words;
  const start = performance.now();
  const child = spawn(program, rest, {
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      AMP_CONFIG_DIR: folder,
      AMP_BASE_URL: baseUrl,
      AMP_API_KEY: "key",
      AMP_PROJECT: "acme",
    },
  });
  let firstByteMs: number | undefined;
  let told = "";
  child.stdout.on("data", () => {
    firstByteMs ??= performance.now() - start;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    told += text;
  });
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`${words.join(" ")} ended with ${code}: ${told}`);
  const ms = performance.now() - start;
  const peak = /peak (\d+)/u.exec(told)?.[1];
  return { ms, firstByteMs: firstByteMs ?? ms, peakMb: peak ? Number(peak) / 1024 : undefined };
}

function report(costs: ReadonlyMap<string, readonly Cost[]>): void {
  const base = costs.get(YARDSTICK);
  const lines = [...costs].map(([name, all]) => {
    const ratios = all.map(({ ms }, round) => ms / (base?.[round]?.ms ?? Number.NaN));
    const cells = [
      (median(all.map(({ ms }) => ms)) / 1000).toFixed(2),
      median(ratios).toFixed(2),
      median(all.map(({ firstByteMs }) => firstByteMs)).toFixed(0),
      Math.max(...all.map(({ peakMb }) => peakMb ?? Number.NaN)).toFixed(0),
    ];
    return `| ${name} | ${cells.join(" | ")} |`;
  });
  const head = [
    `| ${COUNT} installations | median s | × ${YARDSTICK} | first byte ms | peak MB |`,
    "|---|---:|---:|---:|---:|",
  ];
  process.stdout.write(`${[...head, ...lines, "", `${ROUNDS} rounds, in turn.`].join("\n")}\n`);
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}
