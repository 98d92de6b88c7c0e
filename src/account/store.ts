import { lstatSync } from "node:fs";
import { rename, unlink } from "node:fs/promises";
import { withLock } from "../durable/lock.ts";
import { removeLeftovers, writeFileDurably } from "../durable/write-file.ts";
import { AuthError, UsageError } from "../errors.ts";
import type { Secret } from "../secrets/secret.ts";
import type { ProfileSetting } from "../settings.ts";
import { suggest } from "../values/suggested-command.ts";
import { guardFields, type ProfileGuards } from "../values/writes.ts";
import { parseBaseUrl } from "./base-url.ts";
import { accountErrors } from "./errors.ts";
import {
  FILES,
  fileError,
  parseJsonText,
  pathOf,
  readCredentials,
  readIfExists,
  readProfileFile,
} from "./files.ts";
import { type Keyring, readFromKeyring, saveInKeyring, systemKeyring } from "./keyring.ts";
import {
  assertNotSandbox,
  checkNewName,
  findProfile,
  type ListedProfile,
  listProfiles,
  type Profile,
  type ProfileFile,
  profileNotFound,
  SANDBOX_CREDENTIAL,
  SANDBOX_NAME,
  type StoredCredential,
} from "./profiles.ts";
import { checkValue } from "./values.ts";

interface ChangeOptions {
  /** Ends the wait for the lock when aborted. */
  readonly signal?: AbortSignal;
  /**
   * The longest wait for the lock, in milliseconds; 30 s by default, because a pipeline may log in
   * many times at once.
   */
  readonly wait?: number;
}

/** Both files of a folder, read under the lock. A change is on the disk once it is written. */
interface LockedProfiles {
  active: string | undefined;
  readonly profiles: Map<string, Profile>;
  /** The secrets that belong to a profile, without those that a crash left behind. */
  readonly secrets: Map<string, StoredCredential>;
  writeProfiles(): Promise<void>;
  writeSecrets(): Promise<void>;
}

/**
 * The saved logins of a folder. A change waits for the changes of other processes. It is refused if
 * one of both files is not valid; nothing is written then.
 *
 * Profiles and secrets are two files, and a crash may come between their writes. The order of the
 * writes leaves at worst a profile without its secret, or a secret that no profile uses: it stays
 * bound to its origin, and the next change of any secret deletes it.
 */
export class ProfileStore {
  readonly #folder: string;
  readonly #options: ChangeOptions;
  readonly #keyring: Keyring;

  constructor(
    folder: string,
    { keyring = systemKeyring(), ...options }: ChangeOptions & { keyring?: Keyring } = {},
  ) {
    this.#folder = folder;
    this.#options = options;
    this.#keyring = keyring;
  }

  /**
   * Changes the profiles and secrets under the lock of the folder.
   * @throws {ConflictError} if another process holds the lock for too long
   * @throws {UsageError} if a file is not valid, or cannot be written
   */
  #change(change: (open: LockedProfiles) => Promise<void>): Promise<void> {
    return this.#withLock("lock", () => change(readLockedProfiles(this.#folder)));
  }

  async #withLock(does: string, work: () => Promise<void>): Promise<void> {
    const path = pathOf(this.#folder, "profiles");
    const { signal, wait = 30_000 } = this.#options;
    try {
      await withLock(path, { wait, command: "amp auth", ...(signal ? { signal } : {}) }, work);
    } catch (error) {
      throw fileError(does, path, error);
    }
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
    const { href, origin, readOrigin } = originsOf(profile);
    const { keyring: _, credential: kind, ...rest } = profile;
    const given = kind !== "none" && secret && { kind, secret, origin, ...readOrigin };
    const entry =
      given && keepIn === "keyring" ? await saveInKeyring(this.#keyring, given) : undefined;
    let former: string | undefined;
    try {
      await this.#change(async (open) => {
        const { profiles, secrets } = open;
        const before = profiles.get(name);
        const isSame = before?.credential === kind && URL.parse(before.baseUrl)?.origin === origin;
        const pointer = entry ?? (!given && isSame ? before.keyring : undefined);
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
    return former === undefined ? undefined : this.#forget(former);
  }

  /** Deletes an entry of the keyring; returns its name if the keyring does not. */
  #forget(entry: string): Promise<string | undefined> {
    return this.#keyring.remove(entry).then(
      () => undefined,
      () => `amp/${entry}`,
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
      if (entry !== undefined && force) kept = await this.#forget(entry);
      else if (entry !== undefined) {
        await this.#keyring.remove(entry).catch((error: unknown) => {
          throw withAdvice(error, name);
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
      if (profiles.has(to)) throw accountErrors.profile_exists(to);
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
    await this.#update(name, ({ protected: isProtected, readOnly, ...profile }) => {
      after = guardFields({ protected: isProtected, readOnly, ...guards });
      return { ...profile, ...after };
    });
    return after;
  }

  /**
   * Sets a default of a profile, or removes it.
   * @throws {UsageError} for a value that the setting cannot have
   */
  async setDefault(
    name: string,
    setting: ProfileSetting,
    value: string | undefined,
  ): Promise<void> {
    assertNotSandbox(name, "cannot be changed");
    if (value !== undefined) checkValue(setting, value);
    await this.#update(name, ({ [setting]: _, ...profile }) => ({
      ...profile,
      ...(value !== undefined && { [setting]: value }),
    }));
  }

  #update(name: string, change: (profile: Profile) => Profile): Promise<void> {
    return this.#change(async (open) => {
      open.profiles.set(name, change(requireProfile(name, open)));
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
    throw accountErrors.profile_without_credential(name);
  }

  /**
   * Refuses a folder with a file that is not valid.
   * @throws {UsageError} for the first such file, with the way out
   */
  assertReadable(): void {
    const [invalid] = invalidFiles(this.#folder);
    if (invalid === undefined) return;
    throw invalid.error.setFacts({
      done: "Nothing was sent or saved; the file was not changed.",
      remedy: "Fix the file, or add --reset to move it aside and begin a new one.",
      suggestion: suggest("auth login", [], { reset: true }),
    });
  }

  /**
   * Moves the files aside that are not valid, and secrets whose profiles are not. Nothing is deleted:
   * each gets the time in its name.
   */
  async moveUnreadableAside(now: Date): Promise<{ from: string; to: string }[]> {
    const moved: { from: string; to: string }[] = [];
    await this.#withLock("move aside", async () => {
      const invalid = invalidFiles(this.#folder).map(({ path }) => path);
      // Secrets go with the profiles, and first: the next change drops those without a profile.
      const secrets = pathOf(this.#folder, "credentials");
      const isLeft =
        invalid[0] === pathOf(this.#folder, "profiles") &&
        lstatSync(secrets, { throwIfNoEntry: false });
      for (const from of new Set([...(isLeft ? [secrets] : []), ...invalid])) {
        const to = backupPath(from, now);
        await rename(from, to);
        moved.push({ from, to });
      }
    });
    return moved;
  }
}

function requireProfile(name: string, file: Pick<ProfileFile, "profiles">): Profile {
  const profile = findProfile(name, () => file);
  if (profile) return profile;
  throw profileNotFound(name, file);
}

/** Where the secret of a profile may go. Login has already decided whether http is allowed. */
function originsOf({ baseUrl, readBaseUrl }: Profile) {
  const parse = (url: string) => parseBaseUrl(url, { allowInsecureHttp: true });
  const readOrigin = readBaseUrl ? { readOrigin: parse(readBaseUrl).origin } : undefined;
  return { ...parse(baseUrl), readOrigin };
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

function readLockedProfiles(folder: string): LockedProfiles {
  // Both files are read before anything is written: one that is not valid stops the whole change.
  const { active, profiles } = readProfileFile(folder);
  const stored = readCredentials(folder).credentials;
  let hasSecretsFile = stored.size > 0;
  return {
    active,
    profiles: new Map(profiles),
    secrets: new Map([...stored].filter(([name]) => profiles.has(name))),
    writeProfiles() {
      return writeProfileFile(folder, this);
    },
    async writeSecrets() {
      hasSecretsFile ||= this.secrets.size > 0;
      if (hasSecretsFile) await writeCredentials(folder, this.secrets);
    },
  };
}

/** Writes the profiles; keys of the file that this version does not know are kept. */
async function writeProfileFile(folder: string, { active, profiles }: ProfileFile): Promise<void> {
  const path = pathOf(folder, "profiles");
  try {
    const before = readIfExists(path);
    const conf = await openConf(folder);
    conf.store = { ...conf.store, active, profiles: Object.fromEntries(profiles) };
    // On a nearly full disk the library that conf writes with ignores that a part of the text is
    // missing; a part of a JSON document is never valid.
    if (problemOf(() => readProfileFile(folder)) === undefined) return;
    await (before === undefined ? unlink(path) : writeFileDurably(path, before));
  } catch (error) {
    throw fileError("write", path, error);
  }
  throw accountErrors.profiles_partly_written(path);
}

/**
 * Opens conf, which writes the file atomically and with mode 0600. It has no lock: only the holder
 * of the folder's lock may call this.
 */
async function openConf(folder: string) {
  const { default: Conf } = await import("conf");
  return new Conf<Record<string, unknown>>({
    cwd: folder,
    configName: "config",
    configFileMode: 0o600,
    // A profile may be named `a.b`.
    accessPropertiesByDotNotation: false,
    deserialize: (text) =>
      parseJsonText(text, pathOf(folder, "profiles")) as Record<string, unknown>,
  });
}

/** Writes the secrets with mode 0600, and removes leftovers of a killed process. */
async function writeCredentials(
  folder: string,
  credentials: ReadonlyMap<string, StoredCredential>,
): Promise<void> {
  const path = pathOf(folder, "credentials");
  const revealed = [...credentials].map(([name, { secret, ...more }]) => [
    name,
    { ...more, secret: secret.reveal() },
  ]);
  const { version } = FILES.credentials;
  const file = { version, credentials: Object.fromEntries(revealed) };
  try {
    await writeFileDurably(path, `${JSON.stringify(file, undefined, 2)}\n`);
    await removeLeftovers(path);
  } catch (error) {
    throw fileError("write", path, error);
  }
}

function invalidFiles(folder: string) {
  const files = [
    { path: pathOf(folder, "profiles"), error: problemOf(() => readProfileFile(folder)) },
    { path: pathOf(folder, "credentials"), error: problemOf(() => readCredentials(folder)) },
  ];
  return files.flatMap(({ path, error }) => (error === undefined ? [] : [{ path, error }]));
}

function problemOf(read: () => unknown): UsageError | undefined {
  try {
    read();
    return undefined;
  } catch (error) {
    if (error instanceof UsageError) return error;
    throw error;
  }
}

/** A name with the time; Windows allows no colon in it. */
function backupPath(path: string, now: Date): string {
  const name = `${path}.${now.toISOString().replaceAll(":", "-")}.bak`;
  if (lstatSync(name, { throwIfNoEntry: false }) === undefined) return name;
  throw accountErrors.backup_exists(name);
}
