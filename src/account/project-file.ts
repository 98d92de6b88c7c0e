import { lstatSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { UsageError } from "../errors.ts";
import {
  isEnabled,
  kebabCase,
  optionOf,
  SETTINGS,
  type Setting,
  type SettingName,
  settingOf,
} from "../settings.ts";
import { isWithin, tried } from "../values/basics.ts";
import { capitalised } from "../values/counted.ts";
import { inputErrors } from "../values/errors.ts";
import { nearest } from "../values/nearest.ts";
import { accountErrors } from "./errors.ts";
import { readIfExists } from "./files.ts";
import type { FolderEnvironment } from "./folders.ts";
import { checkValue, type Sourced } from "./values.ts";

/** The name of the file that gives a folder and all below it their settings. */
const PROJECT_FILE = ".amp.yaml";
/** The maximum size: every command in the folder reads the file, and YAML is slow. */
const MAX_BYTES = 64 * 2 ** 10;

/** The settings of a project file. */
export interface ProjectFile {
  readonly path: string;
  /** The unchecked values of the file; each is checked when it is used. */
  readonly values: Readonly<Partial<Record<SettingName, string>>>;
  /** The text that was read, which is the content to trust. */
  readonly text: string;
  /** Whether the file belongs to another user: none of it acts before it is trusted. */
  readonly isForeign: boolean;
  /** Why the file cannot be used; it sets nothing then. */
  readonly problem?: UsageError;
}

/**
 * Reads the nearest project file, in the folder itself or one above it. The search ends at the root
 * and at the home folder, so that no file above it (of another user, say) applies below it. A file
 * that cannot be used has a problem: a command that needs nothing of it goes on.
 */
export async function findProjectFile({
  cwd,
  homeDir,
  env,
}: Pick<FolderEnvironment, "homeDir" | "env"> & { readonly cwd: string }): Promise<
  ProjectFile | undefined
> {
  const path = parentFolders(cwd, homeDir)
    .map((folder) => join(folder, PROJECT_FILE))
    .find(isFile);
  if (path === undefined) return undefined;
  try {
    return await readProjectFile(path, env);
  } catch (problem) {
    if (!(problem instanceof UsageError)) throw problem;
    const { remedy = "Fix the file, or move it away.", done = "Nothing was sent." } = problem.facts;
    problem.setFacts({ remedy, done });
    return { path, values: {}, text: "", isForeign: false, problem };
  }
}

/**
 * Reads a project file; undefined if it does not exist.
 * @throws {UsageError} with path and line for invalid YAML, an unknown key, an invalid value, and
 *   anything that looks like a secret
 */
export async function readProjectFile(
  path: string,
  env: FolderEnvironment["env"],
): Promise<ProjectFile | undefined> {
  // A CI job may run in a change that nobody has reviewed, and messages quote what the file says.
  if (isEnabled(env.CI)) refuseWayOut(path);
  const users = ownUsers(env);
  let isForeign = false;
  const text = readIfExists(path, {
    maxBytes: MAX_BYTES,
    inspect: (_file, { uid }) => {
      // A link of another user must not choose which file of this user acts here.
      isForeign = users !== undefined && ![uid, lstatSync(path).uid].every((one) => users.has(one));
    },
  });
  if (text === undefined) return undefined;
  const values = await parseProjectFile(text, path);
  return { path, values, text, isForeign };
}

function refuseWayOut(path: string): void {
  if (!lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return;
  if (isWithin(realpathSync(dirname(path)), realpathSync(path))) return;
  throw inputErrors.link_leads_outside(path, "its folder", "remove it");
}

/**
 * The users whose files need no trust: this one, and under sudo the one who called it, as in git's
 * safe.directory. Undefined on a system without user IDs.
 */
function ownUsers({ SUDO_UID = "" }: FolderEnvironment["env"]): ReadonlySet<number> | undefined {
  const user = process.geteuid?.();
  if (user === undefined) return undefined;
  const isSudo = user === 0 && /^\d+$/u.test(SUDO_UID);
  return new Set(isSudo ? [user, Number(SUDO_UID)] : [user]);
}

function parentFolders(folder: string, homeDir: string): string[] {
  const above = dirname(folder);
  return folder === homeDir || above === folder
    ? [folder]
    : [folder, ...parentFolders(above, homeDir)];
}

function isFile(path: string): boolean {
  // To make an error for each folder without one takes longer than to look.
  return tried(() => statSync(path, { throwIfNoEntry: false })?.isFile()) === true;
}

async function parseProjectFile(text: string, path: string): Promise<ProjectFile["values"]> {
  // Loaded only if there is such a file.
  const { isMap, isScalar, LineCounter, parseDocument } = await import("yaml");
  const lineCounter = new LineCounter();
  // The failsafe schema keeps every value as text, also `on` and `0123`.
  const document = parseDocument(text, { lineCounter, schema: "failsafe", prettyErrors: false });
  const lineOf = (node: unknown) => {
    const [start] = (node as { range?: readonly number[] | null } | null)?.range ?? [];
    return lineCounter.linePos(start ?? 0).line;
  };
  const [error] = document.errors;
  if (error) {
    throw accountErrors.project_file_not_yaml(
      path,
      lineCounter.linePos(error.pos[0]).line,
      error.code === "MULTIPLE_DOCS" ? "The file must be one document." : error.message,
    );
  }
  const { contents } = document;
  if (contents === null || (isScalar(contents) && !contents.value)) return {};
  if (!isMap(contents)) throw accountErrors.project_file_form(path);
  const values = contents.items.map(({ key, value }) => {
    const place = `${path}:${lineOf(key)}`;
    const written = isScalar(key) ? String(key.value) : "";
    const name = projectSetting(written, place);
    const text = isScalar(value) ? String(value.value) : "";
    if (text.trim() === "") throw accountErrors.project_setting_empty(place, written);
    checkAt(place, name, text);
    return [name, text];
  });
  return Object.fromEntries(values);
}

function checkAt(place: string, name: SettingName, value: string): void {
  // A line of a prompt or a message must not be the file's own.
  if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(value)) {
    throw accountErrors.project_setting_characters(place, kebabCase(name));
  }
  if (name !== "state" && (value === "." || value === "..")) {
    throw accountErrors.project_setting_dots(place, kebabCase(name), value);
  }
  try {
    checkValue(name, value);
  } catch (error) {
    throw error instanceof UsageError ? error.at(`${place}: ${kebabCase(name)}`) : error;
  }
}

function projectSetting(key: string, place: string): SettingName {
  const settings = new Map(
    Object.entries<Setting>(SETTINGS)
      .filter(([, setting]) => setting.inProjectFile)
      .map(([name]) => [kebabCase(name), name as SettingName]),
  );
  const found = settings.get(key);
  if (found !== undefined) return found;
  if (/apikey|token|secret|password|credential/iu.test(key.replaceAll(/[-_]/gu, ""))) {
    throw accountErrors.project_setting_secret(place, PROJECT_FILE, key);
  }
  const known = [...settings.keys()];
  throw accountErrors.project_setting_unknown(place, key, known, nearest(key, known));
}

/**
 * Whether a setting of the file needs trust: one that decides where requests, credentials and
 * records go, or any setting in a file of another user.
 */
export function needsTrust({ isForeign, values }: ProjectFile, name: SettingName): boolean {
  if (values[name] === undefined) return false;
  return isForeign || settingOf(name).inProjectFile === "trusted";
}

/** The settings of a file that act only by trust, the base URL first. */
export function settingsNeedingTrust(file: ProjectFile): string[] {
  const { baseUrl, ...rest } = file.values;
  const ordered = baseUrl === undefined ? rest : { baseUrl, ...rest };
  return Object.entries(ordered).flatMap(([name, value]) =>
    needsTrust(file, name as SettingName) ? `${kebabCase(name)}: ${value}${asciiHost(value)}` : [],
  );
}

/** The error of settings that need trust and have none: a remedy for one would lead to the next. */
export function untrustedSettings(
  names: readonly SettingName[],
  { path, isForeign, values }: ProjectFile,
): UsageError {
  const keys = names.map(kebabCase).join(" and ");
  const message = isForeign
    ? `${path} belongs to another user and is not trusted`
    : `${path} is not trusted, so its ${keys} cannot be used`;
  const sets = names.map((name) => {
    const { [name]: value = "" } = values;
    return `${kebabCase(name)} to ${JSON.stringify(value)}${asciiHost(value)}`;
  });
  return accountErrors.project_file_untrusted(message, sets, ownWay(names));
}

/** The host of a URL in ASCII, if it is written with other letters: those may look like its own. */
function asciiHost(value: string): string {
  const host = URL.parse(value)?.hostname ?? "";
  return value.toLowerCase().includes(host) ? "" : ` (host ${host})`;
}

/** The remedy that sets the values without the file. */
function ownWay(names: readonly SettingName[]): string {
  const options = names.flatMap((name) => (name === "state" ? "--state" : (optionOf(name) ?? [])));
  const variables = names.flatMap((name) => settingOf(name).env ?? []);
  const ways = [
    options.length > 0 && `add ${options.join(" and ")}`,
    variables.length > 0 && `set ${variables.join(" and ")}`,
  ];
  return capitalised(ways.filter(Boolean).join(", "));
}

/** The form of a place on a server: `https://…`, `s3://…`, `gitlab`, `gitlab:NAME`. */
const REMOTE = /^(?:gitlab(?::.*)?|[a-z][a-z\d+.-]*:\/\/.*)$/isu;

/**
 * The place of the state that a project file names: a server, or the absolute path of a file.
 * @param done what the error says was not done
 * @throws {UsageError} for a file outside the folder of the project file, links resolved
 */
export function statePlace(
  { value, source }: Pick<Sourced<string>, "value" | "source">,
  done = "Nothing was sent.",
): string {
  if (REMOTE.test(value)) return value;
  const folder = dirname(source);
  const path = resolve(folder, value);
  const [root, place] = [realPath(folder), realPath(path)];
  if (place !== root && isWithin(root, place)) return path;
  throw accountErrors.state_outside_folder(source, value, done);
}

/** The path with all links resolved, as far as it exists. */
function realPath(path: string): string {
  const above = dirname(path);
  const below = () => (above === path ? path : join(realPath(above), basename(path)));
  return tried(() => realpathSync(path)) ?? below();
}
