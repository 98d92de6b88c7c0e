import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import type { Build } from "../src/runtime/build.ts";
import type { Licence } from "../src/runtime/licences.ts";
import { answerChecks } from "./answer-checks.ts";

/** The version of amp. */
const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };

/**
 * What a build puts in place of files of `src`: those that hold what only a build knows or makes, and
 * the one that loads a package which a build embeds.
 * @param licences of what is embedded
 * @returns the text of such a file by its path, `undefined` for any other
 */
export async function stamped(
  kind: Exclude<Build["kind"], "source">,
  licences: readonly Licence[],
): Promise<(path: string) => string | undefined> {
  const commit = commitOf();
  const build: Build = { kind, ...(commit === undefined ? {} : { commit }) };
  const texts = new Map([
    ["src/runtime/version.ts", `export const version = ${JSON.stringify(version)};`],
    ["src/runtime/build.ts", `export const build = ${JSON.stringify(build)};`],
    ["src/runtime/licences.ts", `export const licences = ${JSON.stringify(licences)};`],
    ["src/api/answer/compiled-checks.ts", await answerChecks()],
    [
      "src/ui/string-width.ts",
      `export const loadStringWidth = () => require("string-width").default;`,
    ],
  ]);
  return (path) => texts.get(/^.*\/(src\/.+)$/u.exec(path.replaceAll("\\", "/"))?.[1] ?? "");
}

/** The commit that is checked out; `undefined` where this is no checkout, or there is no git. */
function commitOf(): string | undefined {
  try {
    const words = ["describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"];
    return execFileSync("git", words, {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
  } catch {
    return undefined;
  }
}
