import { basename, dirname, join, relative, resolve, sep } from "node:path";
import type { CommandContext } from "../context/command-context.ts";
import { ConflictError } from "../errors.ts";
import { type FileContext, type ReadRouting, STANDARD_INPUT } from "./file/read.ts";
import type { Address } from "./model/address.ts";
import type { AppliedFile } from "./model/applied-file.ts";
import type { RoutingModel } from "./model/routing.ts";
import { blockersOf, type PlanChoices, type ShownChoices } from "./plan/blockers.ts";
import { declaredTwiceText, remedyOf } from "./plan/conflict-text.ts";
import type { Plan } from "./plan/plan.ts";
import { findRepository } from "./repository.ts";
import type { StateBackend } from "./state/backend.ts";

/** A routing that was read from a file. */
interface SourcedRouting {
  readonly model: RoutingModel;
  /** Whether its name is in the file, and not only that of the file. */
  readonly hasOwnName: boolean;
}

/**
 * Adds to a routing where its file is, by which the state tells two files of one name apart. A local
 * state knows the paths of its machine, which lead from its folder to the file. One on a server is
 * shared by machines that have the same files elsewhere: it knows the repository, and the path in it.
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
  const more = folder === undefined ? {} : { folder };
  if (model.source) return { ...model, source: { ...model.source, ...more } };
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

/** A routing whose plan is checked, as it was read. */
interface CheckedRouting extends Pick<Partial<ReadRouting>, "positionOf"> {
  readonly model: RoutingModel;
  /** The path as it was typed; absent for a saved plan. */
  readonly file?: string | undefined;
}

/**
 * Checks the plan of a file for what is wrong with the file itself.
 * @throws {ConflictError} where it declares a resource twice
 */
export function checkPlan(
  report: Pick<CommandContext["report"], "warn">,
  plan: Plan,
  routing: CheckedRouting,
  choices: ShownChoices,
): void {
  checkSource(report, plan, routing.model, choices);
  if (choices.keepGoing) return;
  const twice = blockersOf(plan, choices).filter(({ reason }) => reason === "declared_twice");
  const [first] = twice;
  if (first === undefined) return;
  const { positionOf, file } = routing;
  const place = (address: Address) =>
    positionOf && file ? ` (${file}:${positionOf(address).line})` : "";
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
  { items, others, otherFiles = [] }: Pick<Plan, "items" | "others" | "otherFiles">,
  { name = "", source }: RoutingModel,
  { prune }: Pick<PlanChoices, "prune">,
): void {
  if (source === undefined || otherFiles.length === 0) return;
  const isSame = isPerhapsSame(source, otherFiles);
  const text = isSame
    ? `The repository of ${source.path} is unknown, so another repository's file may have the name ${name}, too`
    : `Another file was applied under the name ${name}: ${otherFiles.map((path) => shownPath(path, source)).join(", ")}`;
  const prunes = prune && items.some(({ action }) => action === "prune" || action === "release");
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
