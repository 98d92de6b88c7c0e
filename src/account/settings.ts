import type { ExplainedSetting } from "../documents/account.ts";
import { AmpError } from "../errors.ts";
import { isLoopback } from "../runtime/loopback.ts";
import { REDACTED } from "../secrets/secret.ts";
import {
  DEFAULTS,
  isEnabled,
  kebabCase,
  optionOf,
  type SettingName,
  settingOf,
} from "../settings.ts";
import { once, tried } from "../values/basics.ts";
import { type BaseUrl, parseBaseUrl } from "./base-url.ts";
import { accountErrors } from "./errors.ts";
import {
  findProfile,
  type Profile,
  type ProfileFile,
  profileNotFound,
  SANDBOX_NAME,
} from "./profiles.ts";
import { needsTrust, type ProjectFile, statePlace, untrustedSettings } from "./project-file.ts";
import { PLACES, type SettingPlace, type Sourced, sourced } from "./values.ts";

type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

/** The places that settings come from. A function is called only when its answer matters. */
export interface SettingSources {
  /** The values of options as they were typed; flags without a value are read elsewhere. */
  readonly options: Readonly<Partial<Record<SettingName, string>>>;
  readonly env: EnvironmentVariables;
  readonly projectFile: ProjectFile | undefined;
  /** Whether the user trusted the project file as it is. */
  readonly isTrusted: () => boolean;
  readonly profiles: () => ProfileFile;
  readonly allowInsecureHttp: boolean;
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

const SECRETS: ReadonlySet<SettingName> = new Set(["apiKey", "accessToken"]);

/** The settings of one call, by precedence. */
export class Settings {
  readonly #sources: SettingSources;
  readonly #saved: () => ProfileFile;
  readonly #notices = new Set<string>();
  readonly #untold: string[] = [];
  /** The value of a setting in each place. */
  readonly #read: Readonly<
    Record<SettingPlace, (name: SettingName) => Sourced<string> | undefined>
  > = {
    option: (name) => sourced(this.#sources.options[name], optionOf(name) ?? name, "option"),
    variable: (name) => fromVariable(this.#sources.env, name),
    "project file": (name) => this.#inProjectFile(name),
    profile: (name) => this.#inProfile(name),
  };

  constructor(sources: SettingSources) {
    this.#sources = sources;
    this.#saved = once(sources.profiles);
  }

  /**
   * The value of a setting: of the option, else the variable, the project file or the profile. The
   * value of a secret is `[redacted]`.
   * @throws {UsageError} for an empty value, and for one of a project file that must be trusted
   * first
   * @throws {NotFoundError} for a profile that does not exist
   */
  readonly get = (name: SettingName): Sourced<string> | undefined => {
    // A profile that is not there yet, or not readable, is an error of those who need its service.
    const saved = () =>
      settingOf(name).inProfile === "preference"
        ? tried(() => this.#inProfile(name))
        : this.#inProfile(name);
    const found = this.#given(name) ?? saved();
    return found && SECRETS.has(name) ? { ...found, value: REDACTED } : found;
  };

  /**
   * The value of a setting with its source, and the sources that it shadows.
   * @throws the errors of {@link get}
   */
  explain(name: SettingName): ExplainedSetting {
    const setting = kebabCase(name);
    const used = this.get(name);
    if (used === undefined) return { setting, ...defaultOf(name) };
    const { value, source, place } = used;
    const shadows = PLACES.slice(PLACES.indexOf(place) + 1).flatMap((other) => {
      const found = tried(() => this.#read[other](name));
      return found && found.value !== value ? [found.source] : [];
    });
    return { setting, value, source, ...(shadows.length > 0 && { shadows }) };
  }

  /** What this call or its folder says, and no profile. */
  #given(name: SettingName): Sourced<string> | undefined {
    const typed = this.#read.option(name);
    if (typed) return typed;
    const variable = this.#read.variable(name);
    if (variable === undefined) return this.#inProjectFile(name);
    const { path = "", values = {} } = this.#sources.projectFile ?? {};
    const { [name]: written = variable.value } = values;
    if (written !== variable.value) {
      this.note(`Using ${variable.source} (${kebabCase(name)} in ${path} is ignored).`);
    }
    return variable;
  }

  #inProjectFile(name: SettingName): Sourced<string> | undefined {
    const { projectFile } = this.#sources;
    const written = sourced(projectFile?.values[name], projectFile?.path ?? "", "project file");
    if (!projectFile || !written || (name === "profile" && this.#ignoresFileProfile())) {
      return undefined;
    }
    if (this.#lacksTrust(name)) {
      // The format of messages is needed to show any other error.
      if (name === "output") return undefined;
      const others = this.untrusted(["baseUrl", "profile"]);
      throw untrustedSettings([...new Set([...others, name])], projectFile);
    }
    return name === "state" ? { ...written, value: statePlace(written) } : written;
  }

  #lacksTrust(name: SettingName): boolean {
    const { projectFile, isTrusted } = this.#sources;
    return projectFile !== undefined && needsTrust(projectFile, name) && !isTrusted();
  }

  /**
   * Whether the profile that a file without trust names is ignored: it is not saved here, so it
   * guards nothing, and options or variables set the base URL and the credential, as in a CI job.
   */
  readonly #ignoresFileProfile = once((): boolean => {
    const { options, env, projectFile } = this.#sources;
    const named = projectFile?.values.profile;
    if (named === undefined || projectFile?.isForeign || !this.#lacksTrust("profile")) return false;
    const isSet = (name: SettingName) => Boolean(options[name] ?? env[settingOf(name).env ?? ""]);
    const credentials = ["apiKey", "accessToken", "apiKeyFile", "accessTokenFile"] as const;
    if (!isSet("baseUrl") || !credentials.some(isSet)) return false;
    if (this.#saved().profiles.has(named)) return false;
    this.note(`${projectFile?.path} is not trusted, so its profile is ignored.`);
    return true;
  });

  /** The given settings whose values come from a project file that must be trusted first. */
  untrusted(names: readonly SettingName[]): SettingName[] {
    return names.filter((name) => {
      const isOwn = this.#read.option(name) ?? this.#read.variable(name);
      if (isOwn !== undefined || !this.#lacksTrust(name)) return false;
      return name !== "profile" || !this.#ignoresFileProfile();
    });
  }

  #inProfile(name: SettingName): Sourced<string> | undefined {
    if (name !== "profile" && !settingOf(name).inProfile) return undefined;
    const chosen = this.#given("baseUrl") ? this.profileIfReadable() : this.profile();
    if (chosen === undefined) return undefined;
    if (name === "profile") {
      const { name: value, source } = chosen;
      return chosen.isNamed ? undefined : { value, source, place: "profile" };
    }
    // Its project and IDs mean nothing to another service; who names the profile wants them.
    if (!chosen.isNamed && this.#isElsewhere(chosen)) return undefined;
    const value = chosen.profile[name as keyof Profile] as string | undefined;
    return sourced(value, `profile ${chosen.name}`, "profile");
  }

  /** The profile that a setting names, or the active one. */
  readonly profile = once((): ChosenProfile | undefined => {
    const named = this.#given("profile");
    const name = named?.value ?? this.#saved().active;
    if (name === undefined) return undefined;
    const profile = findProfile(name, this.#saved);
    if (profile) {
      const source = named?.source ?? "active profile";
      return { name, profile, source, isNamed: named !== undefined };
    }
    // The active profile may have been deleted from the file by hand.
    if (!named) return undefined;
    throw profileNotFound(name, this.#saved(), named.source);
  });

  /**
   * The result of {@link profile}, but undefined if the profiles cannot be read and no setting
   * names one: a call that needs no profile then still works.
   */
  readonly profileIfReadable = (): ChosenProfile | undefined => {
    try {
      return this.profile();
    } catch (error) {
      if (!(error instanceof AmpError) || this.#given("profile")) throw error;
      this.note(`Profiles are ignored: ${error.message}.`);
      return undefined;
    }
  };

  /** Whether the base URL of this call has another origin than the profile's. */
  #isElsewhere({ profile: { baseUrl: saved } }: ChosenProfile): boolean {
    const here = this.#given("baseUrl")?.value ?? saved;
    return URL.parse(here)?.origin !== URL.parse(saved)?.origin;
  }

  /**
   * The base URL.
   * @throws {UsageError} if none is configured, or it is not a base URL
   */
  readonly baseUrl = once((): Sourced<BaseUrl> => {
    const found = this.get("baseUrl");
    if (found === undefined) throw this.#noBaseUrl();
    const url = this.#parse(found, "base URL");
    const chosen = this.profileIfReadable();
    const ignored = chosen && ignoredPart(chosen, url, this.#isElsewhere(chosen));
    if (ignored) this.note(`Using the base URL from ${found.source} (${ignored}).`);
    return { ...found, value: url };
  });

  #parse({ value, source }: Sourced<string>, what: string): BaseUrl {
    const { allowInsecureHttp } = this.#sources;
    return parseBaseUrl(value, { allowInsecureHttp, source: `The ${what} (${source})` });
  }

  /** The error without a base URL: where a credential is set, only that is missing. */
  #noBaseUrl(): AmpError {
    const { env } = this.#sources;
    const files = ["apiKeyFile", "accessTokenFile"] as const;
    const variables = ["apiKey", "accessToken"] as const;
    // An empty variable is a missing credential, with a base URL and without one.
    const hasCredential =
      files.some((name) => this.#given(name) !== undefined) ||
      variables.some((name) => credentialVariable(env, name) !== undefined);
    if (!hasCredential) return accountErrors.not_logged_in(env);
    return accountErrors.base_url_missing(isEnabled(env.CI));
  }

  /**
   * The base URL of operations, logs and backfills; undefined where they are at the base URL.
   * @throws {UsageError} if it is not a base URL
   */
  readonly readBaseUrl = once((): Sourced<BaseUrl> | undefined => {
    const found = this.get("readBaseUrl");
    if (found === undefined) return undefined;
    const chosen = this.profileIfReadable();
    // The host of a profile is of its own service, also where the profile is named.
    if (found.place === "profile" && chosen && this.#isElsewhere(chosen)) return undefined;
    return { ...found, value: this.#parse(found, "read base URL") };
  });

  /**
   * A line for each setting that overrides another, of the settings that were read until now; each
   * is given once.
   */
  takeNotices(): string[] {
    return this.#untold.splice(0);
  }

  /** Adds a line to {@link takeNotices}. */
  note(notice: string): void {
    if (this.#notices.has(notice)) return;
    this.#notices.add(notice);
    this.#untold.push(notice);
  }
}

function defaultOf(name: SettingName) {
  // That of maxBody depends on the request.
  const value = name === "maxBody" ? undefined : (DEFAULTS as Record<string, string>)[name];
  return value === undefined ? {} : { value, source: "default" };
}

/**
 * The value of a setting's variable, without the spaces around it that a pasted one may have. An
 * empty variable that other programs also read (NO_COLOR, CI) is ignored.
 */
function fromVariable(env: EnvironmentVariables, name: SettingName): Sourced<string> | undefined {
  const { env: variable = "" } = settingOf(name);
  const value = env[variable];
  return value === "" && !variable.startsWith("AMP_")
    ? undefined
    : sourced(value?.trim(), variable, "variable");
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
  throw accountErrors.variable_empty(variable);
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
