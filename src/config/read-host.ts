import { AuthError } from "../errors.ts";
import { isLoopback } from "../runtime/loopback.ts";
import { CREDENTIAL_NAMES } from "../settings.ts";
import { suggest } from "../values/suggested-command.ts";
import type { BaseUrl } from "./base-url.ts";
import type { ResolvedCredential } from "./credential.ts";
import { SANDBOX_NAME } from "./profile-file.ts";
import type { Sourced } from "./sources.ts";

/** The hosts of a call: that of the service, and that of operations, logs and backfills. */
export interface ReadHosts {
  readonly base: BaseUrl;
  readonly read: Sourced<BaseUrl>;
  /** Whether the profile names the read host; otherwise a variable does. */
  readonly isOfProfile: boolean;
}

/**
 * The credential for the read host, which is another origin than the one that it was saved for. A
 * saved credential goes there only if it was given for both at login, and one of the environment
 * only if the environment names the host, too.
 */
export function credentialForReadHost(
  credential: ResolvedCredential,
  { base, read, isOfProfile }: ReadHosts,
): ResolvedCredential {
  const { origin, href } = read.value;
  if (credential.kind === "none" || origin === base.origin) return credential;
  const { profile, kind, source, readOrigin } = credential;
  if (profile === undefined) {
    if (!isOfProfile) return credential;
    return refused(`${source} is not sent to ${origin}, the read base URL of ${read.source}`, {
      remedy: "Set AMP_READ_BASE_URL, too.",
    });
  }
  // The key of the sandbox is public, and the sandbox may listen on another port.
  if (profile === SANDBOX_NAME && isLoopback(new URL(href).hostname)) return credential;
  if (readOrigin === origin) return credential;
  const saved = [base.origin, readOrigin].filter((one) => one !== undefined).join(" and ");
  return refused(
    `The ${CREDENTIAL_NAMES[kind]} of profile ${profile} cannot be used for ${origin}`,
    {
      detail: `It was saved for ${saved}.`,
      suggestion: suggest("auth login", [], { profile, readBaseUrl: href }),
    },
  );
}

function refused(message: string, facts: ConstructorParameters<typeof AuthError>[1]) {
  const why = new AuthError(message, { ...facts, done: "Nothing was sent." });
  return { kind: "none", why } as const;
}
