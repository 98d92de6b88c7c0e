import { globSync, readFileSync } from "node:fs";
import { defineConfig } from "vitest/config";

const files = globSync("test/**/*.test.ts").sort();

/** Tests that replace a module: each needs a process of its own. */
const isolated = files.filter((file) => readFileSync(file, "utf8").includes("vi.mock("));

export default defineConfig({
  test: {
    globalSetup: "test/temporary-root.ts",
    setupFiles: "test/setup.ts",
    // What a developer's shell says must not reach a test.
    env: { NO_COLOR: "", FORCE_COLOR: "", CI: "", TZ: "UTC" },
    testTimeout: 30_000,
    hookTimeout: 30_000,
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
