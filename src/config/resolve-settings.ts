import { AmpError, UsageError } from "../errors.ts";
import type { Secret } from "../secrets/secret.ts";
import type { SettingName } from "../settings.ts";
import { type BaseUrl, parseBaseUrl } from "./base-url.ts";
import { type ResolvedCredential, resolveCredential } from "./credential.ts";
import type { StoredCredential, StoredCredentials } from "./credentials-file.ts";
import {
  type Profile,
  type ProfileFile,
  profileNotFound,
  SANDBOX_NAME,
  SANDBOX_PROFILE,
} from "./profile-file.ts";
import type { ProjectFile } from "./project-file.ts";
import {
  type EnvironmentVariables,
  fromOption,
  fromVariable,
  kebabCase,
  type Sourced,
  settingOf,
  sourcedValue,
} from "./sources.ts";

/** Where settings come from. What is a function is called only when it matters. */
export interface SettingSources {
  /** The values of options as they were typed; flags without a value are the caller's business. */
  readonly options: Readonly<Partial<Record<SettingName, string>>>;
  readonly env: EnvironmentVariables;
  readonly projectFile: ProjectFile | undefined;
  readonly profiles: () => ProfileFile;
  readonly credentials: () => StoredCredentials;
  /** The text of the file that `--api-key-file` names; `-` is standard input. */
  readonly readSecretFile: (path: string) => Promise<string>;
  /** @throws {AuthError} where the keyring does not give it */
  readonly fromKeyring: (entry: string) => Promise<StoredCredential>;
  /** Called with a credential that was loaded, before it is used. */
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
}

/** The settings of one call, by precedence. */
export interface ResolvedSettings {
  /**
   * Option, then environment, then project file, then profile. A secret is not shown: its value is
   * `[redacted]`.
   * @throws {UsageError} for an empty value
   * @throws {NotFoundError} where a profile is named that does not exist
   */
  get(name: SettingName): Sourced<string> | undefined;
  /** The profile that is named somewhere, or else the active one. */
  profile(): ChosenProfile | undefined;
  /**
   * The same, and none where the profiles cannot be read and nobody names one: what comes from
   * elsewhere goes on working.
   */
  profileIfReadable(): ChosenProfile | undefined;
  /** @throws {UsageError} where none is named, or the one named is none */
  baseUrl(): Sourced<BaseUrl>;
  /**
   * The credential for the base URL, or why there is none.
   * @throws {UsageError} where what is given cannot be one, or several are given
   */
  credential(): Promise<ResolvedCredential>;
  /** What shadows what, a line each, as far as settings were asked for until now. */
  readonly notices: readonly string[];
}

/** Applies the precedence of option, environment, project file and profile. */
export function resolveSettings(sources: SettingSources): ResolvedSettings {
  const { options, env, projectFile } = sources;
  const notices = new Set<string>();
  const profiles = once(sources.profiles);

  function explicit(name: SettingName): Sourced<string> | undefined {
    const typed = fromOption(options, name);
    if (typed) return typed;
    const variable = fromVariable(env, name);
    const written = sourcedValue(projectFile?.values[name], projectFile?.path ?? "");
    if (variable && written && variable.value !== written.value) {
      notices.add(
        `${variable.source} is used; the ${kebabCase(name)} of ${written.source} is not.`,
      );
    }
    return variable ?? written;
  }

  const profile = once((): ChosenProfile | undefined => {
    const named = explicit("profile");
    const name = named?.value ?? profiles().active;
    if (name === undefined) return undefined;
    const source = named?.source ?? "active profile";
    if (name === SANDBOX_NAME) return { name, profile: SANDBOX_PROFILE, source };
    const saved = profiles().profiles;
    const found = saved.get(name);
    if (found) return { name, profile: found, source };
    // An active profile that somebody took out of the file by hand is none.
    if (!named) return undefined;
    throw profileNotFound(name, [SANDBOX_NAME, ...saved.keys()], source);
  });

  /** What comes from elsewhere goes on working where the profiles cannot be read. */
  function profileIfReadable(): ChosenProfile | undefined {
    try {
      return profile();
    } catch (error) {
      if (!(error instanceof AmpError) || explicit("profile")) throw error;
      notices.add(`Profiles are not used: ${error.message}.`);
      return undefined;
    }
  }

  function fromProfile(name: SettingName): Sourced<string> | undefined {
    if (name !== "profile" && !settingOf(name).inProfile) return undefined;
    const chosen = explicit("baseUrl") ? profileIfReadable() : profile();
    if (chosen === undefined) return undefined;
    if (name === "profile") return { value: chosen.name, source: chosen.source };
    return sourcedValue(chosen.profile[name as keyof Profile], `profile ${chosen.name}`);
  }

  function get(name: SettingName): Sourced<string> | undefined {
    const found = explicit(name) ?? fromProfile(name);
    const secret = name === "apiKey" || name === "accessToken";
    return found && secret ? { ...found, value: "[redacted]" } : found;
  }

  const baseUrl = once((): Sourced<BaseUrl> => {
    const found = get("baseUrl");
    if (found === undefined) throw noBaseUrl();
    const { value, source } = found;
    const { allowInsecureHttp } = sources;
    const url = parseBaseUrl(value, { allowInsecureHttp, source: `The base URL (${source})` });
    const chosen = profileIfReadable();
    if (chosen && chosen.profile.baseUrl.replace(/\/+$/u, "") !== url.href) {
      notices.add(`The base URL of ${source} is used; that of profile ${chosen.name} is not.`);
    }
    return { value: url, source };
  });

  const credential = once(() =>
    resolveCredential({ sources, notices, profile, profileIfReadable, baseUrl }),
  );

  return {
    get,
    profile,
    profileIfReadable,
    baseUrl,
    credential,
    get notices() {
      return [...notices];
    },
  };
}

function noBaseUrl(): UsageError {
  return new UsageError("No base URL: amp does not know which service to ask", {
    remedy: "Log in, or set AMP_BASE_URL; without an account, run: amp sandbox start",
    suggestion: "amp auth login",
  });
}

/** Works a value out when it is first asked for. */
function once<Value>(work: () => Value): () => Value {
  let done: { value: Value } | undefined;
  return () => {
    done ??= { value: work() };
    return done.value;
  };
}
