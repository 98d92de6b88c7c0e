import { rmSync } from "node:fs";
import type { ExplainedSetting } from "../documents/account.ts";
import type { Secret } from "../secrets/secret.ts";
import type { SettingName } from "../settings.ts";
import { once, tried } from "../values/basics.ts";
import { inputErrors } from "../values/errors.ts";
import { parseBaseUrl } from "./base-url.ts";
import { Credentials, parseSecret } from "./credential.ts";
import { accountErrors } from "./errors.ts";
import { pathOf, readCredentials } from "./files.ts";
import type { Keyring } from "./keyring.ts";
import type { StoredCredential } from "./profiles.ts";
import { type SettingSources, Settings } from "./settings.ts";

export type { ListedProfile } from "./profiles.ts";

/** What the logins of a call need beside its settings. */
interface AccountParts {
  readonly folder: string;
  /** A replacement for the system's keyring. */
  readonly keyring: Keyring | undefined;
  readonly signal: AbortSignal;
  readonly now: () => Date;
  /** The text of the file that `--api-key-file` names; `-` is standard input. */
  readonly readSecretFile: (path: string) => Promise<string>;
  /** Masks a credential in the log of a CI job; called before the credential is used. */
  readonly hide: (secret: Secret) => Promise<void>;
  /** The file of the names that lists have shown with a profile. */
  readonly seenNames: (profile: string) => string;
}

/** The saved logins, the login of this call, and the checks of a login's answers. */
export class Account {
  readonly #settings: Settings;
  readonly #sources: SettingSources;
  readonly #parts: AccountParts;
  /** The credentials of this call. */
  readonly credentials: Credentials;
  /** The path of the file of secrets. */
  readonly secretsPath: string;

  constructor(settings: Settings, sources: SettingSources, parts: AccountParts) {
    const { folder, keyring } = parts;
    this.#settings = settings;
    this.#sources = sources;
    this.#parts = parts;
    this.secretsPath = pathOf(folder, "credentials");
    this.credentials = new Credentials(settings, {
      ...sources,
      ...parts,
      credentials: () => readCredentials(folder),
      fromKeyring: async (entry) => {
        const { readFromKeyring, systemKeyring } = await import("./keyring.ts");
        return readFromKeyring(keyring ?? systemKeyring(), entry);
      },
    });
  }

  /** Opens the saved logins; few commands change them. */
  readonly store = once(async () => {
    const { folder, signal, keyring } = this.#parts;
    const { ProfileStore } = await import("./store.ts");
    return new ProfileStore(folder, { signal, ...(keyring && { keyring }) });
  });

  /**
   * Reads the secret of a profile.
   * @throws {AuthError} if no credential is saved for it; {NotFoundError} if it does not exist
   */
  async secretOf(name: string): Promise<StoredCredential> {
    const stored = await (await this.store()).secretOf(name);
    await this.#parts.hide(stored.secret);
    return stored;
  }

  /** Forgets the names that lists have shown with a profile that is gone, or another login. */
  forgetNames(name: string): void {
    // Where it fails, they could not be kept, either: a file stands where their folder would.
    tried(() => rmSync(this.#parts.seenNames(name), { force: true }));
  }

  /** Whether a profile is saved, or may be: unreadable ones are the error of those who need them. */
  async isSaved(name: string): Promise<boolean> {
    const saved = await this.store();
    return tried(() => saved.list().some((profile) => profile.name === name)) ?? true;
  }

  /** The value of a setting as saved now, with its source, and the sources that it shadows. */
  explain(name: SettingName): ExplainedSetting {
    return new Settings(this.#sources).explain(name);
  }

  /** What this call has overridden so far; each is given once. */
  takeNotices(): string[] {
    return this.#settings.takeNotices();
  }

  /** Asks the keyring for an entry. @throws {AuthError} if it cannot be used */
  async probeKeyring(): Promise<void> {
    const { systemKeyring } = await import("./keyring.ts");
    await (this.#parts.keyring ?? systemKeyring()).read("probe");
  }

  /** The profile in use. */
  chosen() {
    return this.#settings.profile();
  }

  /**
   * Returns the given name, or that of the profile in use.
   * @throws {AuthError} where nobody is logged in, {UsageError} where only the profile is missing,
   * or `--profile` names another one
   */
  nameOrChosen(given: string | undefined): string {
    const { profile: typed } = this.#sources.options;
    if (given !== undefined && typed !== undefined && typed !== given) {
      throw inputErrors.options_conflict(`The argument ${given}`, `--profile ${typed}`);
    }
    const name = given ?? this.#settings.profile()?.name;
    if (name !== undefined) return name;
    // Without any login, this throws the same error as every other command.
    this.#settings.baseUrl();
    throw accountErrors.profile_not_chosen();
  }

  readBaseUrl(text: string, source: string) {
    const { allowInsecureHttp } = this.#sources;
    return parseBaseUrl(text, { allowInsecureHttp, source });
  }

  /**
   * Makes a secret of a text.
   * @throws {UsageError} for a text that cannot be a key or token
   */
  async readSecret(text: string, source: string): Promise<Secret> {
    const secret = parseSecret(text, source);
    await this.#parts.hide(secret);
    return secret;
  }
}
