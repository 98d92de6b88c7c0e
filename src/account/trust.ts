import { createHash } from "node:crypto";
import { realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { TrustedFile } from "../documents/account.ts";
import { withLock } from "../durable/lock.ts";
import { writeFileDurably } from "../durable/write-file.ts";
import type { SettingName } from "../settings.ts";
import { once, tried } from "../values/basics.ts";
import { accountErrors } from "./errors.ts";
import { FILES, fileError, pathOf, readTrusted } from "./files.ts";
import type { FolderEnvironment } from "./folders.ts";
import type { TrustedContent } from "./profiles.ts";
import {
  type ProjectFile,
  readProjectFile,
  settingsNeedingTrust,
  statePlace,
} from "./project-file.ts";
import type { Settings } from "./settings.ts";

interface TrustingCall {
  readonly cwd: string;
  readonly env: FolderEnvironment["env"];
  readonly signal: AbortSignal;
  now(): Date;
}

/** The use that a command makes of the project file. */
export interface ProjectFileUse {
  /** The settings that the command uses and that were not typed. */
  readonly used: readonly SettingName[];
  /** Whether the command goes on without the file if it is broken; `notice`: it says so. */
  readonly withoutFile: boolean | "notice";
}

/** How the user is asked about a project file, and warned of it. */
export interface TrustQuestion {
  readonly settings: Pick<Settings, "get" | "untrusted">;
  readonly prompt: {
    confirm(question: { message: string; flag: string; default: boolean }): Promise<boolean>;
  };
  readonly report: { notice(text: string): void; warn(text: string): void };
  readonly isInteractive: () => boolean;
}

/** The trusted project files of a folder; nothing is read yet. */
export class ProjectTrust {
  readonly #call: TrustingCall;
  readonly #folder: string;
  readonly #found: ProjectFile | undefined;

  /** @param found the project file of this call */
  constructor(call: TrustingCall, folder: string, found: ProjectFile | undefined) {
    this.#call = call;
    this.#folder = folder;
    this.#found = found;
  }

  /** What is wrong with the file of this call. */
  get problem(): ProjectFile["problem"] {
    return this.#found?.problem;
  }

  /** Whether the file of this call was trusted with this content. */
  isTrusted = once(() => {
    if (this.#found === undefined) return false;
    const { path, text } = this.#found;
    return readTrusted(this.#folder).get(canonicalPath(path))?.sha256 === contentHash(text);
  });

  /**
   * Trusts a project file with its current content.
   * @param named the path; absent: the file of this call, with the content that was read
   * @throws {NotFoundError} if there is no such file
   * @throws {UsageError} if its state would be refused
   */
  async add(named?: string): Promise<TrustedFile> {
    const path = this.#pathOf(named);
    const file = named === undefined ? this.#found : await readProjectFile(path, this.#call.env);
    if (file === undefined) throw accountErrors.file_not_there(path);
    if (file.problem) throw file.problem;
    const { state } = file.values;
    if (state !== undefined) statePlace({ value: state, source: path }, "Nothing was trusted.");
    const since = this.#call.now().toISOString();
    await this.#change((files) =>
      files.set(canonicalPath(path), { sha256: contentHash(file.text), since }),
    );
    if (file === this.#found) this.isTrusted = () => true;
    return { path, status: "trusted", sets: settingsNeedingTrust(file), since };
  }

  /**
   * Removes the trust in a file.
   * @throws {NotFoundError} if it is not trusted
   */
  async revoke(named?: string): Promise<TrustedFile> {
    const path = this.#pathOf(named);
    let revoked: TrustedContent | undefined;
    await this.#change((files) => {
      const name = canonicalPath(path);
      revoked = files.get(name);
      files.delete(name);
    });
    if (revoked) return { path, status: "revoked", sets: [], since: revoked.since };
    throw accountErrors.file_not_trusted(path);
  }

  list(): Promise<TrustedFile[]> {
    const entries = [...readTrusted(this.#folder)].map(async ([path, { sha256, since }]) => {
      const file = await readProjectFile(path, this.#call.env).catch(() => "changed" as const);
      if (file === undefined) return { path, status: "missing", sets: [], since } as const;
      const sets = file === "changed" ? [] : settingsNeedingTrust(file);
      const isSame = file !== "changed" && contentHash(file.text) === sha256;
      const status = isSame ? ("trusted" as const) : ("changed" as const);
      return { path, status, sets, since };
    });
    return Promise.all(entries);
  }

  /**
   * Asks once whether the project file of this call is trusted, if the command uses a setting that
   * needs it; where the terminal is not interactive, the setting is refused when it is read, and the
   * file of another user at once. Then shows the place of the state that the file names.
   * @throws {UsageError} if the command needs the file, and it is broken, or another user's and not
   *   trusted
   */
  async accept(
    { settings, prompt, report, isInteractive }: TrustQuestion,
    { used, withoutFile }: ProjectFileUse,
  ): Promise<void> {
    const file = this.#found;
    if (file === undefined) return;
    if (file.problem && withoutFile === false) throw file.problem;
    if (file.problem && withoutFile === "notice") {
      report.warn(`${file.problem.message}. The file is ignored.`);
    }
    const untrusted = settings.untrusted(withoutFile === true ? [] : settingsThatAct(file, used));
    const [first] = untrusted;
    if (first !== undefined && isInteractive()) {
      const owner = file.isForeign ? " belongs to another user and" : "";
      report.warn(`${file.path}${owner} is not trusted yet. It sets:`);
      for (const line of settingsNeedingTrust(file)) report.warn(`  ${line}`);
      const message = "Trust this file? Requests and credentials will use these settings.";
      if (await prompt.confirm({ message, flag: "--base-url", default: false })) await this.add();
    }
    // Some settings are read only after a request: the refusal must come before it.
    if (first !== undefined && file.isForeign) settings.get(first);
    if (!used.includes("state")) return;
    const state = settings.get("state");
    if (state?.source === file.path) {
      report.notice(`Using the state ${state.value} (from ${file.path}).`);
    }
  }

  #pathOf(named: string | undefined): string {
    if (named !== undefined) return resolve(this.#call.cwd, named);
    if (this.#found !== undefined) return this.#found.path;
    throw accountErrors.project_file_not_found();
  }

  async #change(change: (files: Map<string, TrustedContent>) => unknown): Promise<void> {
    const path = pathOf(this.#folder, "trust");
    const { version } = FILES.trust;
    const { signal } = this.#call;
    try {
      await withLock(path, { wait: 30_000, command: "amp trust", signal }, async () => {
        const files = new Map(readTrusted(this.#folder));
        change(files);
        const content = { version, files: Object.fromEntries(files) };
        await writeFileDurably(path, `${JSON.stringify(content, undefined, 2)}\n`);
      });
    } catch (error) {
      throw fileError("write", path, error);
    }
  }
}

function contentHash(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** The path with the links of its folder resolved: one file has one name, however it was reached. */
function canonicalPath(path: string): string {
  return tried(() => join(realpathSync(dirname(path)), basename(path))) ?? path;
}

/**
 * The settings of the file that may act on a command. Of another user's file these are all but the
 * format, which is then ignored.
 */
function settingsThatAct(
  { isForeign, values }: ProjectFile,
  used: readonly SettingName[],
): readonly SettingName[] {
  if (!isForeign) return used;
  return (Object.keys(values) as SettingName[]).filter((name) => name !== "output");
}
