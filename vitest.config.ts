import { globSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { isJudge } from "./test/judges.ts";

const files = globSync("test/**/*.test.ts")
  .filter((file) => process.env.AMP_TEST_JUDGES === undefined || isJudge(file))
  .sort();

/** Tests that replace a module: each needs a process of its own. */
const isolated = files.filter((file) => readFileSync(file, "utf8").includes("vi.mock("));

/** The tests that take longest, longest first: one that begins last would be waited for. */
const SLOW = [
  ...["test/faults/matrix", "test/faults/sabotage", "test/e2e/", "test/commands/hostile"],
  ...["test/commands/secret-probes", "test/fuzz/", "test/build/", "test/laws/fifth-kind"],
];

class SlowFirst extends BaseSequencer {
  override async sort(specs: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const at = SLOW.findIndex((part) => moduleId.includes(part));
      return at < 0 ? SLOW.length : at;
    };
    return (await super.sort(specs)).sort((a, b) => rank(a) - rank(b));
  }
}

/** Takes a mend out, for `npm run sequences -- --mends`. */
const plugins = process.env.AMP_TEST_WITHOUT
  ? [
      await import("./test/notify/engine/without.ts").then(({ withoutMend }) => ({
        name: "without",
        enforce: "pre" as const,
        transform: withoutMend,
      })),
    ]
  : [];

export default defineConfig({
  plugins,
  test: {
    // What was taken out must not be kept for other runs.
    fsModuleCache: plugins.length === 0,
    sequence: { sequencer: SlowFirst },
    // More than there are processors: tests of processes spend most of their time waiting.
    maxWorkers: availableParallelism() * 3,
    globalSetup: "test/temporary-root.ts",
    setupFiles: "test/setup.ts",
    // What a developer's shell says must not reach a test.
    env: { NO_COLOR: "", FORCE_COLOR: "", CI: "", TZ: "UTC" },
    // A busy machine is no failure; what hangs is seen all the same.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    projects: [
      {
        extends: true,
        // Most of the time of a small test file is the loading of what it imports.
        test: {
          name: "shared",
          isolate: false,
          include: files.filter((file) => !isolated.includes(file)),
        },
      },
      { extends: true, test: { name: "isolated", include: isolated } },
    ],
  },
});
