/**
 * The embedded platform, for those outside of this folder. Dear to import (hono, zod): load it when
 * a sandbox is wanted. What is cheap is in `defaults.ts`.
 */
export type { RequestLine } from "./app.ts";
export { loadCatalogue } from "./operations/providers.ts";
export { createSandbox, type Sandbox, type SandboxOptions } from "./sandbox.ts";
export { type Served, serveSandbox } from "./serve.ts";
export { readSandboxState, writeSandboxState } from "./state.ts";
export type { World } from "./world.ts";
