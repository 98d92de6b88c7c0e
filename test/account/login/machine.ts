import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Outcome, type RunInput, run, sandboxAt } from "../../harness.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

export const URL = "http://127.0.0.1:4747/v1";
export const KEY = "sandbox-api-key";
export const TOKEN = "sandbox-access-token";
/** Nothing of the environment says who amp acts as. */
const NOBODY = {
  AMP_PROFILE: undefined,
  AMP_BASE_URL: undefined,
  AMP_API_KEY: undefined,
  AMP_PROJECT: undefined,
};

/** A machine on which one command follows another. */
export function machine() {
  const cwd = temporaryFolder();
  const sandbox = sandboxAt();
  const amp = (args: readonly string[], world: RunInput = {}): Promise<Outcome> =>
    run(args, { cwd, sandbox, ...world, env: { ...NOBODY, ...world.env } });
  const login = (args: readonly string[], world: RunInput = {}) =>
    amp(["auth", "login", ...args], world);
  const file = (name: string) => join(cwd, "config", name);
  const read = (name: string) => readFileSync(file(name), "utf8");
  const profiles = () => JSON.parse(read("config.json"));
  return { cwd, sandbox, amp, login, file, read, profiles };
}

/** The options of a login whose key comes through a pipe. */
export const piped = ["--base-url", URL, "--api-key-file", "-"];
