import { parseBaseUrl } from "../config/base-url.ts";
import { parseSecret } from "../config/credential.ts";
import { credentialsPath } from "../config/credentials-file.ts";
import type { Keyring } from "../config/keyring.ts";
import { checkNewName } from "../config/profile-file.ts";
import type { ResolvedSettings } from "../config/resolve-settings.ts";
import { UsageError } from "../errors.ts";
import type { Io } from "../io.ts";
import type { Secret } from "../secrets/secret.ts";
import { suggest } from "../values/suggested-command.ts";

export type { ListedProfile } from "../config/profile-file.ts";

/** The saved logins, the login of this call, and the checks of a login's answers. */
export type Profiles = ReturnType<typeof createProfiles>;

/** Opens the profiles of a folder for the commands. */
export function createProfiles(
  folder: string,
  options: {
    settings: ResolvedSettings;
    /** The value of `--profile`. */
    typedProfile: string | undefined;
    allowInsecureHttp: boolean;
    hide: (secret: Secret) => Promise<void>;
    signal: AbortSignal;
    keyring: Keyring | undefined;
  },
) {
  const { settings, typedProfile, allowInsecureHttp, hide, signal, keyring } = options;
  /** Opens the store with the first use: few commands change profiles. */
  const store = async () => {
    const { ProfileStore } = await import("../config/profile-store.ts");
    return new ProfileStore(folder, { signal, ...(keyring === undefined ? {} : { keyring }) });
  };
  return {
    store,
    /**
     * Reads the secret of a profile.
     * @throws {AuthError} if the profile has none, {NotFoundError} if there is no such profile
     */
    secretOf: async (name: string) => {
      const stored = await (await store()).secretOf(name);
      await hide(stored.secret);
      return stored;
    },
    secretsPath: credentialsPath(folder),
    /**
     * Whether a profile is saved, or may be: unreadable ones are the error of those who need them.
     */
    isSaved: async (name: string) => {
      const saved = await store();
      try {
        return saved.list().some((profile) => profile.name === name);
      } catch {
        return true;
      }
    },
    chosen: settings.profile,
    /**
     * Returns the given name, or that of the profile in use.
     * @throws {AuthError} where nobody is logged in, {UsageError} where only the profile is missing,
     * or `--profile` names another one
     */
    nameOrChosen: (given: string | undefined) => {
      if (given !== undefined && typedProfile !== undefined && typedProfile !== given) {
        throw new UsageError(`The argument ${given} and --profile ${typedProfile} conflict`, {
          remedy: "Use one of them, not both.",
        });
      }
      const name = given ?? settings.profile()?.name;
      if (name !== undefined) return name;
      // Without any login, this throws the same error as every other command.
      settings.baseUrl();
      const suggestion = suggest("auth list");
      throw new UsageError("No profile is in use; pass the name of a profile", { suggestion });
    },
    credential: settings.credential,
    checkName: checkNewName,
    /** Throws for a text that {@link Profiles.readSecret} refuses. */
    checkSecret: (text: string) => parseSecret(text, "The secret"),
    readBaseUrl: (text: string, source: string) =>
      parseBaseUrl(text, { allowInsecureHttp, source }),
    /**
     * Makes a secret of a text.
     * @throws {UsageError} for a text that cannot be a key or token
     */
    readSecret: async (text: string, source: string) => {
      const secret = parseSecret(text, source);
      await hide(secret);
      return secret;
    },
  };
}

/**
 * Masks a secret in the logs of GitHub Actions: once for each secret, before its first use, and on
 * stderr, which the runner reads as well. The line shows the secret to whoever else reads it: it is
 * not written to a file, nor for a secret of the environment, which the workflow masks itself.
 */
export function createCiMask({
  env,
  err,
}: Pick<Io, "env" | "err">): (secret: Secret) => Promise<void> {
  const masked = new Set<string>();
  return async (secret) => {
    const value = secret.reveal();
    if (env.GITHUB_ACTIONS !== "true" || err.isFile || masked.has(value)) return;
    if (Object.values(env).some((one) => one?.trim() === value)) return;
    masked.add(value);
    // A secret has no line breaks, so only the percent sign needs an escape.
    await err.write(`::add-mask::${value.replaceAll("%", "%25")}\n`);
  };
}
