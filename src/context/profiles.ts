import { type BaseUrl, parseBaseUrl } from "../config/base-url.ts";
import { parseSecret, type ResolvedCredential } from "../config/credential.ts";
import { credentialsPath } from "../config/credentials-file.ts";
import type { Keyring } from "../config/keyring.ts";
import { checkNewName } from "../config/profile-file.ts";
import type { ProfileStore } from "../config/profile-store.ts";
import type { ResolvedSettings } from "../config/resolve-settings.ts";
import type { ChosenProfile } from "../config/sources.ts";
import type { Io } from "../io.ts";
import type { Secret } from "../secrets/secret.ts";
import type { CredentialKind } from "../settings.ts";

export type { ListedProfile, ProfileStore } from "../config/profile-store.ts";
export type { ChosenProfile, ResolvedCredential, Secret };

/** The saved logins, the login of this call, and the checks of a login's answers. */
export interface Profiles {
  /** Loaded with the first use: few commands change profiles. */
  store(): Promise<ProfileStore>;
  /** @throws {AuthError} if the profile has none, {NotFoundError} if there is no such profile */
  secretOf(name: string): Promise<{ readonly kind: CredentialKind; readonly secret: Secret }>;
  /** The path of the file of secrets. */
  readonly secretsPath: string;
  /** The profile in use, if any. */
  chosen(): ChosenProfile | undefined;
  /** The credential in use, or the reason why there is none. */
  credential(): Promise<ResolvedCredential>;
  /** @throws {UsageError} for a name that no saved profile can have */
  checkName(name: string): void;
  /** @throws {UsageError} for an invalid URL, or one that is not safe to send a credential to */
  readBaseUrl(text: string, source: string): BaseUrl;
  /** @throws {UsageError} for a text that cannot be a key or token */
  readSecret(text: string, source: string): Promise<Secret>;
}

/** Opens the profiles of a folder for the commands. */
export function createProfiles(
  folder: string,
  options: {
    settings: ResolvedSettings;
    allowInsecureHttp: boolean;
    hide: (secret: Secret) => Promise<void>;
    signal: AbortSignal;
    keyring: Keyring | undefined;
  },
): Profiles {
  const { settings, allowInsecureHttp, hide, signal, keyring } = options;
  const store = async () => {
    const { profileStore } = await import("../config/profile-store.ts");
    return profileStore(folder, { signal, ...(keyring === undefined ? {} : { keyring }) });
  };
  return {
    store,
    secretOf: async (name) => {
      const stored = await (await store()).secretOf(name);
      await hide(stored.secret);
      return stored;
    },
    secretsPath: credentialsPath(folder),
    chosen: settings.profile,
    credential: settings.credential,
    checkName: checkNewName,
    readBaseUrl: (text, source) => parseBaseUrl(text, { allowInsecureHttp, source }),
    readSecret: async (text, source) => {
      const secret = parseSecret(text, source);
      await hide(secret);
      return secret;
    },
  };
}

/**
 * Tells GitHub Actions to mask a secret in its logs: once for each secret, before its first use, and
 * on stderr, which the runner reads as well.
 */
export function createCiMask({
  env,
  err,
}: Pick<Io, "env" | "err">): (secret: Secret) => Promise<void> {
  const told = new Set<string>();
  return async (secret) => {
    const value = secret.reveal();
    if (env.GITHUB_ACTIONS !== "true" || told.has(value)) return;
    told.add(value);
    // A secret has no line breaks, so only the percent sign needs an escape.
    await err.write(`::add-mask::${value.replaceAll("%", "%25")}\n`);
  };
}
