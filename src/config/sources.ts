import { AuthError, UsageError } from "../errors.ts";
import type { Secret } from "../secrets/secret.ts";
import { SETTINGS, type Setting, type SettingName } from "../settings.ts";
import type { StoredCredential, StoredCredentials } from "./credentials-file.ts";
import type { Profile, ProfileFile } from "./profile-file.ts";
import type { ProjectFile } from "./project-file.ts";

/** A value with its origin in words: `--project`, `AMP_PROJECT`, `profile production`. */
export interface Sourced<Value> {
  readonly value: Value;
  readonly source: string;
  /** True for a default of the profile in use. */
  readonly inProfile?: true;
  /** True for a value of the project file: whoever works in its folder did not type it. */
  readonly inProjectFile?: true;
}

/** The variables of the environment. */
export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

/** The places that settings come from. A function is called only when its answer matters. */
export interface SettingSources {
  /** The values of options as they were typed; flags without a value are read elsewhere. */
  readonly options: Readonly<Partial<Record<SettingName, string>>>;
  readonly env: EnvironmentVariables;
  readonly projectFile: ProjectFile | undefined;
  /** Whether the user trusted the project file as it is. */
  readonly isTrusted: () => boolean;
  readonly profiles: () => ProfileFile;
  readonly credentials: () => StoredCredentials;
  /** The text of the file that `--api-key-file` names; `-` is standard input. */
  readonly readSecretFile: (path: string) => Promise<string>;
  /**
   * Reads an entry of the keyring.
   * @throws {AuthError} if the keyring does not return the entry
   */
  readonly fromKeyring: (entry: string) => Promise<StoredCredential>;
  /** Masks a credential in the log of a CI job; called before the credential is used. */
  readonly hide: (secret: Secret) => Promise<void>;
  readonly allowInsecureHttp: boolean;
  readonly now: () => Date;
}

/** The profile in use. */
export interface ChosenProfile {
  readonly name: string;
  readonly profile: Profile;
  /** What chose it: `--profile`, `AMP_PROFILE`, the project file's path, `active profile`. */
  readonly source: string;
  /** Whether a setting names the profile; otherwise it is the active one. */
  readonly isNamed: boolean;
}

/**
 * A value with its origin; undefined if there is no value.
 * @throws {UsageError} for an empty value: an empty variable in a script is an error
 */
export function sourcedValue(
  value: string | undefined,
  source: string,
): Sourced<string> | undefined {
  if (value === undefined) return undefined;
  if (value.trim() === "") {
    const message = `${source} is empty: remove it, or give it a value`;
    throw new UsageError(message, { done: "Nothing was sent." });
  }
  return { value, source };
}

/**
 * The value of a setting's variable, without the spaces around it that a pasted one may have. An
 * empty variable that other programs also read (NO_COLOR, CI) is ignored.
 */
export function fromVariable(
  env: EnvironmentVariables,
  name: SettingName,
): Sourced<string> | undefined {
  const { env: variable = "" } = settingOf(name);
  const value = env[variable];
  return value === "" && !variable.startsWith("AMP_")
    ? undefined
    : sourcedValue(value?.trim(), variable);
}

/**
 * The value of a credential's variable. CI sets it to nothing where the secret is missing.
 * @throws {AuthError} for an empty one
 */
export function credentialVariable(
  env: EnvironmentVariables,
  name: "apiKey" | "accessToken",
): Sourced<string> | undefined {
  const { env: variable = "" } = settingOf(name);
  if (env[variable]?.trim() !== "") return fromVariable(env, name);
  throw new AuthError(`${variable} is empty`, {
    remedy: "Set it. In CI, check that the secret exists and is available to this job.",
    done: "Nothing was sent.",
  });
}

/** The value of a setting's option as it was typed. */
export function fromOption(
  options: Readonly<Partial<Record<SettingName, string>>>,
  name: SettingName,
): Sourced<string> | undefined {
  const typed = options[name];
  if (typed === undefined) return undefined;
  return sourcedValue(typed, settingOf(name).flags?.match(/--[a-z-]+/u)?.[0] ?? name);
}

/** The registry's entry of a setting, with all optional fields. */
export function settingOf(name: SettingName): Setting {
  return SETTINGS[name];
}
