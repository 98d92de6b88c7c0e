import { hasVersion, parseBaseUrl } from "../config/base-url.ts";
import { credentialsPath, type StoredCredential } from "../config/credentials.ts";
import type { Keyring } from "../config/keyring.ts";
import { checkProfileName } from "../config/profile.ts";
import { readProfileFile } from "../config/profile-file.ts";
import type { ProfileStore } from "../config/profiles.ts";
import type { ChosenProfile, ResolvedSettings } from "../config/resolve.ts";
import type { CredentialAnswer } from "../config/resolve-credential.ts";
import { refuseSandbox } from "../config/sandbox-profile.ts";
import type { SetAside } from "../config/set-aside.ts";
import type { Io } from "../io.ts";
import type { Secret } from "../secret.ts";
import type { CredentialKind } from "../settings.ts";

export type { ListedProfile, ProfileStore } from "../config/profiles.ts";
export type { ChosenProfile, CredentialAnswer, Secret };

/** A base URL as it was understood. */
export interface ReadBaseUrl {
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
  setAsideUnreadable(): Promise<readonly SetAside[]>;
  /** The profile in use; undefined where none is. */
  chosen(): ChosenProfile | undefined;
  /** The credential in use, or why there is none. */
  credential(): Promise<CredentialAnswer>;
  /** When an access token ends, as far as it says so. */
  expiry(credential: CredentialAnswer): Promise<Date | undefined>;
  /** @throws {UsageError} for a name that no saved profile can have */
  checkName(name: string): void;
  /** @throws {UsageError} for an address that is none, or is not safe to send a credential to */
  readBaseUrl(text: string, source: string): ReadBaseUrl;
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
      const { profileStore } = await import("../config/profiles.ts");
      return profileStore(folder, { signal, ...inPlace });
    },
    secretOf: async (name) => {
      const { profileStore } = await import("../config/profiles.ts");
      const entry = readProfileFile(folder).profiles.get(name)?.keyring;
      const stored =
        entry === undefined
          ? profileStore(folder, { signal }).secretOf(name)
          : await fromKeyring(entry);
      await hide(stored.secret);
      return stored;
    },
    secretsPath: credentialsPath(folder),
    requireReadable: async () => (await import("../config/set-aside.ts")).requireReadable(folder),
    setAsideUnreadable: async () => {
      const { setAsideUnreadable } = await import("../config/set-aside.ts");
      return setAsideUnreadable(folder, { signal }, io.now());
    },
    chosen: () => settings.profile(),
    credential: () => settings.credential(),
    expiry: async (credential) => {
      if (credential.kind !== "access-token") return undefined;
      const { jwtExpiry } = await import("../config/secret-text.ts");
      return jwtExpiry(credential.secret.reveal());
    },
    checkName: (name) => {
      checkProfileName(name);
      refuseSandbox(name, "cannot be overwritten");
    },
    readBaseUrl: (text, source) => {
      const { href, origin } = parseBaseUrl(text, { allowInsecureHttp, source });
      return { href, origin, versioned: hasVersion(href) };
    },
    readSecret: async (text, source) => {
      const { cleanSecret } = await import("../config/secret-text.ts");
      const secret = cleanSecret(text, source);
      await hide(secret);
      return secret;
    },
  };
}
