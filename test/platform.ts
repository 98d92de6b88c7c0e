/**
 * The sandbox, which is an implementation of the service of its own: what amp is judged at. Judges
 * reach it through this file and `harness.ts` alone.
 */
import { createControl } from "../src/sandbox/control/control.ts";
import {
  createSandbox as create,
  type Sandbox,
  type SandboxOptions,
} from "../src/sandbox/sandbox.ts";
import { derived, once } from "../src/values/basics.ts";

export { overHttp } from "../src/sandbox/faults/faulty-sandbox.ts";
export { chooser } from "../src/sandbox/faults/script.ts";
export { writeSandboxState } from "../src/sandbox/run.ts";
export { SEED_WORLD } from "../src/sandbox/seed/world.ts";
export { serveSandbox } from "../src/sandbox/serve.ts";
export { createFaultySandbox } from "./faulty-sandbox.ts";

/** What anybody may know of it. */
export const SANDBOX_API_KEY = "sandbox-api-key";
export const MAIN_PROJECT = "acme";
/** The token of the control of each sandbox that a test makes. */
export const CONTROL_TOKEN = "token-of-the-control";

/** A sandbox with its control, as it is served. */
export function createSandbox(options?: SandboxOptions): Sandbox {
  const sandbox = create(options);
  const control = once(() => createControl(sandbox.parts, () => {}, CONTROL_TOKEN));
  return derived(sandbox, {
    fetch: async (request: Request) => control().fetch(request) ?? sandbox.fetch(request),
  });
}
