import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** The version of amp. */
export const { version } = JSON.parse(readFileSync("package.json", "utf8"));

/**
 * A plugin, for esbuild and for Bun alike, that writes anew what only a build knows: the files of
 * `src` that say so.
 * @param {"bundle" | "standalone"} kind
 * @param {readonly object[]} licences of what is embedded
 */
export function stamp(kind, licences) {
  const commit = commitOf();
  const files = {
    version: { version },
    build: { build: { kind, ...(commit === undefined ? {} : { commit }) } },
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
function commitOf() {
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
