import { resolve } from "node:path";
import type { ProjectFile } from "../config/project-file.ts";
import { asciiHost, statePlace } from "../config/project-value.ts";
import { NotFoundError } from "../errors.ts";
import type { Io } from "../io.ts";
import { kebabCase, SETTINGS, type SettingName } from "../settings.ts";
import { once } from "../values/basics.ts";

/** A trusted project file. */
export interface TrustedFile {
  readonly path: string;
  /** The status; `changed`: the file was trusted with another content, and is not trusted now. */
  readonly status: "trusted" | "changed" | "missing" | "revoked";
  /** The settings that need trust, for example `base-url: https://api.example.com/v1`. */
  readonly sets: readonly string[];
  readonly since: string;
}

/** The trusted project files. */
export type ProjectTrust = ReturnType<typeof createTrust>;

/** Opens the trusted project files of a folder; nothing is read yet. */
export function createTrust(io: Io, folder: string, found: ProjectFile | undefined) {
  // The module is loaded when a file has to be trusted: few folders have a project file.
  const files = () => import("../config/project-file.ts");
  const store = () => import("../config/trust.ts");
  const options = { folder, signal: io.signal };
  const pathOf = (named: string | undefined) => {
    if (named !== undefined) return resolve(io.cwd, named);
    if (found !== undefined) return found.path;
    throw new NotFoundError("No .amp.yaml found in this folder or above it", {
      remedy: "Change to the folder of the project, or pass the path of the file.",
    });
  };
  return {
    /**
     * Trusts a project file with its current content.
     * @param named the path; absent: the file of this call, with the content that was read
     * @throws {NotFoundError} if there is no such file
     * @throws {UsageError} if its state would be refused
     */
    add: async (named?: string): Promise<TrustedFile> => {
      const path = pathOf(named);
      const file =
        named === undefined ? found : await (await files()).readProjectFile(path, io.env);
      if (file === undefined) throw new NotFoundError(`${path} does not exist`);
      if (file.problem) throw file.problem;
      const { state } = file.values;
      if (state !== undefined) statePlace({ value: state, source: path }, "Nothing was trusted.");
      const { contentHash, saveTrust } = await store();
      const since = io.now().toISOString();
      await saveTrust(options, path, { sha256: contentHash(file.text), since });
      return { path, status: "trusted", sets: settingsNeedingTrust(file), since };
    },
    /**
     * Removes the trust in a file.
     * @throws {NotFoundError} if it is not trusted
     */
    revoke: async (named?: string): Promise<TrustedFile> => {
      const path = pathOf(named);
      const { since } = await (await store()).revokeTrust(options, path);
      return { path, status: "revoked", sets: [], since };
    },
    list: async (): Promise<TrustedFile[]> => {
      const { contentHash, readTrusted } = await store();
      const { readProjectFile } = await files();
      const entries = [...readTrusted(folder)].map(async ([path, { sha256, since }]) => {
        const file = await readProjectFile(path, io.env).catch(() => "changed" as const);
        if (file === undefined) return { path, status: "missing", sets: [], since } as const;
        const sets = file === "changed" ? [] : settingsNeedingTrust(file);
        const isSame = file !== "changed" && contentHash(file.text) === sha256;
        const status = isSame ? ("trusted" as const) : ("changed" as const);
        return { path, status, sets, since };
      });
      return Promise.all(entries);
    },
  };
}

/** The settings of a file that act only by trust, the base URL first. */
export function settingsNeedingTrust({ values, isForeign }: ProjectFile): string[] {
  const { baseUrl, ...rest } = values;
  const ordered = baseUrl === undefined ? rest : { baseUrl, ...rest };
  return Object.entries(ordered).flatMap(([name, value]) => {
    const { inProjectFile } = SETTINGS[name as SettingName] as { inProjectFile?: unknown };
    if (!isForeign && inProjectFile !== "trusted") return [];
    return `${kebabCase(name)}: ${value}${asciiHost(value)}`;
  });
}

/**
 * Whether a project file was trusted with this content; the trusted files are read when it matters.
 */
export async function trustOf(
  folder: string,
  file: ProjectFile | undefined,
): Promise<() => boolean> {
  if (file === undefined) return () => false;
  const { canonicalPath, contentHash, readTrusted } = await import("../config/trust.ts");
  return once(
    () => readTrusted(folder).get(canonicalPath(file.path))?.sha256 === contentHash(file.text),
  );
}
