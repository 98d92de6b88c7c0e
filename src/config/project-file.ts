import { statSync } from "node:fs";
import { dirname, join } from "node:path";
import { UsageError } from "../errors.ts";
import { SETTINGS, type Setting, type SettingName } from "../settings.ts";
import { nearest } from "../values/nearest.ts";
import { readIfExists } from "./profile-file.ts";
import { kebabCase } from "./sources.ts";

/** The name of the file that gives a folder and all below it their settings. */
const PROJECT_FILE = ".amp.yaml";
/** Bytes: a handful of lines, read by every command in the folder. YAML takes its time. */
const MAX_BYTES = 64 * 2 ** 10;

/** What the project file says. */
export interface ProjectFile {
  readonly path: string;
  /** The values as they are written; checked where they are used. */
  readonly values: Readonly<Partial<Record<SettingName, string>>>;
}

/**
 * Reads the nearest project file: in the folder itself or one above it. The search ends at the root,
 * and at the home folder, so that nothing above it (another user's, say) speaks for what is below.
 * @throws {UsageError} with path and line for a file that cannot be understood, an unknown key, and
 *   anything that looks like a secret
 */
export async function findProjectFile(
  cwd: string,
  homeDir: string,
): Promise<ProjectFile | undefined> {
  const path = parentFolders(cwd, homeDir)
    .map((folder) => join(folder, PROJECT_FILE))
    .find(isFile);
  const text = path === undefined ? undefined : readIfExists(path, MAX_BYTES);
  return path === undefined || text === undefined ? undefined : parseProjectFile(text, path);
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

async function parseProjectFile(text: string, path: string): Promise<ProjectFile> {
  // Loaded only where there is such a file.
  const { isMap, isScalar, LineCounter, parseDocument } = await import("yaml");
  const lineCounter = new LineCounter();
  // Failsafe: every value is the text that stands there, `on` and `0123` too.
  const document = parseDocument(text, { lineCounter, schema: "failsafe", prettyErrors: false });
  const lineOf = (node: unknown) => {
    const [start] = (node as { range?: readonly number[] | null } | null)?.range ?? [];
    return lineCounter.linePos(start ?? 0).line;
  };
  const [error] = document.errors;
  if (error) {
    throw new UsageError(`${path}:${lineCounter.linePos(error.pos[0]).line} is no YAML`, {
      detail: error.message,
    });
  }
  const { contents } = document;
  if (contents === null || (isScalar(contents) && !contents.value)) return { path, values: {} };
  if (!isMap(contents)) throw new UsageError(`${path} must hold lines of the form key: value`);
  const values = contents.items.map(({ key, value }) => {
    const place = `${path}:${lineOf(key)}`;
    const written = isScalar(key) ? String(key.value) : "";
    const name = projectSetting(written, place);
    if (isScalar(value) && String(value.value) !== "") return [name, String(value.value)];
    throw new UsageError(`${place}: ${written} must have a text as its value`);
  });
  return { path, values: Object.fromEntries(values) };
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
    throw new UsageError(`${place}: secrets never belong in ${PROJECT_FILE} (${key})`, {
      remedy: "Remove it; log in, or set AMP_API_KEY. If it was shared, have it replaced.",
    });
  }
  const known = [...settings.keys()];
  const near = nearest(key, known);
  throw new UsageError(`${place}: ${JSON.stringify(key)} is no setting of a project`, {
    detail: `Known: ${known.join(", ")}.`,
    ...(near === undefined ? {} : { remedy: `Did you mean ${near}?` }),
  });
}
