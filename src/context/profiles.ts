import { hasVersion, parseBaseUrl } from "../config/base-url.ts";
import type { MovedFile } from "../config/change-profiles.ts";
import type { ResolvedCredential } from "../config/credential.ts";
import { credentialsPath, type StoredCredential } from "../config/credentials-file.ts";
import type { Keyring } from "../config/keyring.ts";
import { assertNotSandbox, checkProfileName, readProfileFile } from "../config/profile-file.ts";
import type { ProfileStore } from "../config/profile-store.ts";
import type { ChosenProfile, ResolvedSettings } from "../config/resolve-settings.ts";
import type { Io } from "../io.ts";
import type { Secret } from "../secrets/secret.ts";
import type { CredentialKind } from "../settings.ts";

export type { ListedProfile, ProfileStore } from "../config/profile-store.ts";
export type { ChosenProfile, ResolvedCredential, Secret };

/** A base URL as it was understood. */
export interface CheckedBaseUrl {
  /** Without a slash at its end. */
  readonly href: string;
  readonly origin: string;
  /** Whether a segment names the version, as the specification wants it. */
  readonly versioned: boolean;
}

/** The saved logins, who this call acts as, and the checks of what is typed at a login. */
export interface Profiles {
  /** Loaded when it is asked for: changing profiles is rare. */
  store(): Promise<ProfileStore>;
  /** @throws {AuthError} where the profile has none, {NotFoundError} where there is no such profile */
  secretOf(name: string): Promise<{ readonly kind: CredentialKind; readonly secret: Secret }>;
  /** @throws {UsageError} where a file of the folder cannot be read or understood */
  requireReadable(): Promise<void>;
  /** The file of secrets. */
  readonly secretsPath: string;
  /** Moves such files aside. */
  setAsideUnreadable(): Promise<readonly MovedFile[]>;
  /** The profile in use; undefined where none is. */
  chosen(): ChosenProfile | undefined;
  /** The credential in use, or why there is none. */
  credential(): Promise<ResolvedCredential>;
  /** When an access token ends, as far as it says so. */
  expiry(credential: ResolvedCredential): Promise<Date | undefined>;
  /** @throws {UsageError} for a name that no saved profile can have */
  checkName(name: string): void;
  /** @throws {UsageError} for an address that is none, or is not safe to send a credential to */
  readBaseUrl(text: string, source: string): CheckedBaseUrl;
  /** @throws {UsageError} for a text that cannot be a key or token */
  readSecret(text: string, source: string): Promise<Secret>;
}

/** The profiles of a folder, as commands see them. */
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
 * Tells GitHub Actions to hide a secret in its logs, once for each and before anything else can say
 * it. On stderr, where the runner reads commands as well: stdout is data.
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
    // A secret holds no line breaks; of the runner's escapes only that of the percent sign is left.
    await err.write(`::add-mask::${value.replaceAll("%", "%25")}\n`);
  };
}
