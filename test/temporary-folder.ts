import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folders: string[] = [];
let removesAtExit = false;

/**
 * Makes a folder that is removed when the test file ends, or the program. Tests, benchmarks and the
 * demo make their folders by this alone, so that nothing stays behind.
 * @param parent by default the temporary folder, which is one of its own in a test run: see
 *   `temporary-root.ts`
 */
export function temporaryFolder(parent: string = tmpdir()): string {
  if (!removesAtExit) removeAtExit();
  const folder = realpathSync(mkdtempSync(join(parent, "amp-test-")));
  folders.push(folder);
  return folder;
}

/** Removes the folders that were made so far. */
export function removeTemporaryFolders(): void {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}

/** A signal ends a process without its exit handlers, unless it is handled. */
function removeAtExit(): void {
  removesAtExit = true;
  process.once("exit", removeTemporaryFolders);
  // Vitest handles the signals of its workers itself.
  if (process.env.VITEST !== undefined) return;
  process.once("SIGINT", () => process.exit(130));
  process.once("SIGTERM", () => process.exit(143));
}
