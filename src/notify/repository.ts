import { dirname, join, parse, resolve } from "node:path";
import type { CommandContext } from "../context/command-context.ts";
import { isWithin } from "../values/within.ts";
import type { FileContext } from "./file/read.ts";

type Files = FileContext["files"];

/** The repository of a file. */
interface Repository {
  /** Its host and path, equal for every clone: `github.com/acme/routing`. */
  readonly name: string;
  /** The folder that paths in the repository begin at. */
  readonly root: string;
}

/**
 * Finds the repository of a file, by the address that it was cloned from, or else by what the CI job
 * says of its checkout. Undefined where neither is known.
 * @param place the path of the file without links
 */
export async function findRepository(
  files: Files,
  { env }: Pick<CommandContext["environment"], "env">,
  place: string,
): Promise<Repository | undefined> {
  const cloned = await findClone(files, dirname(place));
  const origin = cloned && addressName(originOf(cloned.config));
  if (cloned && origin !== undefined) return { name: origin, root: cloned.root };
  const { GITHUB_REPOSITORY, GITHUB_SERVER_URL, GITHUB_WORKSPACE } = env;
  const { CI_PROJECT_URL, CI_PROJECT_DIR } = env;
  const server = GITHUB_SERVER_URL || "https://github.com";
  const url = GITHUB_REPOSITORY ? `${server}/${GITHUB_REPOSITORY}` : CI_PROJECT_URL;
  const name = addressName(url);
  const folder = GITHUB_REPOSITORY ? GITHUB_WORKSPACE : CI_PROJECT_DIR;
  const checkout = folder && (await files.realPath(folder).catch(() => undefined));
  if (name === undefined || !checkout) return undefined;
  // A file elsewhere is of another repository, or of none.
  if (!isWithin(checkout, place)) return undefined;
  return { name, root: cloned?.root ?? checkout };
}

/** The nearest folder that is a clone, with the text of its settings. */
async function findClone(
  files: Files,
  folder: string,
): Promise<{ readonly root: string; readonly config: string } | undefined> {
  const found = await files.realPath(join(folder, ".git")).catch(() => undefined);
  if (found !== undefined) return { root: folder, config: await configOf(files, found) };
  return folder === parse(folder).root ? undefined : findClone(files, dirname(folder));
}

/** The settings of a clone, whose `.git` is a file in a worktree and in a submodule. */
async function configOf(files: Files, git: string): Promise<string> {
  const textOf = (path: string) => files.read(path).catch(() => undefined);
  const [, way] = /^gitdir: (.+)$/mu.exec((await textOf(git)) ?? "") ?? [];
  const own = way === undefined ? git : resolve(dirname(git), way.trim());
  const common = (await textOf(join(own, "commondir")))?.trim();
  return (await textOf(join(resolve(own, common ?? ""), "config"))) ?? "";
}

/** The address of the remote `origin` in the settings of a clone. */
function originOf(config: string): string | undefined {
  let isOrigin = false;
  for (const line of config.split(/\r?\n/u)) {
    if (/^\s*\[/u.test(line)) isOrigin = /^\s*\[remote "origin"\]/iu.test(line);
    const [, url] = /^\s*url\s*=\s*"?([^\s"]+)/iu.exec(line) ?? [];
    if (isOrigin && url !== undefined) return url;
  }
  return undefined;
}

/**
 * Host and path of an address, without user and password; undefined for a folder of one machine, which
 * is another repository elsewhere.
 */
function addressName(address: string | undefined): string | undefined {
  if (address === undefined) return undefined;
  const [, host, path] = /^(?:[^@/]+@)?([^:/]{2,}):(?!\/\/)(.+)$/u.exec(address) ?? [];
  const text = host === undefined ? address : `ssh://${host}/${path}`;
  const url = URL.parse(text);
  if (!url?.host) return undefined;
  const place = url.pathname.replace(/^\/+|\/+$|\.git\/*$/gu, "");
  return place === "" ? undefined : `${url.host.toLowerCase()}/${place}`;
}
