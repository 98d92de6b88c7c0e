import { SANDBOX_PORT } from "../runtime/loopback.ts";

/** The API key of the sandbox: public, and valid only for a sandbox. */
export const SANDBOX_API_KEY = "sandbox-api-key";
/** The access token of the sandbox: public, and not a JWT. */
export const SANDBOX_ACCESS_TOKEN = "sandbox-access-token";

/** The address of the sandbox, and the main resources of its seeded world. */
export const SANDBOX_DEFAULTS = {
  host: "127.0.0.1",
  port: SANDBOX_PORT,
  /** The name of the main project: it has installations, and the routing of what they read. */
  project: "acme",
  org: "org_5a17e0c4",
  /** The integration of the main project with the most installations. */
  integration: "113e9685-9a51-42cc-8662-9d9725b17f14",
} as const;

/** The fewest installations of a large world: those of the seeded one, and more with problems. */
export const LEAST_INSTALLATIONS = 64;
