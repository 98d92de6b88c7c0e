import { statSync } from "node:fs";
import { platform } from "node:os";
import { dirname, join } from "node:path";
import { UsageError } from "../errors.ts";
import { kebabCase, SETTINGS, type Setting, type SettingName } from "../settings.ts";
import { nearest } from "../values/nearest.ts";
import { readIfExists } from "./own-file.ts";

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
}

/**
 * Reads the nearest project file, in the folder itself or one above it. The search ends at the root
 * and at the home folder, so that no file above it (of another user, say) applies below it.
 * @throws {UsageError} with path and line for invalid YAML, an unknown key, and anything that looks
 *   like a secret
 */
export async function findProjectFile(
  cwd: string,
  homeDir: string,
): Promise<ProjectFile | undefined> {
  const path = parentFolders(cwd, homeDir)
    .map((folder) => join(folder, PROJECT_FILE))
    .find(isFile);
  return path === undefined ? undefined : readProjectFile(path);
}

/**
 * Reads a project file; undefined if it does not exist.
 * @param user the user whose files need no trust, on systems that have user IDs
 * @throws the errors of {@link findProjectFile}
 */
export async function readProjectFile(
  path: string,
  user = process.geteuid?.(),
): Promise<ProjectFile | undefined> {
  let isForeign = false;
  const text = readIfExists(path, {
    maxBytes: MAX_BYTES,
    inspect: (_file, { uid }) => {
      isForeign = platform() !== "win32" && user !== undefined && uid !== user;
    },
  });
  if (text === undefined) return undefined;
  const values = await parseProjectFile(text, path);
  return { path, values, text, isForeign };
}

function parentFolders(folder: string, homeDir: string): string[] {
  const above = dirname(folder);
  return folder === homeDir || above === folder
    ? [folder]
    : [folder, ...parentFolders(above, homeDir)];
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
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
    throw new UsageError(`${path}:${lineCounter.linePos(error.pos[0]).line} is not valid YAML`, {
      detail: error.message,
    });
  }
  const { contents } = document;
  if (contents === null || (isScalar(contents) && !contents.value)) return {};
  if (!isMap(contents)) throw new UsageError(`${path} must contain lines of the form key: value`);
  const values = contents.items.map(({ key, value }) => {
    const place = `${path}:${lineOf(key)}`;
    const written = isScalar(key) ? String(key.value) : "";
    const name = projectSetting(written, place);
    if (isScalar(value) && String(value.value) !== "") return [name, String(value.value)];
    throw new UsageError(`${place}: ${written} must have a string as its value`);
  });
  return Object.fromEntries(values);
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
    throw new UsageError(`${place}: ${PROJECT_FILE} must not contain secrets (${key})`, {
      remedy: "Remove it; log in, or set AMP_API_KEY. If it was shared, replace it.",
    });
  }
  const known = [...settings.keys()];
  const near = nearest(key, known);
  throw new UsageError(`${place}: ${JSON.stringify(key)} is not a project setting`, {
    detail: `Choose one of: ${known.join(", ")}.`,
    ...(near === undefined ? {} : { remedy: `Did you mean ${near}?` }),
  });
}
