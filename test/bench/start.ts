/**
 * What starting amp costs, beside bare Node and curl: each program in turn, round by round, so that a
 * machine whose speed drifts is as slow for all. The standalone program too, where it is built.
 * Prints a Markdown table. Run by `npm run bench`.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { ROOT, wordsOf } from "../built.ts";

const ROUNDS = Number(process.env.ROUNDS ?? 15);
const AMP = join(ROOT, "bin/amp.js");
const STANDALONE = join(ROOT, "dist/standalone/amp");
const NODE = "node, empty script";
const CURL = "curl, the same list";
const folder = mkdtempSync(join(tmpdir(), "amp-bench-"));
const env = {
  PATH: process.env.PATH,
  HOME: folder,
  AMP_CONFIG_DIR: folder,
  AMP_PROFILE: "sandbox",
};

const server = spawn(process.execPath, [AMP, "sandbox", "start", "--port", "0", "--quiet"], {
  env,
  stdio: ["ignore", "pipe", "inherit"],
});
try {
  const url = await firstLine(server.stdout);
  report(measure(programs(url)));
} finally {
  server.kill("SIGTERM");
  await once(server, "exit");
  rmSync(folder, { recursive: true, force: true });
}

/** Name to words. */
function programs(url: string): Map<string, readonly string[]> {
  const all = new Map<string, readonly string[]>([[NODE, [process.execPath, "-e", "0"]]]);
  const list = ["installations", "list", "e2a7d6c4-08f3-4b59-8c7d-91b5a3f0e6d2"];
  if (spawnSync("curl", ["--version"]).status === 0) {
    const path = `${url}/projects/acme/integrations/${list[2]}/installations`;
    all.set(CURL, ["curl", "-sf", "-H", "X-Api-Key: sandbox-api-key", path]);
  }
  const amps = new Map([["amp", AMP]]);
  if (existsSync(STANDALONE)) amps.set("standalone amp", STANDALONE);
  for (const [name, program] of amps) {
    const amp = (...words: readonly string[]) =>
      all.set([name, ...words.slice(0, 2), ...words.slice(3)].join(" "), [
        ...wordsOf(program),
        ...words,
        ...(words.length > 1 ? ["--base-url", url] : []),
      ]);
    amp("--version");
    amp("--help");
    amp(...list, "--help");
    amp(...list);
    amp(...list, "--json");
  }
  return all;
}

function measure(all: ReadonlyMap<string, readonly string[]>): Map<string, number[]> {
  const times = new Map([...all.keys()].map((name) => [name, [] as number[]]));
  for (let round = -1; round < ROUNDS; round += 1) {
    for (const [name, [program = "", ...words]] of all) {
      const start = performance.now();
      const { status, stderr } = spawnSync(program, words, { env });
      const ms = performance.now() - start;
      if (status !== 0) throw new Error(`${name} ended with ${status}: ${stderr}`);
      // The first round warms the file cache and amp's compile cache.
      if (round >= 0) times.get(name)?.push(ms);
    }
  }
  return times;
}

function report(times: ReadonlyMap<string, readonly number[]>): void {
  const bases = [NODE, CURL].filter((name) => times.has(name));
  const lines = [...times].map(([name, all]) => {
    const ratios = bases.map((base) =>
      median(all.map((ms, round) => ms / (times.get(base)?.[round] ?? ms))).toFixed(2),
    );
    return `| ${[name, median(all).toFixed(0), ...ratios].join(" | ")} |`;
  });
  const head = ["program", "median ms", ...bases.map((base) => `× ${base}`)];
  const rule = `|---|${"---:|".repeat(head.length - 1)}`;
  const table = [`| ${head.join(" | ")} |`, rule, ...lines, "", `${ROUNDS} rounds, in turn.`];
  process.stdout.write(`${table.join("\n")}\n`);
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}

async function firstLine(stream: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: stream })) return line;
  throw new Error("the sandbox did not start");
}
