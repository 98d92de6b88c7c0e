import { AuthError, ConflictError } from "../errors.ts";
import type { Secret } from "../secrets/secret.ts";
import type { PROFILE_SETTINGS } from "../settings.ts";
import { suggest } from "../values/suggested-command.ts";
import { guardFields, type ProfileGuards } from "../values/writes.ts";
import { parseBaseUrl } from "./base-url.ts";
import {
  assertReadable,
  type ChangeOptions,
  changeProfiles,
  type LockedProfiles,
  moveUnreadableAside,
} from "./change-profiles.ts";
import { readCredentials, type StoredCredential } from "./credentials-file.ts";
import { type Keyring, readFromKeyring, saveInKeyring, systemKeyring } from "./keyring.ts";
import {
  assertNotSandbox,
  checkNewName,
  type ListedProfile,
  listProfiles,
  type Profile,
  readProfileFile,
  requireProfile,
  SANDBOX_CREDENTIAL,
  SANDBOX_NAME,
} from "./profile-file.ts";
import { checkValue } from "./setting-values.ts";

/** The options of changes, and a keyring in place of the system's. */
interface StoreOptions extends ChangeOptions {
  readonly keyring?: Keyring;
}

/**
 * The saved logins of a folder. A change waits for the changes of other processes.
 *
 * Profiles and secrets are two files, and a crash may come between their writes. The order of the
 * writes leaves at worst a profile without its secret, or a secret that no profile uses: it stays
 * bound to its origin, and the next change of any secret deletes it.
 */
export class ProfileStore {
  readonly #folder: string;
  readonly #options: ChangeOptions;
  readonly #keyring: Keyring;

  constructor(folder: string, { keyring = systemKeyring(), ...options }: StoreOptions = {}) {
    this.#folder = folder;
    this.#options = options;
    this.#keyring = keyring;
  }

  #change(work: (open: LockedProfiles) => Promise<void>): Promise<void> {
    return changeProfiles(this.#folder, this.#options, work);
  }

  /** The profiles by name; the built-in one is last. */
  list(): ListedProfile[] {
    return listProfiles(readProfileFile(this.#folder));
  }

  /**
   * Saves a profile, replacing one with its name. A secret is bound to the origin of the base URL.
   * Without a secret, the saved one stays if it has the same kind and origin.
   * @returns the keyring entry of the earlier secret, if the keyring did not delete it
   * @throws {AuthError} if the secret should go to the keyring and cannot; nothing is saved then
   */
  async save(
    name: string,
    profile: Profile,
    secret?: Secret,
    keepIn: "file" | "keyring" = "file",
  ): Promise<string | undefined> {
    checkNewName(name);
    // Login has already decided whether http is allowed.
    const { href, origin } = parseBaseUrl(profile.baseUrl, { allowInsecureHttp: true });
    const reads = profile.readBaseUrl;
    const forReads = reads && {
      readOrigin: parseBaseUrl(reads, { allowInsecureHttp: true }).origin,
    };
    const { keyring: _, credential: kind, ...rest } = profile;
    const given = kind !== "none" && secret ? { kind, secret, origin, ...forReads } : undefined;
    const entry =
      given && keepIn === "keyring" ? await saveInKeyring(this.#keyring, given) : undefined;
    let former: string | undefined;
    try {
      await this.#change(async (open) => {
        const { profiles, secrets } = open;
        const before = profiles.get(name);
        const stays = !given && before?.credential === kind && originOf(before) === origin;
        const pointer = entry ?? (stays ? before.keyring : undefined);
        const inKeyring = pointer === undefined ? {} : { keyring: pointer };
        profiles.set(name, { ...rest, credential: kind, baseUrl: href, ...inKeyring });
        await open.writeProfiles();
        const kept = secrets.get(name);
        if (given && entry === undefined) secrets.set(name, given);
        else if (pointer || kept?.kind !== kind || kept.origin !== origin) secrets.delete(name);
        await open.writeSecrets();
        former = before?.keyring === pointer ? undefined : before?.keyring;
      });
    } catch (error) {
      if (entry !== undefined) await this.#keyring.remove(entry).catch(() => {});
      throw error;
    }
    const left = former;
    return (
      left &&
      this.#keyring.remove(left).then(
        () => undefined,
        () => `amp/${left}`,
      )
    );
  }

  /**
   * Removes a profile and its secret.
   * @param force whether to remove the profile even if the keyring does not delete its entry
   * @returns that entry
   * @throws {NotFoundError} for an unknown name, as the following methods do
   */
  async remove(name: string, force = false): Promise<string | undefined> {
    assertNotSandbox(name, "cannot be logged out");
    let kept: string | undefined;
    await this.#change(async (open) => {
      const { keyring: entry } = requireProfile(name, open);
      // The entry is deleted first: its name would be lost with the profile.
      if (entry !== undefined) {
        await this.#keyring.remove(entry).catch((error: unknown) => {
          if (!force) throw withAdvice(error, name);
          kept = `amp/${entry}`;
        });
      }
      open.secrets.delete(name);
      await open.writeSecrets();
      open.profiles.delete(name);
      if (open.active === name) open.active = undefined;
      await open.writeProfiles();
    });
    return kept;
  }

  /**
   * Renames a profile.
   * @throws {ConflictError} if the new name is taken
   */
  async rename(from: string, to: string): Promise<void> {
    assertNotSandbox(from, "cannot be renamed");
    checkNewName(to);
    await this.#change(async (open) => {
      const { profiles, secrets } = open;
      const profile = requireProfile(from, open);
      if (from === to) return;
      if (profiles.has(to)) {
        throw new ConflictError(`Profile ${to} already exists`, {
          suggestion: suggest("auth list"),
        });
      }
      const secret = secrets.get(from);
      // Both names have the secret for a moment, so that neither profile is ever without it.
      if (secret) secrets.set(to, secret);
      await open.writeSecrets();
      profiles.set(to, profile);
      profiles.delete(from);
      if (open.active === from) open.active = to;
      await open.writeProfiles();
      secrets.delete(from);
      await open.writeSecrets();
    });
  }

  /**
   * Sets or removes guards; those that are not given stay.
   * @returns the guards that the profile then has
   */
  async guard(name: string, guards: ProfileGuards): Promise<ProfileGuards> {
    assertNotSandbox(name, "cannot be protected");
    let after: ProfileGuards = {};
    await this.#change(async (open) => {
      const { protected: _, readOnly: __, ...profile } = requireProfile(name, open);
      after = guardFields({ ...open.profiles.get(name), ...guards });
      open.profiles.set(name, { ...profile, ...after });
      await open.writeProfiles();
    });
    return after;
  }

  /**
   * Sets a default of a profile, or removes it.
   * @throws {UsageError} for a value that the setting cannot have
   */
  async setDefault(
    name: string,
    setting: (typeof PROFILE_SETTINGS)[number],
    value: string | undefined,
  ): Promise<void> {
    assertNotSandbox(name, "cannot be changed");
    if (value !== undefined) checkValue(setting, value);
    await this.#change(async (open) => {
      const { [setting]: _, ...profile } = requireProfile(name, open);
      open.profiles.set(name, { ...profile, ...(value !== undefined && { [setting]: value }) });
      await open.writeProfiles();
    });
  }

  /** Makes a profile the active one. */
  activate(name: string): Promise<void> {
    return this.#change(async (open) => {
      requireProfile(name, open);
      open.active = name;
      await open.writeProfiles();
    });
  }

  /**
   * Reads the secret of a profile.
   * @throws {AuthError} if the profile has none
   */
  async secretOf(name: string): Promise<StoredCredential> {
    const profile = requireProfile(name, readProfileFile(this.#folder));
    if (name === SANDBOX_NAME) return SANDBOX_CREDENTIAL;
    if (profile.keyring !== undefined) return readFromKeyring(this.#keyring, profile.keyring);
    const stored = readCredentials(this.#folder).credentials.get(name);
    if (stored && profile.credential !== "none") return stored;
    throw new AuthError(`Profile ${name} has no credential`, {
      suggestion: suggest("auth login"),
    });
  }

  /** @throws {AmpError} for a file that cannot be read */
  assertReadable(): void {
    assertReadable(this.#folder);
  }

  /** Moves the files aside that cannot be read. */
  moveUnreadableAside(now: Date) {
    return moveUnreadableAside(this.#folder, this.#options, now);
  }
}

function originOf({ baseUrl }: Profile): string | undefined {
  return URL.parse(baseUrl)?.origin;
}

/** The error of a logout whose secret the keyring did not delete. */
function withAdvice(error: unknown, name: string): unknown {
  if (!(error instanceof AuthError)) return error;
  return error.setFacts({
    done: `Profile ${name} and its secret were not changed.`,
    remedy:
      "Unlock the keyring, or run amp in a desktop session, and log out again. If the keyring is lost, add --force.",
  });
}
