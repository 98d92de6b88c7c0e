import { hasVersion, parseBaseUrl } from "../config/base-url.ts";
import type { MovedFile } from "../config/change-profiles.ts";
import type { ResolvedCredential } from "../config/credential.ts";
import { credentialsPath, type StoredCredential } from "../config/credentials-file.ts";
import type { Keyring } from "../config/keyring.ts";
import { assertNotSandbox, checkProfileName, readProfileFile } from "../config/profile-file.ts";
import type { ProfileStore } from "../config/profile-store.ts";
import type { ResolvedSettings } from "../config/resolve-settings.ts";
import type { ChosenProfile } from "../config/sources.ts";
import type { Io } from "../io.ts";
import type { Secret } from "../secrets/secret.ts";
import type { CredentialKind } from "../settings.ts";

export type { ListedProfile, ProfileStore } from "../config/profile-store.ts";
export type { ChosenProfile, ResolvedCredential, Secret };

/** A base URL that was read. */
export interface CheckedBaseUrl {
  /** Without a slash at its end. */
  readonly href: string;
  readonly origin: string;
  /** Whether a path segment is a version such as `v1`. */
  readonly versioned: boolean;
}

/** The saved logins, the login of this call, and the checks of a login's answers. */
export interface Profiles {
  /** Loaded with the first use: few commands change profiles. */
  store(): Promise<ProfileStore>;
  /** @throws {AuthError} if the profile has none, {NotFoundError} if there is no such profile */
  secretOf(name: string): Promise<{ readonly kind: CredentialKind; readonly secret: Secret }>;
  /** @throws {UsageError} if a file of the folder is not valid */
  requireReadable(): Promise<void>;
  /** The path of the file of secrets. */
  readonly secretsPath: string;
  /** Moves files that are not valid aside. */
  setAsideUnreadable(): Promise<readonly MovedFile[]>;
  /** The profile in use, if any. */
  chosen(): ChosenProfile | undefined;
  /** The credential in use, or the reason why there is none. */
  credential(): Promise<ResolvedCredential>;
  /** The expiry of an access token, if it has one. */
  expiry(credential: ResolvedCredential): Promise<Date | undefined>;
  /** @throws {UsageError} for a name that no saved profile can have */
  checkName(name: string): void;
  /** @throws {UsageError} for an invalid URL, or one that is not safe to send a credential to */
  readBaseUrl(text: string, source: string): CheckedBaseUrl;
  /** @throws {UsageError} for a text that cannot be a key or token */
  readSecret(text: string, source: string): Promise<Secret>;
}

/** Opens the profiles of a folder for the commands. */
export function createProfiles(
  folder: string,
  options: {
    io: Pick<Io, "signal" | "now">;
    settings: ResolvedSettings;
    allowInsecureHttp: boolean;
    hide: (secret: Secret) => Promise<void>;
    keyring: Keyring | undefined;
    fromKeyring: (entry: string) => Promise<StoredCredential>;
  },
): Profiles {
  const { io, settings, allowInsecureHttp, hide, keyring, fromKeyring } = options;
  const { signal } = io;
  const inPlace = keyring === undefined ? {} : { keyring };
  return {
    store: async () => {
      const { profileStore } = await import("../config/profile-store.ts");
      return profileStore(folder, { signal, ...inPlace });
    },
    secretOf: async (name) => {
      const { profileStore } = await import("../config/profile-store.ts");
      const entry = readProfileFile(folder).profiles.get(name)?.keyring;
      const stored =
        entry === undefined
          ? profileStore(folder, { signal }).secretOf(name)
          : await fromKeyring(entry);
      await hide(stored.secret);
      return stored;
    },
    secretsPath: credentialsPath(folder),
    requireReadable: async () =>
      (await import("../config/change-profiles.ts")).assertReadable(folder),
    setAsideUnreadable: async () => {
      const { moveUnreadableAside } = await import("../config/change-profiles.ts");
      return moveUnreadableAside(folder, { signal }, io.now());
    },
    chosen: () => settings.profile(),
    credential: () => settings.credential(),
    expiry: async (credential) => {
      if (credential.kind !== "access-token") return undefined;
      const { jwtExpiry } = await import("../config/credential.ts");
      return jwtExpiry(credential.secret.reveal());
    },
    checkName: (name) => {
      checkProfileName(name);
      assertNotSandbox(name, "cannot be overwritten");
    },
    readBaseUrl: (text, source) => {
      const { href, origin } = parseBaseUrl(text, { allowInsecureHttp, source });
      return { href, origin, versioned: hasVersion(href) };
    },
    readSecret: async (text, source) => {
      const { parseSecret } = await import("../config/credential.ts");
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
