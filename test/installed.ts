import { execFileSync } from "node:child_process";

/** Whether a shell is there to be tried. */
export function installed(shell: string): boolean {
  try {
    execFileSync(shell, ["-c", "exit 0"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
