import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: "test/temporary-root.ts",
    // Every command that a test makes amp suggest is parsed by amp itself.
    setupFiles: ["test/setup.ts", "test/suggestions.ts"],
    // What a developer's shell says must not reach a test.
    env: { NO_COLOR: "", FORCE_COLOR: "", CI: "", TZ: "UTC" },
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
