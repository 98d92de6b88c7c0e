import { daysBefore } from "./epoch.ts";
import type { IntegrationName } from "./scopes.ts";

/**
 * Credentials as the live platform may show them in a connection, beyond the fields of the spec.
 * Nobody's: they are here so that leaving them out of what is shown can be tested.
 */
export function connectionSecrets(
  integration: IntegrationName,
  of: string,
): Readonly<Record<string, unknown>> {
  return SECRETS[integration](of);
}

const SECRETS = {
  "crm-sync": (of: string) => ({
    oauth2AuthorizationCode: {
      accessToken: { token: `sandbox-access-token-of-${of}`, expiresOn: daysBefore(-1) },
      refreshToken: { token: `sandbox-refresh-token-of-${of}` },
      scopes: ["oauth"],
    },
  }),
  "billing-sync": (of: string) => ({ apiKey: `sandbox-api-key-of-${of}` }),
  "support-sync": (of: string) => ({
    basic: { username: `admin@${of}.example`, password: `sandbox-password-of-${of}` },
  }),
} as const satisfies Record<IntegrationName, (of: string) => Readonly<Record<string, unknown>>>;
