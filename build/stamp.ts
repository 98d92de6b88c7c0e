import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import type { Plugin } from "esbuild";
import type { Build } from "../src/build.ts";
import type { Licence } from "../src/licences.ts";

/** The version of amp. */
const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };

/**
 * A plugin, for esbuild and for Bun alike, that writes anew what only a build knows: the files of
 * `src` that say so.
 * @param licences of what is embedded
 */
export function stamp(
  kind: Exclude<Build["kind"], "source">,
  licences: readonly Licence[],
): Plugin {
  const commit = commitOf();
  const files = {
    version: { version },
    build: { build: { kind, ...(commit === undefined ? {} : { commit }) } satisfies Build },
    licences: { licences },
  };
  return {
    name: "stamp",
    setup({ onLoad }) {
      for (const [file, values] of Object.entries(files)) {
        const contents = Object.entries(values)
          .map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};`)
          .join("\n");
        onLoad({ filter: new RegExp(`[/\\\\]src[/\\\\]${file}\\.ts$`) }, () => ({
          contents,
          loader: "js",
        }));
      }
    },
  };
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
