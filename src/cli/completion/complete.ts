import { readFileSync, statSync } from "node:fs";
import { type FolderEnvironment, usualConfigFolder } from "../../config/folders.ts";
import { answer } from "./answer.ts";
import { loadTable } from "./table.ts";

/**
 * What a shell may offer. Asked at every Tab: it loads no command, and reads nothing but the names of
 * the profiles. Nothing for anything that fails.
 */
export async function complete(
  asked: readonly string[],
  around: FolderEnvironment,
): Promise<string> {
  try {
    return answer(await loadTable(), asked, () => profileNames(around));
  } catch {
    return "";
  }
}

/** The names in the file of profiles, and the one that is built in. */
function profileNames(around: FolderEnvironment): string[] {
  const path = `${around.env.AMP_CONFIG_DIR ?? usualConfigFolder(around)}/config.json`;
  const isFile = statSync(path, { throwIfNoEntry: false })?.isFile() === true;
  const saved = isFile ? Object.keys(JSON.parse(readFileSync(path, "utf8")).profiles ?? {}) : [];
  return [...saved.filter((name) => name !== "sandbox").sort(), "sandbox"];
}
