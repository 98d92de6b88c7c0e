/**
 * What starting amp costs, beside bare Node and curl: each program in turn, round by round, so that a
 * machine whose speed drifts is as slow for all. Prints a Markdown table. Run by `npm run bench`.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const ROUNDS = Number(process.env.ROUNDS ?? 15);
const AMP = fileURLToPath(new URL("../../bin/amp.js", import.meta.url));
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

/** Name to words; the first is what the others are compared with. */
function programs(url: string): Map<string, readonly string[]> {
  const amp = (...words: string[]) => [process.execPath, AMP, "--base-url", url, ...words];
  const list = ["installations", "list", "e2a7d6c4-08f3-4b59-8c7d-91b5a3f0e6d2"];
  const all = new Map<string, readonly string[]>([
    ["node, empty script", [process.execPath, "-e", "0"]],
    ["amp --version", [process.execPath, AMP, "--version"]],
    ["amp --help", [process.execPath, AMP, "--help"]],
    ["amp installations list --help", amp("installations", "list", "--help")],
    ["amp installations list --json", amp(...list, "--json")],
    ["amp installations list (rows)", amp(...list)],
  ]);
  if (spawnSync("curl", ["--version"]).status === 0) {
    const path = `${url}/projects/acme/integrations/${list[2]}/installations`;
    all.set("curl --version", ["curl", "--version"]);
    all.set("curl, the same list", ["curl", "-sf", "-H", "X-Api-Key: sandbox-api-key", path]);
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
  const [base = []] = times.values();
  const lines = [...times].map(([name, all]) => {
    const ratios = all.map((ms, round) => ms / (base[round] ?? ms));
    return `| ${name} | ${median(all).toFixed(0)} | ${median(ratios).toFixed(2)} |`;
  });
  const head = ["| program | median ms | × node, empty script |", "|---|---:|---:|"];
  process.stdout.write(`${[...head, ...lines, "", `${ROUNDS} rounds, in turn.`].join("\n")}\n`);
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}

async function firstLine(stream: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: stream })) return line;
  throw new Error("the sandbox did not start");
}
