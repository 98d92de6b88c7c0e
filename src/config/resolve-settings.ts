import { AmpError, UsageError } from "../errors.ts";
import { isLoopback } from "../runtime/loopback.ts";
import { isEnabled, kebabCase, type SettingName } from "../settings.ts";
import { once, tried } from "../values/basics.ts";
import { suggest } from "../values/suggested-command.ts";
import { type BaseUrl, parseBaseUrl } from "./base-url.ts";
import { type ResolvedCredential, resolveCredential } from "./credential.ts";
import {
  notLoggedIn,
  type ProfileDefaults,
  profileNotFound,
  SANDBOX_NAME,
  SANDBOX_PROFILE,
} from "./profile-file.ts";
import { ignoresProfile, needsTrust, projectValue } from "./project-value.ts";
import { credentialForReadHost } from "./read-host.ts";
import {
  type ChosenProfile,
  credentialVariable,
  type EnvironmentVariables,
  fromOption,
  fromVariable,
  type SettingSources,
  type Sourced,
  settingOf,
  sourcedValue,
} from "./sources.ts";

/** The settings of one call, by precedence. */
export interface ResolvedSettings {
  /**
   * Option, then environment, then project file, then profile. The value of a secret is
   * `[redacted]`.
   * @throws {UsageError} for an empty value, and for one of a project file that must be trusted
   * first
   * @throws {NotFoundError} for a profile that does not exist
   */
  get(name: SettingName): Sourced<string> | undefined;
  /** The given settings whose values come from a project file that must be trusted first. */
  untrusted(names: readonly SettingName[]): SettingName[];
  /** The profile that a setting names, or the active one. */
  profile(): ChosenProfile | undefined;
  /**
   * The result of {@link profile}, but undefined if the profiles cannot be read and no setting
   * names one: a call that needs no profile then still works.
   */
  profileIfReadable(): ChosenProfile | undefined;
  /**
   * The base URL.
   * @throws {UsageError} if none is configured, or it is not a base URL
   */
  baseUrl(): Sourced<BaseUrl>;
  /**
   * The credential for the base URL, or the error of a request that needs one.
   * @throws {UsageError} for an unusable credential, and for two kinds at once
   */
  credential(): Promise<ResolvedCredential>;
  /**
   * The base URL of operations, logs and backfills; undefined where they are at the base URL.
   * @throws {UsageError} if it is not a base URL
   */
  readBaseUrl(): Sourced<BaseUrl> | undefined;
  /** The credential for {@link readBaseUrl}, or the error of a request that needs one. */
  readCredential(): Promise<ResolvedCredential>;
  /** A line for each setting that overrides another, of the settings that were read until now. */
  readonly notices: readonly string[];
}

/** The settings of a profile that have nothing to do with its service. */
const PREFERENCES: ReadonlySet<SettingName> = new Set([
  "output",
  "timeout",
  "retries",
  "maxWait",
  "maxBody",
  "auth",
]);

/** Applies the precedence of option, environment, project file and profile. */
export function resolveSettings(sources: SettingSources): ResolvedSettings {
  const { options, env, projectFile } = sources;
  const notices = new Set<string>();
  const profiles = once(sources.profiles);

  const ignoresFileProfile = once(() => {
    const isIgnored = ignoresProfile(sources);
    if (isIgnored) notices.add(`${projectFile?.path} is not trusted, so its profile is ignored.`);
    return isIgnored;
  });

  function explicit(name: SettingName): Sourced<string> | undefined {
    const typed = fromOption(options, name);
    if (typed) return typed;
    const variable = fromVariable(env, name);
    if (!variable && name === "profile" && ignoresFileProfile()) return undefined;
    const written = sourcedValue(projectFile?.values[name], projectFile?.path ?? "");
    if (variable && written && variable.value !== written.value) {
      notices.add(`Using ${variable.source} (${kebabCase(name)} in ${written.source} is ignored).`);
    }
    return (
      variable ??
      (written && projectValue(sources, name, written, () => untrusted(["baseUrl", "profile"])))
    );
  }

  function untrusted(names: readonly SettingName[]): SettingName[] {
    return names.filter((name) => {
      const isOwn = fromOption(options, name) ?? fromVariable(env, name);
      if (isOwn !== undefined || !needsTrust(sources, name)) return false;
      return name !== "profile" || !ignoresFileProfile();
    });
  }

  const profile = once(() => chosenProfile(explicit("profile"), profiles));

  function profileIfReadable(): ChosenProfile | undefined {
    try {
      return profile();
    } catch (error) {
      if (!(error instanceof AmpError) || explicit("profile")) throw error;
      notices.add(`Profiles are ignored: ${error.message}.`);
      return undefined;
    }
  }

  function fromProfile(name: SettingName): Sourced<string> | undefined {
    if (name !== "profile" && !settingOf(name).inProfile) return undefined;
    const chosen = explicit("baseUrl") ? profileIfReadable() : profile();
    if (chosen === undefined) return undefined;
    if (name === "profile") return { value: chosen.name, source: chosen.source };
    // Its project and IDs mean nothing to another service; who names the profile wants them.
    if (!chosen.isNamed && isElsewhere(chosen)) return undefined;
    const found = sourcedValue(
      chosen.profile[name as keyof ProfileDefaults],
      `profile ${chosen.name}`,
    );
    return found && { ...found, inProfile: true };
  }

  /** Whether the base URL of this call has another origin than the profile's. */
  function isElsewhere({ profile: { baseUrl: saved } }: ChosenProfile): boolean {
    const [here, there] = [explicit("baseUrl")?.value ?? saved, saved].map(
      (url) => URL.parse(url)?.origin,
    );
    return here !== there;
  }

  function get(name: SettingName): Sourced<string> | undefined {
    // A profile that is not there yet, or not readable, is an error of those who need its target.
    const saved = () =>
      PREFERENCES.has(name) ? tried(() => fromProfile(name)) : fromProfile(name);
    const found = explicit(name) ?? saved();
    const secret = name === "apiKey" || name === "accessToken";
    return found && secret ? { ...found, value: "[redacted]" } : found;
  }

  const baseUrl = once((): Sourced<BaseUrl> => {
    const found = get("baseUrl");
    if (found === undefined) {
      const files = ["apiKeyFile", "accessTokenFile"] as const;
      const variables = ["apiKey", "accessToken"] as const;
      // An empty variable is a missing credential, with a base URL and without one.
      const hasCredential =
        files.some((name) => explicit(name) !== undefined) ||
        variables.some((name) => credentialVariable(env, name) !== undefined);
      throw noBaseUrl(sources.env, hasCredential);
    }
    const { value, source } = found;
    const { allowInsecureHttp } = sources;
    const url = parseBaseUrl(value, { allowInsecureHttp, source: `The base URL (${source})` });
    const chosen = profileIfReadable();
    const ignored = chosen && ignoredPart(chosen, url, isElsewhere(chosen));
    if (ignored) notices.add(`Using the base URL from ${source} (${ignored}).`);
    return { value: url, source };
  });

  const credential = once(() =>
    resolveCredential({
      sources,
      notices,
      profile,
      profileIfReadable,
      baseUrl,
      auth: () => get("auth"),
    }),
  );

  const readBaseUrl = once((): Sourced<BaseUrl> | undefined => {
    const found = get("readBaseUrl");
    if (found === undefined) return undefined;
    const chosen = profileIfReadable();
    // The host of a profile is of its own service, also where the profile is named.
    if (found.inProfile && chosen && isElsewhere(chosen)) return undefined;
    const { allowInsecureHttp } = sources;
    const source = `The read base URL (${found.source})`;
    return { ...found, value: parseBaseUrl(found.value, { allowInsecureHttp, source }) };
  });

  const readCredential = once(async () => {
    const [found, read] = [await credential(), readBaseUrl()];
    if (read === undefined) return found;
    const isOfProfile = read.inProfile === true;
    return credentialForReadHost(found, { base: baseUrl().value, read, isOfProfile });
  });

  return {
    get,
    untrusted,
    profile,
    profileIfReadable,
    baseUrl,
    credential,
    readBaseUrl,
    readCredential,
    get notices() {
      return [...notices];
    },
  };
}

function chosenProfile(
  named: Sourced<string> | undefined,
  saved: SettingSources["profiles"],
): ChosenProfile | undefined {
  const name = named?.value ?? saved().active;
  if (name === undefined) return undefined;
  const chosenBy = { source: named?.source ?? "active profile", isNamed: named !== undefined };
  if (name === SANDBOX_NAME) return { name, profile: SANDBOX_PROFILE, ...chosenBy };
  const { profiles } = saved();
  const profile = profiles.get(name);
  if (profile) return { name, profile, ...chosenBy };
  // The active profile may have been deleted from the file by hand.
  if (!named) return undefined;
  throw profileNotFound(name, [SANDBOX_NAME, ...profiles.keys()], named.source);
}

/** What is ignored of a profile whose base URL is not the one of the call, if anything. */
function ignoredPart(
  { name, profile, isNamed }: ChosenProfile,
  { href }: BaseUrl,
  isElsewhere: boolean,
): string | undefined {
  // The way to a sandbox on another port is its profile with a base URL.
  if (name === SANDBOX_NAME && isLoopback(new URL(href).hostname)) return undefined;
  if (profile.baseUrl.replace(/\/+$/u, "") === href) return undefined;
  return !isNamed && isElsewhere
    ? `profile ${name} is for another service, and is ignored`
    : `the base URL of profile ${name} is ignored`;
}

/** The error without a base URL: where a credential is set, only that is missing. */
function noBaseUrl(env: EnvironmentVariables, hasCredential: boolean): AmpError {
  if (!hasCredential) return notLoggedIn(env);
  return new UsageError("No base URL configured", {
    remedy: "Set AMP_BASE_URL or add --base-url.",
    ...(!isEnabled(env.CI) && { suggestion: suggest("auth login") }),
  });
}
