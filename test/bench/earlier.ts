/**
 * Builds the package and the standalone program of an earlier commit aside, once, from its own
 * lockfile: `npm run bench:earlier [-- COMMIT]`. Afterwards `npm run bench -- --before` runs them
 * beside the present ones, in the same rounds.
 */
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../built.ts";
import { temporaryFolder } from "../temporary-folder.ts";

/** The last commit before amp began to shrink. */
const FIRST = "5eb93a3e";
const BUILT = join(ROOT, "node_modules/.cache/amp-earlier");

/** What the names of its programs end in. */
export const BEFORE = " before";

/** The folder of the earlier programs; undefined unless a benchmark was asked for them. */
export function earlierFolder(): string | undefined {
  if (!process.argv.includes("--before")) return undefined;
  if (!existsSync(join(BUILT, "commit"))) throw new Error("run npm run bench:earlier first");
  return BUILT;
}

function buildEarlier(commit: string): void {
  const tree = join(temporaryFolder(), "earlier");
  const run = (cwd: string, program: string, ...args: readonly string[]) =>
    execFileSync(program, args, { cwd, stdio: ["ignore", "inherit", "inherit"] });
  run(ROOT, "git", "worktree", "add", "--detach", tree, commit);
  try {
    // Builds the package, too.
    run(tree, "npm", "ci", "--no-audit", "--no-fund");
    run(tree, "npm", "run", "build:standalone");
    rmSync(BUILT, { recursive: true, force: true });
    mkdirSync(BUILT, { recursive: true });
    for (const part of ["bin", "dist", "completions", "package.json"]) {
      cpSync(join(tree, part), join(BUILT, part), { recursive: true });
    }
    writeFileSync(join(BUILT, "commit"), `${commit}\n`);
  } finally {
    run(ROOT, "git", "worktree", "remove", "--force", tree);
  }
}

if (import.meta.main) buildEarlier(process.argv[2] ?? FIRST);
