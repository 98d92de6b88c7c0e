import type { Api } from "../api/api.ts";
import type { Profiles, SettingsReader } from "../context.ts";
import { AuthError, type ErrorFacts } from "../errors.ts";
import type { CredentialKind } from "../settings.ts";
import { type CredentialCheck, checkCredential } from "./credential-check.ts";

/** Who this call acts as, and whether the service agrees. Absent fields are not set. */
export interface Status {
  readonly profile?: string;
  /** What chose the profile. */
  readonly profileSource?: string;
  readonly baseUrl: string;
  readonly credential: CredentialKind;
  readonly credentialSource: string;
  /** Where a saved one is: `keyring`, or the path of the file of secrets. */
  readonly keptIn?: string;
  /** RFC 3339; only for a token that says when it ends. */
  readonly expires?: string;
  /** False where the service has no operation to check with. */
  readonly checked: boolean;
  readonly projects?: CredentialCheck["projects"];
  readonly project?: string;
  readonly org?: string;
  readonly integration?: string;
}

/**
 * Asks settings and service.
 * @throws {AuthError} where there is no credential, or the service does not take it
 */
export async function readStatus(ports: {
  readonly api: Api;
  readonly profiles: Profiles;
  readonly settings: SettingsReader;
}): Promise<Status> {
  const { api, profiles, settings } = ports;
  const chosen = profiles.chosen();
  const credential = await profiles.credential();
  if (credential.kind === "none") throw credential.why;
  const expires = await profiles.expiry(credential);
  const project = settings.get("project")?.value;
  const check = await checkCredential(api, project).catch((error: unknown) => {
    throw error instanceof AuthError ? error.with(advice(credential.profile)) : error;
  });
  const facts = {
    profile: chosen?.name,
    profileSource: chosen?.source,
    keptIn: credential.keptIn === "file" ? profiles.secretsPath : credential.keptIn,
    expires: expires?.toISOString(),
    projects: check.projects,
    project,
    org: settings.get("org")?.value,
    integration: settings.get("integration")?.value,
  };
  const known = Object.entries(facts).filter(([, value]) => value !== undefined);
  return {
    ...Object.fromEntries(known),
    baseUrl: profiles.readBaseUrl(settings.get("baseUrl")?.value ?? "", "The base URL").href,
    credential: credential.kind,
    credentialSource: credential.source,
    checked: check.outcome === "accepted",
  };
}

/** Other commands send their reader here; this one must lead on. */
function advice(profile: string | undefined): ErrorFacts {
  return { suggestion: `amp auth login${profile === undefined ? "" : ` --profile ${profile}`}` };
}
