import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

// `npm run fuzz -- --seeds 500 --first 1`: so many inputs of each kind; what fails is told with the
// seed that makes it again. `npm test` tries a share of them.
const { values } = parseArgs({
  options: { seeds: { type: "string", default: "500" }, first: { type: "string", default: "1" } },
});
for (const [name, value] of Object.entries(values)) {
  if (!/^[1-9]\d*$/u.test(value)) throw new Error(`--${name} must be a number, not ${value}`);
}
const vitest = fileURLToPath(new URL("../../node_modules/vitest/vitest.mjs", import.meta.url));
const { status } = spawnSync(process.execPath, [vitest, "run", "test/fuzz", "--reporter=dot"], {
  stdio: "inherit",
  env: { ...process.env, AMP_FUZZ_SEEDS: values.seeds, AMP_FUZZ_FIRST_SEED: values.first },
});
process.exitCode = status ?? 1;
