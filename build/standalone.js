/**
 * Builds the standalone program, by Bun: `npm run build:standalone [-- --target linux-x64,… | all]`.
 * Writes `dist/standalone/amp` for this machine or, with targets named, `amp-<target>` for each;
 * beside them SHA256SUMS and install.sh.
 */
import { createHash } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { licencesOf } from "./licences.ts";
import { runtimeFor, TARGETS } from "./runtimes.ts";
import { stamped } from "./stamp.ts";

const OUT = "dist/standalone";

const { values } = parseArgs({ options: { target: { type: "string", multiple: true } } });
const targets = readTargets(values.target ?? []);

/** @type {import("bun").BuildConfig} */
const options = {
  entrypoints: ["src/main.ts"],
  target: "bun",
  format: "esm",
  // A command loads the bytecode of what it uses, and not that of the whole program.
  splitting: true,
  // Errors are known by the names of their classes.
  minify: { whitespace: true, syntax: true, identifiers: true, keepNames: true },
};

// What is embedded is known once it is built, and belongs into what is built.
const draft = await Bun.build({ ...options, plugins: [await stampWith([])], metafile: true });
for (const output of draft.outputs) {
  // Bun holds such a file as UTF-16, and takes longer to load it.
  if (/[^\0-\x7f]/u.test(await output.text())) throw new Error(`${output.path} is not ASCII`);
}
const runtime = {
  name: "bun",
  version: Bun.version,
  licence: "MIT AND LGPL-2.0-or-later AND others, see the text",
  text: readFileSync("build/bun-licence.md", "utf8"),
};
const stamp = await stampWith([...licencesOf(filesOf(draft.metafile)), runtime]);

mkdirSync(OUT, { recursive: true });
for (const target of targets) await compile(target);
copyFileSync("build/install.sh", join(OUT, "install.sh"));
writeSums();

/** One program; without a target that of this machine, by the runtime that runs this. */
async function compile(target) {
  const executablePath = target === undefined ? undefined : runtimeFor(target);
  const file = join(OUT, fileOf(target));
  // In its place by a rename: one that runs goes on with the old one.
  const outfile = join(OUT, `new-${fileOf(target)}`);
  await Bun.build({
    ...options,
    bytecode: true,
    plugins: [stamp],
    compile: {
      outfile,
      ...(target === undefined ? {} : { target: `bun-${TARGETS[target]}`, executablePath }),
      // Most runs end before compiled code pays for its compiling: a list of 20 takes a fifth less
      // of the processor, one of 100,000 as much as before.
      jitPolicy: 32,
      // A file of the folder that amp is called in must not change what amp is.
      autoloadDotenv: false,
      autoloadBunfig: false,
    },
  });
  chmodSync(outfile, 0o755);
  renameSync(outfile, file);
  const megabytes = (statSync(file).size / 1e6).toFixed(0);
  process.stdout.write(`${file}: ${megabytes} MB\n`);
}

/**
 * Puts stamps in place of files.
 * @param {readonly import("../src/runtime/licences.ts").Licence[]} licences
 * @returns {Promise<import("bun").BunPlugin>}
 */
async function stampWith(licences) {
  const stamps = await stamped("standalone", licences);
  const filter = /[/\\](?:src[/\\].+\.ts|(?:chalk|commander|jq-web|ky)[/\\].+\.js)$/;
  return {
    name: "stamp",
    setup({ onLoad }) {
      onLoad({ filter }, ({ path }) => {
        const contents = stamps(path);
        return contents === undefined ? undefined : { contents, loader: "js" };
      });
    },
  };
}

/** The files that something of is in the build. */
function filesOf({ outputs }) {
  return Object.values(outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([file, { bytesInOutput }]) => (bytesInOutput > 0 ? file : [])),
  );
}

function fileOf(target) {
  if (target === undefined) return process.platform === "win32" ? "amp.exe" : "amp";
  return `amp-${target}${target.startsWith("windows-") ? ".exe" : ""}`;
}

/** `sha256sum -c` reads it. What an earlier build left goes: it may be another version. */
function writeSums() {
  const made = new Set([...targets.map(fileOf), "install.sh"]);
  const lines = readdirSync(OUT)
    .sort()
    .flatMap((name) => {
      if (!made.has(name)) {
        rmSync(join(OUT, name), { recursive: true });
        return [];
      }
      const hash = createHash("sha256")
        .update(readFileSync(join(OUT, name)))
        .digest("hex");
      return [`${hash}  ${name}\n`];
    });
  writeFileSync(join(OUT, "SHA256SUMS"), lines.join(""));
}

/** `[undefined]`: this machine. */
function readTargets(words) {
  const names = words.flatMap((word) => word.split(","));
  if (names.includes("all")) return Object.keys(TARGETS);
  const unknown = names.filter((name) => !Object.hasOwn(TARGETS, name));
  if (unknown.length > 0) {
    process.stderr.write(
      `There is no target ${unknown.join(", ")}. There are: ${Object.keys(TARGETS).join(", ")}, all.\n`,
    );
    process.exit(2);
  }
  return names.length === 0 ? [undefined] : names;
}
