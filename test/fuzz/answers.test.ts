import fc from "fast-check";
import { describe, it, vi } from "vitest";
import { parse } from "yaml";
import { INVOCATIONS } from "../commands/invocations.ts";
import { goodArgs, leaves } from "../commands/leaves.ts";
import { NOW, type Outcome } from "../harness.ts";
import { spoils } from "./answers.ts";
import { answerSchemas } from "./schemas.ts";
import { createTally, FIRST_SEED, seeds } from "./tally.ts";
import { tryOut } from "./trial.ts";

vi.setConfig({ testTimeout: 3_600_000 });

/** Waits pass at once, but not unnoticed: the clock of the run goes on by them. */
const clock = vi.hoisted(() => ({ waited: 0 }));
vi.mock("node:timers/promises", () => ({
  ...process.getBuiltinModule("node:timers/promises"),
  setTimeout: async (ms: number, value: unknown, { signal }: { signal?: AbortSignal } = {}) => {
    signal?.throwIfAborted();
    clock.waited += ms;
    return value;
  },
}));

const realNow = performance.now.bind(performance);
vi.spyOn(performance, "now").mockImplementation(() => realNow() + clock.waited);

/** It hands on what it gets, whatever that is. */
const RAW = "api";

const tally = createTally("bad answers");
const schemas = await answerSchemas();

describe.each(leaves)("amp $path", ({ path, words }) => {
  /**
   * An answer that is not as specified is printed as it came, and stderr says so: with YAML, for with
   * JSON stderr is for errors alone.
   */
  function nonsense({ code, stdout, stderr }: Outcome): string[] {
    const schema = schemas[path];
    if (code !== 0 || schema === undefined || schema.safeParse(parse(stdout)).success) return [];
    return stderr.includes("not as specified") ? [] : ["it printed an odd answer and said nothing"];
  }

  it("handles every response of a broken service", async () => {
    await fc.assert(
      fc.asyncProperty(spoils, fc.nat(2), fc.nat(2), (spoil, good, format) =>
        tally.try(() => {
          const isData = INVOCATIONS[path]?.noJson === undefined && path !== RAW;
          const asJson = isData && format === 1;
          const asYaml = isData && format === 2 && schemas[path] !== undefined;
          let nth = 0;
          return tryOut({
            path,
            argv: (sandbox) => [
              ...words,
              ...goodArgs(path, sandbox),
              ...(asJson ? ["--json"] : []),
              ...(asYaml ? ["--output", "yaml"] : []),
            ],
            world: (sandbox) => ({
              env: { AMP_RETRIES: "0", AMP_MAX_WAIT: "1ms" },
              fetch: async (request) => {
                const answer = await sandbox.fetch(request);
                nth += 1;
                return nth > good ? spoil(answer) : answer;
              },
              get now() {
                return new Date(NOW.getTime() + clock.waited);
              },
            }),
            asJson,
            more: (outcome) => (asYaml ? nonsense(outcome) : []),
          });
        }),
      ),
      { numRuns: seeds(10), seed: FIRST_SEED },
    );
  });
});
