import { expect, it } from "vitest";
import { parseBaseUrl } from "../../src/config/base-url.ts";
import { SANDBOX_CREDENTIAL, SANDBOX_PROFILE } from "../../src/config/sandbox-profile.ts";
import { SANDBOX_API_KEY, SANDBOX_DEFAULTS } from "../../src/sandbox/defaults.ts";

it("names what the sandbox serves", () => {
  const { host, port, project, org, integration } = SANDBOX_DEFAULTS;
  const baseUrl = `http://${host}:${port}/v1`;
  expect(SANDBOX_PROFILE).toEqual({ baseUrl, credential: "api-key", project, org, integration });
  expect(SANDBOX_CREDENTIAL.secret.reveal()).toBe(SANDBOX_API_KEY);
  expect(SANDBOX_CREDENTIAL.origin).toBe(parseBaseUrl(baseUrl).origin);
});
