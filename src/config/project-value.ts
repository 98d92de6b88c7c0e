import { realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { UsageError } from "../errors.ts";
import { kebabCase, type SettingName } from "../settings.ts";
import { tried } from "../values/basics.ts";
import { capitalised } from "../values/counted.ts";
import { suggest } from "../values/suggested-command.ts";
import { type SettingSources, type Sourced, settingOf } from "./sources.ts";

/** The part of the settings' sources that decides what a project file may set. */
type ProjectSources = Pick<SettingSources, "projectFile" | "isTrusted">;

/**
 * Whether a setting of the project file needs trust: one that decides where requests, credentials
 * and records go, or any setting in a file of another user.
 */
export function needsTrust({ projectFile, isTrusted }: ProjectSources, name: SettingName): boolean {
  if (projectFile?.values[name] === undefined) return false;
  return (projectFile.isForeign || settingOf(name).inProjectFile === "trusted") && !isTrusted();
}

/**
 * Whether the profile that a file without trust names is ignored: it is not saved here, so it
 * guards nothing, and options or variables set the base URL and the credential, as in a CI job.
 */
export function ignoresProfile(sources: SettingSources): boolean {
  const { options, env, projectFile } = sources;
  const named = projectFile?.values.profile;
  if (named === undefined || projectFile?.isForeign || !needsTrust(sources, "profile"))
    return false;
  const isSet = (name: SettingName) => Boolean(options[name] ?? env[settingOf(name).env ?? ""]);
  const credentials = ["apiKey", "accessToken", "apiKeyFile", "accessTokenFile"] as const;
  if (!isSet("baseUrl") || !credentials.some(isSet)) return false;
  return !sources.profiles().profiles.has(named);
}

/**
 * The usable value of a setting in the project file. A checkout may come from another author, so a
 * setting that decides where a secret goes acts only in a trusted file.
 * @param others the settings of which that is true, too: a remedy for one alone would lead to the
 * next error
 * @throws {UsageError} with a remedy, for a value that needs trust and has none
 */
export function projectValue(
  sources: ProjectSources,
  name: SettingName,
  written: Sourced<string>,
  others: () => readonly SettingName[],
): Sourced<string> | undefined {
  const { projectFile } = sources;
  if (projectFile && needsTrust(sources, name)) {
    // The format of messages is needed to show any other error.
    if (name === "output") return undefined;
    throw untrusted([...new Set([...others(), name])], projectFile);
  }
  const value = name === "state" ? statePlace(written) : written.value;
  return { ...written, value, inProjectFile: true };
}

function untrusted(
  names: readonly SettingName[],
  { path, isForeign, values }: NonNullable<ProjectSources["projectFile"]>,
) {
  const keys = names.map(kebabCase).join(" and ");
  const message = isForeign
    ? `${path} belongs to another user and is not trusted`
    : `${path} is not trusted, so its ${keys} cannot be used`;
  const sets = names.map((name) => {
    const { [name]: value = "" } = values;
    return `${kebabCase(name)} to ${JSON.stringify(value)}${asciiHost(value)}`;
  });
  return new UsageError(message, {
    detail: `It sets ${sets.join(", ")}.`,
    done: "Nothing was sent.",
    remedy: `${ownWay(names)}, or read the file and trust it.`,
    suggestion: suggest("trust"),
  });
}

/** The host of a URL in ASCII, if it is written with other letters: those may look like its own. */
export function asciiHost(value: string): string {
  const host = URL.parse(value)?.hostname ?? "";
  return value.toLowerCase().includes(host) ? "" : ` (host ${host})`;
}

/** The remedy that sets the values without the file. */
function ownWay(names: readonly SettingName[]): string {
  const options = names.flatMap((name) =>
    name === "state" ? "--state" : (settingOf(name).flags?.match(/--[a-z-]+/u)?.[0] ?? []),
  );
  const variables = names.flatMap((name) => settingOf(name).env ?? []);
  const set = variables.length === 0 ? [] : [`set ${variables.join(" and ")}`];
  const ways = [...(options.length === 0 ? [] : [`add ${options.join(" and ")}`]), ...set];
  return capitalised(ways.join(", "));
}

/** The form of a place on a server: `https://…`, `s3://…`, `gitlab`, `gitlab:NAME`. */
const REMOTE = /^(?:gitlab(?::.*)?|[a-z][a-z\d+.-]*:\/\/.*)$/isu;

/**
 * The place of the state that a project file names: a server, or the absolute path of a file.
 * @param done what the error says was not done
 * @throws {UsageError} for a file outside the folder of the project file, links resolved
 */
export function statePlace({ value, source }: Sourced<string>, done = "Nothing was sent."): string {
  if (REMOTE.test(value)) return value;
  const folder = dirname(source);
  const path = resolve(folder, value);
  const below = relative(realPath(folder), realPath(path));
  if (below !== "" && below !== ".." && !below.startsWith(`..${sep}`) && !isAbsolute(below)) {
    return path;
  }
  throw new UsageError(
    `${source}: the state ${JSON.stringify(value)} is outside the file's folder`,
    {
      done,
      remedy: "Use a file in that folder, or choose another location with --state or AMP_STATE.",
    },
  );
}

/** The path with all links resolved, as far as it exists. */
function realPath(path: string): string {
  const above = dirname(path);
  const below = () => (above === path ? path : join(realPath(above), basename(path)));
  return tried(() => realpathSync(path)) ?? below();
}
