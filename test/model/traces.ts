import { spawn } from "node:child_process";
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { temporaryFolder } from "../temporary-folder.ts";
import type { ModelState, TraceStep } from "./replay.ts";

const MODELS = resolve(import.meta.dirname, "../../model");
const QUINT = join(
  dirname(createRequire(import.meta.url).resolve("@informalsystems/quint/package.json")),
  "dist/src/cli.js",
);

/** A model, with its constants and what is left out of it. */
export interface Configuration {
  readonly model: "resource" | "lock" | "owners";
  readonly constants: Readonly<Record<string, string | number | boolean>>;
}

/** How a configuration is simulated. */
export interface Simulated {
  readonly traces: number;
  readonly steps?: number;
  readonly seed: number;
  /** How many traces are written. */
  readonly written?: number;
}

/** The outcome of a simulation. */
export interface SimulationResult {
  /** Whether what must hold did not. */
  readonly isBroken: boolean;
  readonly traces: readonly (readonly TraceStep[])[];
  readonly ms: number;
}

/**
 * Simulates a model with Quint, until its invariant `safe` is broken.
 * @throws {Error} with what Quint says, if it is not a model
 */
export async function simulate(
  { model, constants }: Configuration,
  { traces, steps = 40, seed, written = 1 }: Simulated,
): Promise<SimulationResult> {
  const folder = temporaryFolder();
  const values = Object.entries(constants).map(
    ([name, value]) => `${name} = ${JSON.stringify(value)}`,
  );
  const main = join(folder, "main.qnt");
  // Quint imports from beside a file only.
  for (const file of readdirSync(MODELS)) copyFileSync(join(MODELS, file), join(folder, file));
  const source = `import ${model}(${values.join(", ")}).* from "./${model}"`;
  writeFileSync(main, `module main { ${source} }\n`);
  const began = performance.now();
  const options = [
    "--main=main",
    "--backend=typescript",
    "--invariant=safe",
    "--mbt",
    "--verbosity=1",
    `--max-samples=${traces}`,
    `--max-steps=${steps}`,
    `--n-traces=${written}`,
    `--seed=${seed * 0x9e3779b9}`,
    `--out-itf=${join(folder, "{seq}.itf.json")}`,
  ];
  const { code, output } = await run([QUINT, "run", main, ...options]);
  const isBroken = code !== 0 && output.includes("Invariant violated");
  if (code !== 0 && !isBroken) throw new Error(output);
  const files = readdirSync(folder).filter((name) => name.endsWith(".itf.json"));
  return {
    isBroken,
    traces: files.map((name) => traceOf(readFileSync(join(folder, name), "utf8"))),
    ms: performance.now() - began,
  };
}

function run(args: readonly string[]): Promise<{ readonly code: number; readonly output: string }> {
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  return new Promise((done, fail) => {
    child.on("error", fail);
    child.on("close", (code) => done({ code: code ?? 1, output }));
  });
}

/** The steps of a trace in the Informal Trace Format. */
function traceOf(text: string): readonly TraceStep[] {
  const { states } = JSON.parse(text) as { states: readonly Record<string, unknown>[] };
  return states.map((state) => {
    const name = Object.keys(state).find((key) => key === "s" || key.endsWith("::s")) ?? "";
    const action = String(state["mbt::actionTaken"]);
    return { action, state: plain(state[name]) as ModelState };
  });
}

/** A value of the format as JSON has it. */
function plain(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(plain);
  if ("#bigint" in value) return Number(value["#bigint"]);
  if ("#set" in value) return plain(value["#set"]);
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plain(each)]));
}
