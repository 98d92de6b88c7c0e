import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, rename, unlink } from "node:fs/promises";
import { join } from "node:path";
import { readHead } from "../../../durable/read-file.ts";
import { writeFileDurably } from "../../../durable/write-file.ts";
import { ConflictError, UsageError } from "../../../errors.ts";
import { nearest } from "../../../values/nearest.ts";
import type { LockRequest, StateBackend } from "../backend.ts";
import { parseState, splitJournal, stateText } from "../format.ts";
import { isSameTarget, type StateTarget } from "../state.ts";

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
  return withLock(request, async (held) => {
    // Another run may have done it in the meantime.
    if ((await worldNow()) !== own) return undefined;
    const text = await held.read();
    if (text === undefined || splitJournal(text).length === 1) await rename(path, aside);
    else {
      // Its journal stays behind, and so it must not need one.
      await writeFileDurably(aside, stateText(parseState(text, path)));
      await unlink(path);
    }
    return aside;
  });
}

/**
 * Finds the default file of a project's state: the one that a run has made for it by ID or name, and
 * for a new one a path by ID.
 * @param identify finds the project's ID and name; called where no file, or more than one, has what
 *   was given
 * @throws {ConflictError} if the project has several
 */
export async function findStateFile(
  folder: string,
  given: StateTarget,
  identify: () => Promise<StateTarget>,
): Promise<string> {
  const found = await stateFilesOf(folder, given);
  const [file] = found;
  if (file !== undefined && found.length === 1) return file.path;
  const known = await identify();
  // The name may have been that of other projects before.
  const isOthers = ({ name, project }: StateTarget) =>
    name !== undefined && known.name !== undefined && project !== known.project;
  const files = found.length > 0 ? found : await stateFilesOf(folder, known);
  const own = onlyOne(
    files.filter(({ target }) => !isOthers(target)),
    given,
  );
  return own?.path ?? defaultStateFile(folder, known);
}

/** A default file, and the target that it says. */
interface StateFile {
  readonly path: string;
  readonly target: StateTarget;
}

function onlyOne([file, other]: readonly StateFile[], { project }: StateTarget) {
  if (file === undefined || other === undefined) return file;
  throw new ConflictError(`Project ${project} has two states: ${file.path} and ${other.path}`, {
    detail: "One was created for the project's ID, the other for its name.",
    remedy: "Compare them, then move one away, or choose one with --state.",
    done: "Nothing was sent.",
  });
}

async function stateFilesOf(folder: string, target: StateTarget): Promise<StateFile[]> {
  const names = await readdir(folder).catch((): string[] => []);
  const files = names.filter((name) => name.endsWith(".json")).sort();
  const paths = files.map((name) => join(folder, name));
  const targets = await Promise.all(paths.map((path) => targetOf(path).catch(() => undefined)));
  return paths.flatMap((path, at) => {
    const own = targets[at];
    if (own === undefined || !isSameTarget(own, target)) return [];
    // A copy under another name is the user's own affair.
    return defaultStateFile(folder, own) === path ? [{ path, target: own }] : [];
  });
}

/** The head of a state has its target; the whole may have megabytes. */
const HEAD_BYTES = 4096;

async function targetOf(path: string): Promise<StateTarget | undefined> {
  const head = (await readHead(path, HEAD_BYTES)) ?? "";
  const [, target] = /"target": (\{[^{}]*\})/u.exec(head) ?? [];
  return target === undefined ? undefined : (JSON.parse(target) as StateTarget);
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

/**
 * Refuses a single word that is no file yet: it may be a mistyped `gitlab`, whose state would then be
 * a new file that a CI job loses.
 * @throws {UsageError} for such a word
 */
export function assertNotMistyped(named: string, path: string, source: string): void {
  if (!/^[^./\\:]+$/u.test(named) || existsSync(path)) return;
  const meant = nearest(named, ["gitlab"]);
  throw new UsageError(`${source}: ${named} is not the location of a state`, {
    remedy: `${meant === undefined ? "" : `Did you mean ${meant}? `}For a file, write ./${named}.`,
    done: "Nothing was sent.",
  });
}
