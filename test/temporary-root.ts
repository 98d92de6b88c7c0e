import {
  existsSync,
  globSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statfsSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { PROVOKED, unprovokedIn } from "./thrown-errors.ts";

/** The variables that name the temporary folder, by platform. */
const VARIABLES = ["TMPDIR", "TEMP", "TMP"];

/** The variable that names the compile cache of a test run, which all of its programs share. */
export const COMPILE_CACHE = "AMP_TEST_COMPILE_CACHE";

/**
 * Gives a test run a temporary folder of its own, and fails the run if a test leaves anything there.
 * The folder goes with the run, also when that is interrupted, and so does the compile cache. What a
 * killed run left is removed by the next. A run of all tests also fails if none provokes one of the
 * errors of the tables; a folder for their names that is given (`AMP_TEST_PROVOKED`) is kept.
 */
export default function setup({ vitest }: TestProject): (() => Promise<void>) | undefined {
  if (process.env[COMPILE_CACHE] !== undefined) return undefined;
  const outside = realpathSync(memoryFolder() ?? tmpdir());
  for (const folder of abandonedIn(outside)) removeFolder(folder);
  const root = mkdtempSync(join(outside, `amp-tests-${process.pid}-`));
  const compiled = mkdtempSync(join(outside, `amp-tests-${process.pid}-compiled-`));
  const kept = process.env[PROVOKED];
  const provoked = kept ?? mkdtempSync(join(outside, `amp-tests-${process.pid}-provoked-`));
  for (const name of VARIABLES) process.env[name] = root;
  process.env[COMPILE_CACHE] = compiled;
  process.env[PROVOKED] = provoked;
  const remove = () => {
    for (const folder of [root, compiled]) removeFolder(folder);
    if (kept === undefined) removeFolder(provoked);
  };
  process.once("exit", remove);
  return async () => {
    const left = leftoversIn(root);
    const unprovoked = (await isWhole(vitest)) ? unprovokedIn(provoked) : undefined;
    remove();
    const complaints = [left, unprovoked].filter((one) => one !== undefined);
    if (complaints.length > 0) throw new Error(complaints.join("\n"));
  };
}

/** What all tests together write, with room to spare. */
const NEEDED_BYTES = 4 * 2 ** 30;

/**
 * The folder of Linux that is kept in memory: amp has each line of its journal synced, and thousands
 * of tests would wait for the disk. Undefined where another folder was asked for, where there is too
 * little room, as in a container by default, or where no program may run.
 */
function memoryFolder(): string | undefined {
  const folder = "/dev/shm";
  if (process.env.TMPDIR || !existsSync(folder)) return undefined;
  const { bavail, bsize } = statfsSync(folder);
  const mount = readFileSync("/proc/mounts", "utf8")
    .split("\n")
    .find((line) => line.split(" ")[1] === folder);
  const isUsable = mount !== undefined && !/\b(?:noexec|ro)\b/u.test(mount);
  return isUsable && bavail * bsize > NEEDED_BYTES ? folder : undefined;
}

async function isWhole(vitest: TestProject["vitest"]): Promise<boolean> {
  const run = new Set(vitest.state.getPaths());
  const isFiltered = vitest.config.testNamePattern !== undefined || Boolean(vitest.config.bail);
  const all = globSync("test/**/*.test.ts", { cwd: vitest.config.root });
  return !isFiltered && all.every((path) => run.has(join(vitest.config.root, path)));
}

/** The folders of test runs whose process has ended: one that is killed cannot remove its own. */
export function abandonedIn(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const pid = /^amp-tests-(?<pid>\d+)-/u.exec(name)?.groups?.pid;
    return pid === undefined || isAlive(Number(pid)) ? [] : join(folder, name);
  });
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Removes a folder, and first ends the programs of interrupted tests that still run in it. */
export function removeFolder(folder: string): void {
  for (const pid of processesIn(folder)) process.kill(pid, "SIGKILL");
  // A process that is just ending may still make a file.
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
}

/** The processes whose working directory is below a folder; none where the system does not list them. */
export function processesIn(folder: string): number[] {
  if (!existsSync("/proc/self/cwd")) return [];
  return readdirSync("/proc").flatMap((name) => {
    try {
      return readlinkSync(`/proc/${name}/cwd`).startsWith(`${folder}/`) ? Number(name) : [];
    } catch {
      // It is not a process, not ours, or it has ended.
      return [];
    }
  });
}

/** The complaint about a folder that should be empty; undefined if it is. */
export function leftoversIn(folder: string): string | undefined {
  const names = readdirSync(folder).sort();
  if (names.length === 0) return undefined;
  return `The tests left these files in the temporary folder: ${names.join(", ")}`;
}
