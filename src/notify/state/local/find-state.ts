import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { open, readdir, rename } from "node:fs/promises";
import { join } from "node:path";
import type { CommandContext } from "../../../context/command-context.ts";
import { ConflictError } from "../../../errors.ts";
import type { LockRequest, StateBackend } from "../backend.ts";
import { isSameTarget, type StateTarget } from "../state.ts";

/**
 * Asks the service for the ID and the name of a project: a state belongs to the ID, whichever of the
 * two was typed.
 * @returns the target as it was given, where the service does not report the project
 */
export async function identifyTarget(
  { api, world }: Pick<CommandContext, "api" | "world">,
  given: StateTarget,
): Promise<StateTarget> {
  // Imported when a state is made: most runs have one.
  const [{ listProjects }, { isUnavailable }] = await Promise.all([
    import("../../../api/operations/endpoints.ts"),
    import("../../../api/operations/optional-operation.ts"),
  ]);
  const projects = await api.call(listProjects, {}).catch((error: unknown) => {
    // A credential may be allowed to use one project, and not to list any.
    if (isUnavailable(error)) return [];
    throw error;
  });
  const byId = projects.filter(({ id }) => id === given.project);
  const found = byId.length > 0 ? byId : projects.filter(({ name }) => name === given.project);
  const [project] = found;
  const named = world();
  const target = named === undefined ? given : { ...given, world: named };
  if (project === undefined || found.length > 1) return target;
  const { id, name } = project;
  return { ...target, project: id, ...(typeof name === "string" && name !== "" ? { name } : {}) };
}

/**
 * Sets the state of an earlier world of a sandbox aside: what it knows does not exist in this one. A
 * state without a world stays.
 * @param identify asks the service which world it is
 * @returns the new place of the state; undefined if it stays
 */
export async function setAsideEarlierSandbox(
  { location: path, withLock }: Pick<StateBackend, "location" | "withLock">,
  request: LockRequest,
  identify: () => Promise<StateTarget>,
): Promise<string | undefined> {
  const worldNow = async () => (await targetOf(path).catch(() => undefined))?.world;
  const own = await worldNow();
  if (own === undefined) return undefined;
  const { world } = await identify();
  if (world === undefined || world === own) return undefined;
  const aside = `${path}.earlier-world`;
  return withLock(request, async () => {
    // Another run may have done it in the meantime.
    if ((await worldNow()) !== own) return undefined;
    await rename(path, aside);
    return aside;
  });
}

/**
 * Finds the default file of a project's state: the one that a run has made for it by ID or name, and
 * for a new one a path by ID.
 * @param identify finds the project's ID and name; called where no file has what was given
 * @throws {ConflictError} if the project has several
 */
export async function findStateFile(
  folder: string,
  given: StateTarget,
  identify: () => Promise<StateTarget>,
): Promise<string> {
  const file = onlyOne(await stateFilesOf(folder, given), given);
  if (file !== undefined) return file;
  const known = await identify();
  return onlyOne(await stateFilesOf(folder, known), given) ?? defaultStateFile(folder, known);
}

function onlyOne([file, other]: readonly string[], { project }: StateTarget): string | undefined {
  if (other === undefined) return file;
  throw new ConflictError(`Project ${project} has two states: ${file} and ${other}`, {
    detail: "One was made for the project's ID, and one for its name.",
    remedy: "Compare them, and move one away, or choose one with --state.",
    done: "Nothing was sent.",
  });
}

async function stateFilesOf(folder: string, target: StateTarget): Promise<string[]> {
  const names = await readdir(folder).catch((): string[] => []);
  const files = names.filter((name) => name.endsWith(".json")).sort();
  const paths = files.map((name) => join(folder, name));
  const targets = await Promise.all(paths.map((path) => targetOf(path).catch(() => undefined)));
  return paths.filter((path, at) => {
    const own = targets[at];
    if (own === undefined || !isSameTarget(own, target)) return false;
    // A copy under another name is the user's own affair.
    return defaultStateFile(folder, own) === path;
  });
}

/** The head of a state has its target; the whole may have megabytes. */
const HEAD_BYTES = 4096;

async function targetOf(path: string): Promise<StateTarget | undefined> {
  // A named pipe without a writer would never open.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    const [, target] = /"target": (\{[^{}]*\})/u.exec(buffer.toString("utf8", 0, bytesRead)) ?? [];
    return target === undefined ? undefined : (JSON.parse(target) as StateTarget);
  } finally {
    await file.close();
  }
}

/** The default file of a target's state. The name is readable, and unique by its hash. */
export function defaultStateFile(folder: string, target: StateTarget): string {
  const { origin, basePath, project } = target;
  const { hostname, port, protocol } = new URL(origin);
  const usualPort = protocol === "http:" ? "80" : "443";
  const words = [hostname, port || usualPort, basePath.replace(/^\/+/u, ""), project]
    .map((word) => word.replaceAll(/[^A-Za-z\d.-]+/gu, "-"))
    .filter((word) => word !== "")
    .join("_")
    .slice(0, 120);
  const hash = createHash("sha256").update(JSON.stringify([origin, basePath, project]));
  return join(folder, `${words}_${hash.digest("hex").slice(0, 8)}.json`);
}
