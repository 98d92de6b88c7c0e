import { UsageError } from "../errors.ts";
import { Secret } from "../secret.ts";
import type { StoredCredential } from "./credentials.ts";
import type { Profile } from "./profile.ts";

/** The built-in profile: the platform that amp embeds. It needs no login and no file. */
export const SANDBOX_NAME = "sandbox";

/** What `amp sandbox start` serves. A test compares it with the sandbox's own defaults. */
export const SANDBOX_PROFILE: Profile = {
  baseUrl: "http://127.0.0.1:4747/v1",
  credential: "api-key",
  project: "acme",
  org: "org_5a17e0c4",
  integration: "113e9685-9a51-42cc-8662-9d9725b17f14",
};

/** Public: it opens nothing but a sandbox. */
export const SANDBOX_CREDENTIAL: StoredCredential = {
  kind: "api-key",
  secret: Secret.published("sandbox-api-key"),
  origin: "http://127.0.0.1:4747",
};

/**
 * Refuses what would change the built-in profile.
 * @param change for example `cannot be renamed`
 */
export function refuseSandbox(name: string, change: string): void {
  if (name !== SANDBOX_NAME) return;
  throw new UsageError(`The profile ${SANDBOX_NAME} is built in and ${change}`, {
    remedy: "Choose another name.",
  });
}
