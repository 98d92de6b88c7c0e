/**
 * The sandbox, which is an implementation of the service of its own: what amp is judged at. Judges
 * reach it through this file and `harness.ts` alone.
 */
export { createFaultySandbox, overHttp } from "../src/sandbox/faults/faulty-sandbox.ts";
export { chooser } from "../src/sandbox/faults/script.ts";
export { writeSandboxState } from "../src/sandbox/run.ts";
export { createSandbox } from "../src/sandbox/sandbox.ts";
export { SEED_WORLD } from "../src/sandbox/seed/world.ts";
export { serveSandbox } from "../src/sandbox/serve.ts";

/** What anybody may know of it. */
export const SANDBOX_API_KEY = "sandbox-api-key";
export const MAIN_PROJECT = "acme";
