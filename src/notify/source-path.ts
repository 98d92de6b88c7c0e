import { basename, dirname, join, parse, relative, resolve, sep } from "node:path";
import type { CommandContext } from "../context/command-context.ts";
import { ConflictError } from "../errors.ts";
import { isWithin } from "../values/basics.ts";
import { type FileContext, type ReadRouting, STANDARD_INPUT } from "./file/read.ts";
import type { Address } from "./model/address.ts";
import type { AppliedFile, RoutingModel } from "./model/routing.ts";
import { blockersOf, declaredTwiceText, remedyOf } from "./plan/conflicts.ts";
import type { Plan } from "./plan/plan.ts";
import type { StateBackend } from "./state/backend.ts";

interface SourcedRouting {
  readonly model: RoutingModel;
  /** Whether its name is in the file, and not only that of the file. */
  readonly hasOwnName: boolean;
}

/**
 * Adds to a routing where its file is, by which the state tells two files of one name apart. A
 * local state knows the paths of its machine, which lead from its folder to the file. One on a
 * server is shared by machines that have the same files elsewhere: it knows the repository, and the
 * path in it.
 * @param file the path as it was typed; a pipe has none
 */
export async function withSource(
  { model, hasOwnName }: SourcedRouting,
  file: string | undefined,
  { files, environment }: Pick<FileContext, "files"> & Pick<CommandContext, "environment">,
  { local, location }: Pick<StateBackend, "local" | "location">,
): Promise<RoutingModel> {
  if (model.name === undefined) return model;
  const { cwd } = environment;
  const folder = local ? await realPathOf(files, dirname(location)) : undefined;
  if (file === undefined || file === "-" || file === STANDARD_INPUT) return model;
  const place = await realPathOf(files, resolve(cwd, file));
  const pathFrom = (root: string) => relative(root, place).split(sep).join("/");
  if (folder !== undefined) {
    return { ...model, source: { path: pathFrom(folder), hasOwnName, folder } };
  }
  const found = await findRepository(files, environment, place);
  const source: AppliedFile = found
    ? { path: `${found.name}:${pathFrom(found.root)}`, hasOwnName }
    : { path: pathFrom(await realPathOf(files, cwd)), hasOwnName, isUnknown: true };
  return { ...model, source };
}

/** The path without links, also where its end does not exist yet. */
export async function realPathOf(files: FileContext["files"], path: string): Promise<string> {
  const found = await files.realPath(path).catch(() => undefined);
  if (found !== undefined || dirname(path) === path) return found ?? path;
  return join(await realPathOf(files, dirname(path)), basename(path));
}

interface CheckedRouting extends Pick<ReadRouting, "positionOf"> {
  readonly model: RoutingModel;
  /** The path as it was typed. */
  readonly file: string;
}

/**
 * Checks the plan of a file for what is wrong with the file itself.
 * @throws {ConflictError} where it declares a resource twice
 */
export function checkPlan(
  report: Pick<CommandContext["report"], "warn">,
  plan: Plan,
  routing: CheckedRouting,
): void {
  checkSource(report, plan, routing.model);
  const twice = blockersOf(plan).filter(({ reason }) => reason === "declared_twice");
  const [first] = twice;
  if (first === undefined) return;
  const { positionOf, file } = routing;
  const place = (address: Address) => ` (${file}:${positionOf(address).line})`;
  const [message = "", ...more] = twice.map((one) => declaredTwiceText(one, place));
  throw new ConflictError(message, {
    ...(more.length === 0 ? {} : { detail: more.join("\n") }),
    remedy: remedyOf(first),
    done: "Nothing was created.",
    data: { conflicts: twice },
  });
}

/**
 * Says that other files were applied under the name of this one, whose resources `--prune` cannot
 * tell apart. A file that says its name has it on purpose, wherever it was before.
 * @throws {ConflictError} if the plan deletes or releases resources, and the file does not say that
 *   the name is its own
 */
export function checkSource(
  { warn }: Pick<CommandContext["report"], "warn">,
  plan: Pick<Plan, "items" | "others" | "otherFiles" | "choices">,
  { name = "", source }: RoutingModel,
): void {
  const { items, others, otherFiles = [], choices } = plan;
  if (source === undefined || otherFiles.length === 0) return;
  const isSame = isPerhapsSame(source, otherFiles);
  const text = isSame
    ? `The repository of ${source.path} is unknown, so another repository's file may have the name ${name}, too`
    : `Another file was applied under the name ${name}: ${otherFiles.map((path) => shownPath(path, source)).join(", ")}`;
  const prunes =
    choices.prune && items.some(({ action }) => action === "delete" || action === "release");
  if (source.hasOwnName) {
    if (prunes && !isSame) warn(`${text}. --prune deletes what only that file contains.`);
    return;
  }
  if (!prunes) {
    const isMissed = others.some(({ owners }) => owners.includes(name));
    if (isMissed || !isSame) {
      warn(`${text}. Give each file a name of its own, with a line such as name: my-routing.`);
    }
    return;
  }
  throw new ConflictError(text, {
    detail: "--prune would delete what only that file contains.",
    remedy: `Give each file a name of its own, with a line such as name: my-routing, and apply it. If it is the same file${isSame ? "" : ", which has moved"}, add the line name: ${name}.`,
    done: "Nothing was changed.",
    data: { name, otherFiles },
  });
}

/** Whether the only other file that is known may be this one. */
function isPerhapsSame({ path, isUnknown }: AppliedFile, otherFiles: readonly string[]): boolean {
  return isUnknown === true && otherFiles.every((other) => other === path);
}

function shownPath(path: string, { folder }: AppliedFile): string {
  if (folder !== undefined) return join(folder, path);
  return path.includes(":") ? path : `${path} of an unknown repository`;
}

type Files = FileContext["files"];

interface Repository {
  /** Its host and path, equal for every clone: `github.com/acme/routing`. */
  readonly name: string;
  /** The folder that paths in the repository begin at. */
  readonly root: string;
}

/**
 * Finds the repository of a file, by the address that it was cloned from, or else by what the CI
 * job says of its checkout. Undefined where neither is known.
 * @param place the path of the file without links
 */
async function findRepository(
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
 * Host and path of an address, without user and password; undefined for a folder of one machine,
 * which is another repository elsewhere.
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
