import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { ROOT } from "../built.ts";

/** Leaves behind what is referred to weakly, as fetch does, and writes the most memory of the heap. */
const PROGRAM = `
  import { getHeapStatistics } from "node:v8";
  import { setImmediate as turn } from "node:timers/promises";
  const [, runtime] = process.argv;
  if (runtime) await (await import(runtime)).keepHeapSmall();
  const registry = new FinalizationRegistry(() => {});
  let most = 0;
  for (let at = 0; at < 20_000; at += 1) {
    registry.register({ left: new Array(1_000).fill(at) }, at);
    if (at % 20 !== 0) continue;
    await turn();
    most = Math.max(most, getHeapStatistics().total_heap_size);
  }
  process.stdout.write(String(most));
`;

function mostBytes(...args: readonly string[]): number {
  const options = ["--input-type=module", "--eval", PROGRAM, "--", ...args];
  return Number(execFileSync(process.execPath, options, { encoding: "utf8" }));
}

describe("keepHeapSmall", () => {
  it("halves the memory of a process that leaves much behind", () => {
    const runtime = pathToFileURL(join(ROOT, "src/runtime/runtime.ts")).href;
    expect(mostBytes(runtime)).toBeLessThan(mostBytes() / 2);
  });
});
