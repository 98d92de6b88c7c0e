import { AuthError, ConflictError } from "../errors.ts";
import { parseBaseUrl } from "./base-url.ts";
import { type ChangeOptions, changeProfiles, type OpenProfiles } from "./change-profiles.ts";
import { readCredentials, type StoredCredential } from "./credentials.ts";
import { checkProfileName, noSuchProfile, type Profile } from "./profile.ts";
import { type ProfileFile, readProfileFile } from "./profile-file.ts";
import {
  refuseSandbox,
  SANDBOX_CREDENTIAL,
  SANDBOX_NAME,
  SANDBOX_PROFILE,
} from "./sandbox-profile.ts";
import type { Secret } from "./secret.ts";

/** A profile as lists show it. */
export interface ListedProfile extends Profile {
  readonly name: string;
  readonly active: boolean;
  /** The sandbox's, which cannot be changed. */
  readonly builtIn: boolean;
}

/** The saved logins. What changes something waits for other processes that do. */
export interface ProfileStore {
  /** By name; the built-in one comes last. */
  list(): ListedProfile[];
  /** The name of the active one. */
  active(): string | undefined;
  /**
   * Saves a profile, in the place of one of the same name. A secret is bound to the origin of the
   * base URL. Without one, the saved one stays if it has the same kind and origin.
   */
  save(name: string, profile: Profile, secret?: Secret): Promise<void>;
  /** @throws {NotFoundError} where there is none of the name; the following do so, too */
  remove(name: string): Promise<void>;
  /** @throws {ConflictError} where the new name is taken */
  rename(from: string, to: string): Promise<void>;
  activate(name: string): Promise<void>;
  /** @throws {AuthError} where the profile has none */
  secretOf(name: string): StoredCredential;
}

/**
 * The saved logins in a folder.
 *
 * Profiles and secrets are two files, and a crash may come between their writes. Their order leaves
 * at worst a profile whose secret is missing, or a copy of a secret that no profile uses: bound to
 * its origin as ever, and gone with the next change of any secret.
 */
export function profileStore(folder: string, options: ChangeOptions = {}): ProfileStore {
  const change = (work: (open: OpenProfiles) => Promise<void>) =>
    changeProfiles(folder, options, work);
  return {
    list: () => listed(readProfileFile(folder)),
    active: () => readProfileFile(folder).active,

    async save(name, profile, secret) {
      checkProfileName(name);
      refuseSandbox(name, "cannot be overwritten");
      // Whether it may be http was settled when it was typed.
      const { href, origin } = parseBaseUrl(profile.baseUrl, { allowInsecureHttp: true });
      await change(async (open) => {
        const secrets = ownedSecrets(open);
        const profiles = new Map(open.file.profiles).set(name, { ...profile, baseUrl: href });
        await open.setFile({ ...open.file, profiles });
        const kept = secrets.get(name);
        const { credential: kind } = profile;
        if (kind !== "none" && secret) secrets.set(name, { kind, secret, origin });
        else if (kept?.kind !== kind || kept.origin !== origin) secrets.delete(name);
        await open.setSecrets(secrets);
      });
    },

    async remove(name) {
      refuseSandbox(name, "cannot be logged out");
      await change(async (open) => {
        needProfile(name, open.file);
        const secrets = ownedSecrets(open);
        secrets.delete(name);
        await open.setSecrets(secrets);
        const profiles = new Map(open.file.profiles);
        profiles.delete(name);
        const { active } = open.file;
        await open.setFile({ profiles, active: active === name ? undefined : active });
      });
    },

    async rename(from, to) {
      refuseSandbox(from, "cannot be renamed");
      refuseSandbox(to, "cannot be overwritten");
      checkProfileName(to);
      await change(async (open) => {
        const profile = needProfile(from, open.file);
        if (from === to) return;
        if (open.file.profiles.has(to)) {
          throw new ConflictError(`A profile is named ${to} already`, {
            suggestion: "amp auth list",
          });
        }
        const secrets = ownedSecrets(open);
        const secret = secrets.get(from);
        // Under both names for the moment, so that neither is ever without its secret.
        if (secret) secrets.set(to, secret);
        await open.setSecrets(secrets);
        const profiles = new Map(open.file.profiles).set(to, profile);
        profiles.delete(from);
        const { active } = open.file;
        await open.setFile({ profiles, active: active === from ? to : active });
        secrets.delete(from);
        await open.setSecrets(secrets);
      });
    },

    activate: (name) =>
      change(async (open) => {
        needProfile(name, open.file);
        await open.setFile({ ...open.file, active: name });
      }),

    secretOf(name) {
      const profile = needProfile(name, readProfileFile(folder));
      if (name === SANDBOX_NAME) return SANDBOX_CREDENTIAL;
      const stored = readCredentials(folder).credentials.get(name);
      if (stored && profile.credential !== "none") return stored;
      throw new AuthError(`Profile ${name} has no credential`, { suggestion: "amp auth login" });
    },
  };
}

function listed({ active, profiles }: ProfileFile): ListedProfile[] {
  const saved = [...profiles].filter(([name]) => name !== SANDBOX_NAME);
  saved.sort(([a], [b]) => (a < b ? -1 : 1));
  return [...saved, [SANDBOX_NAME, SANDBOX_PROFILE] as const].map(([name, profile]) => ({
    ...profile,
    name,
    active: name === active,
    builtIn: name === SANDBOX_NAME,
  }));
}

function needProfile(name: string, { profiles }: ProfileFile): Profile {
  const profile = name === SANDBOX_NAME ? SANDBOX_PROFILE : profiles.get(name);
  if (profile) return profile;
  throw noSuchProfile(name, [...profiles.keys(), SANDBOX_NAME]);
}

/** The secrets that belong to a profile; what a crash left without one stays behind. */
function ownedSecrets({ file, secrets }: OpenProfiles): Map<string, StoredCredential> {
  return new Map([...secrets].filter(([name]) => file.profiles.has(name)));
}
