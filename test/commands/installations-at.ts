import { type RunInput, run, sandboxAt } from "../harness.ts";

export const TERMINAL: RunInput = { tty: true, env: { NO_COLOR: "1" } };
/** The integration of the sandbox with the most installations, and another. */
export const CRM = "113e9685-9a51-42cc-8662-9d9725b17f14";
export const OTHER = "e2a7d6c4-08f3-4b59-8c7d-91b5a3f0e6d2";

export const list = (args: readonly string[] = [], world: RunInput = {}) =>
  run(["installations", "list", ...args], { sandbox: sandboxAt(), ...world });
export const get = (args: readonly string[], world: RunInput = {}) =>
  run(["installations", "get", ...args], { sandbox: sandboxAt(), ...world });
/** A service that answers the list with these. */
export const answering = (...body: unknown[]): RunInput => ({
  sandbox: undefined,
  replies: [{ method: "GET", path: `/projects/acme/integrations/${CRM}/installations`, body }],
});

/** As the spec has it, and no more: everything that may be missing is. */
export const BARE = {
  id: "ins_1",
  projectId: "prj_1",
  integrationId: CRM,
  healthStatus: "healthy",
  connection: {},
  createTime: "2026-09-01T00:00:00Z",
  createdBy: "consumer:ada",
  config: {},
};
