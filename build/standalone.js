/**
 * Builds the standalone program, by Bun: `npm run build:standalone [-- --target linux-x64,… | all]`.
 * Writes `dist/standalone/amp` for this machine or, with targets named, `amp-<target>` for each;
 * beside them SHA256SUMS and install.sh. `--out` is another folder.
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
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { AS_TEXT, licencesOf } from "./licences.ts";
import { runtimeFor, TARGETS } from "./runtimes.ts";
import { stamped } from "./stamp.ts";

const { values } = parseArgs({
  options: {
    target: { type: "string", multiple: true },
    out: { type: "string", default: "dist/standalone" },
  },
});
const OUT = values.out;
/** After this time a program that waits does nothing else, also on a busy machine. */
const ANSWER_MS = 2_000;
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
const stamp = await stampWith([...licencesOf([...filesOf(draft.metafile), AS_TEXT]), runtime]);

mkdirSync(OUT, { recursive: true });
const orders = await recordOrder();
for (const target of targets) await compile(target);
for (const order of orders) rmSync(order);
copyFileSync("build/install.sh", join(OUT, "install.sh"));
writeSums();

/** One program; without a target that of this machine, by the runtime that runs this. */
async function compile(target) {
  const file = join(OUT, fileOf(target));
  // In its place by a rename: one that runs goes on with the old one.
  const outfile = join(OUT, `new-${fileOf(target)}`);
  const executablePath = target === undefined ? undefined : runtimeFor(target);
  const runtime = target === undefined ? {} : { target: `bun-${TARGETS[target]}`, executablePath };
  await build({ ...runtime, outfile, bytecodeOrder: orders });
  chmodSync(outfile, 0o755);
  renameSync(outfile, file);
  const megabytes = (statSync(file).size / 1e6).toFixed(0);
  process.stdout.write(`${file}: ${megabytes} MB\n`);
}

async function build(compile) {
  const { logs } = await Bun.build({
    ...options,
    bytecode: true,
    plugins: [stamp],
    compile: {
      ...compile,
      // Most runs end before compiled code pays for its compiling: a list of 20 takes a fifth less
      // of the processor, one of 100,000 as much as before.
      jitPolicy: 32,
      // A file of the folder that amp is called in must not change what amp is.
      autoloadDotenv: false,
      autoloadBunfig: false,
    },
  });
  // Bun only warns where it does not use an order, and two builds would then differ.
  if (logs.length > 0) throw new Error(logs.join("\n"));
}

/**
 * Records which functions a list uses: their bytecode is then laid out and read together, which takes a
 * twentieth off the time of a list, and 2 MB off its memory.
 * @returns the paths of the records, which `bytecodeOrder` reads
 */
async function recordOrder() {
  const program = join(OUT, `recording-${fileOf(undefined)}`);
  await build({ outfile: program });
  const installation = {
    id: "1",
    projectId: "recording",
    integrationId: "2",
    healthStatus: "healthy",
    connection: { provider: "salesforce" },
    createTime: "2026-01-01T00:00:00Z",
    createdBy: "consumer:3",
    config: {},
  };
  const service = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    // What the program does while it waits would otherwise be before or after the answer, by chance.
    fetch: () => Bun.sleep(ANSWER_MS).then(() => Response.json([installation])),
  });
  const env = {
    AMP_CONFIG_DIR: OUT,
    AMP_BASE_URL: `${service.url.origin}/v1`,
    AMP_API_KEY: "recording",
    AMP_PROJECT: "recording",
  };
  const list = ["installations", "list", "00000000-0000-4000-8000-000000000000"];
  const files = [];
  for (const format of ["json", "table"]) {
    const file = join(OUT, `order-of-${format}`);
    const run = Bun.spawn([resolve(program), ...list, "-o", format], {
      env: { ...env, BUN_BYTECODE_ORDER_OUT: file },
      stdout: "ignore",
      stderr: "pipe",
    });
    // A warning, too, means that other functions were used than those of most lists.
    const told = await run.stderr.text();
    if ((await run.exited) !== 0 || told !== "") throw new Error(`the recorded list: ${told}`);
    files.push(file);
  }
  await service.stop(true);
  rmSync(program);
  return files;
}

/**
 * Puts stamps in place of files.
 * @param {readonly import("../src/runtime/licences.ts").Licence[]} licences
 * @returns {Promise<import("bun").BunPlugin>}
 */
async function stampWith(licences) {
  const stamps = await stamped("standalone", licences);
  const filter = /[/\\](?:src[/\\].+\.ts|(?:chalk|commander|ky)[/\\].+\.js)$/;
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
