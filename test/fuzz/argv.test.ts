import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { routes } from "../../src/commands/routes.ts";
import { goodArgs, groups, leaves } from "../commands/leaves.ts";
import { run, sandboxAt } from "../harness.ts";
import { nearly, wrongOption } from "./argv.ts";
import { faultsOf } from "./judge.ts";
import { createTally, FIRST_SEED, seeds } from "./tally.ts";
import { tryOut } from "./trial.ts";

vi.setConfig({ testTimeout: 3_600_000 });

const tally = createTally("command lines");
const share = { numRuns: seeds(4), seed: FIRST_SEED };

describe.each(leaves)("amp $path", (leaf) => {
  const { path, words } = leaf;
  const good = goodArgs(path, sandboxAt());

  it("accepts a command line, or reports what is wrong with it", async () => {
    await fc.assert(
      fc.asyncProperty(nearly(leaf, good), (argv) =>
        tally.try(() => tryOut({ path, argv: () => argv })),
      ),
      share,
    );
  });

  it("names the one invalid option", async () => {
    await fc.assert(
      fc.asyncProperty(wrongOption(leaf), fc.boolean(), ({ typed, name }, asJson) =>
        tally.try(() =>
          tryOut({
            path,
            argv: () => [...words, ...good, ...(asJson ? ["--json"] : []), ...typed],
            asJson,
            more: ({ code, stderr, requests }) => [
              ...(code === 2 ? [] : ["it was taken"]),
              ...(requests.length === 0 ? [] : ["something was sent"]),
              ...(stderr.replaceAll(/\s/gu, "").includes(name) ? [] : [`${name} is not named`]),
            ],
          }),
        ),
      ),
      share,
    );
  });
});

describe("a word where a command should be", () => {
  const known = new Set(Object.keys(routes).flatMap((path) => path.split(" ")));

  it.each(["", ...groups])("is named in the error of amp %s", async (group) => {
    const word = fc
      .string({ minLength: 1, maxLength: 30 })
      .filter((text) => !text.startsWith("-") && !known.has(text) && text.trim() === text);
    await fc.assert(
      fc.asyncProperty(word, (typed) =>
        tally.try(async () => {
          const outcome = await run([...group.split(" ").filter(Boolean), typed, "--json"], {
            cwd: "/nowhere",
          });
          expect({ typed, faults: faultsOf(outcome, true) }).toEqual({ typed, faults: [] });
          if (outcome.code !== 0) {
            expect(outcome.error().message).toContain(JSON.stringify(typed));
          }
          return outcome;
        }),
      ),
      share,
    );
  });
});
