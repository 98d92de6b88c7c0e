import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { open, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { temporaryFolder } from "../temporary-folder.ts";
import type { Bench } from "./workbench.ts";

/** Room for a state, its backup, its reserve and their temporary files, and not for much more. */
const SIZE = "256k";

let mountable: boolean | undefined;

/** Whether this machine lets us mount small disks; otherwise the file layer plays the full disk. */
export function canMount(): boolean {
  mountable ??= tryToMount();
  return mountable;
}

function tryToMount(): boolean {
  const folder = temporaryFolder();
  try {
    mount(folder);
    execFileSync("umount", [folder], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function mount(folder: string): void {
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${SIZE}`, "tmpfs", folder], {
    stdio: "ignore",
  });
}

/** Puts the folder on a small disk of its own. */
export function onSmallDisk(bench: Bench, folder: string = dirname(bench.stateFile)): void {
  mkdirSync(folder, { recursive: true });
  mount(folder);
  bench.atEnd(() => {
    execFileSync("umount", ["-l", folder], { stdio: "ignore" });
  });
}

/** Takes the writability of the folder's disk, or gives it back. */
export function remount(folder: string, mode: "ro" | "rw"): void {
  execFileSync("mount", ["-o", `remount,${mode}`, folder], { stdio: "ignore" });
}

/** Fills the disk to its last byte. */
export async function fill(folder: string): Promise<void> {
  const file = await open(join(folder, "filler"), "a");
  try {
    for (let size = 65_536; size >= 1; ) {
      try {
        const { bytesWritten } = await file.write(Buffer.alloc(size));
        if (bytesWritten < size) size >>= 1;
      } catch {
        size >>= 1;
      }
    }
  } finally {
    await file.close();
  }
}

/** Makes room again. */
export async function empty(folder: string): Promise<void> {
  await unlink(join(folder, "filler")).catch(() => {});
}
