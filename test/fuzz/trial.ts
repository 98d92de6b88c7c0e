import { rmSync } from "node:fs";
import type { Sandbox } from "../../src/sandbox/sandbox.ts";
import { INVOCATIONS } from "../commands/invocations.ts";
import { type Outcome, type RunInput, run, sandboxAt } from "../harness.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { faultsOf } from "./judge.ts";

/** Far beyond what any trial takes, on a busy machine too. */
const WATCHDOG_MS = 90_000;

/** One run of a command in a folder of its own. */
export interface Trial {
  /** Of the command, what stands before it had to happen. */
  readonly path: string;
  /** All words; told what the sandbox holds. */
  readonly argv: (sandbox: Sandbox) => readonly string[];
  readonly world?: (sandbox: Sandbox) => RunInput;
  /** Whether stdout has to be JSON. */
  readonly asJson?: boolean;
  /** What more is wrong with the outcome. */
  readonly more?: (outcome: Outcome) => readonly string[];
}

/** @throws {Error} that tells everything, where the outcome is none that a person may be shown */
export async function tryOut({ path, argv, world, asJson = false, more }: Trial): Promise<Outcome> {
  const sandbox = sandboxAt();
  const cwd = temporaryFolder();
  const words = argv(sandbox);
  try {
    await INVOCATIONS[path]?.before?.(cwd, sandbox);
    const around = { sandbox, cwd, stdin: "", ...INVOCATIONS[path]?.world?.() };
    const outcome = await within(run(words, Object.assign(world?.(sandbox) ?? {}, around)));
    const faults = [...faultsOf(outcome, asJson), ...(more?.(outcome) ?? [])];
    if (faults.length > 0) throw new Error(JSON.stringify({ words, faults, ...outcome }, null, 2));
    return outcome;
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}

/** Fails what does not end. */
async function within<Result>(work: Promise<Result>): Promise<Result> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error("it does not end")), WATCHDOG_MS);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
