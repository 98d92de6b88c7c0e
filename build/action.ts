import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** What CI systems read from the root of a repository, at the tag that a workflow names. */
const READ_BY_CI = ["action.yml", "templates", ".pre-commit-hooks.yaml"];

/**
 * Writes what the tag of a release holds in the repository that workflows, pipelines and hooks name:
 * the npm archive unpacked, since `dist/` is not committed here, and the files that they read.
 */
export function writeAction(archive: string, out: string): void {
  mkdirSync(out);
  execFileSync("tar", ["-xzf", archive, "-C", out, "--strip-components=1"]);
  for (const name of READ_BY_CI) cpSync(name, join(out, name), { recursive: true });
  const path = join(out, "package.json");
  // pre-commit would install the tools of the build, and run it.
  const { scripts, devDependencies, overrides, ...used } = JSON.parse(readFileSync(path, "utf8"));
  writeFileSync(path, `${JSON.stringify(used, undefined, 2)}\n`);
}
