import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { rolldown } from "rolldown";
import { isolatedDeclarationSync } from "rolldown/experimental";
import { AS_TEXT, licencesOf } from "./licences.ts";
import { writeManPages } from "./man.ts";
import { completionTable, stamped, TABLE_FILE } from "./stamp.ts";
import { refuseUnresolved } from "./unresolved.ts";

/**
 * Each file costs Node a fraction of a millisecond to find and to open, and each function in it the
 * time to read it. So what is always used together is one file, with all that it imports; what only
 * some commands use stays apart.
 */
const STAGES = [
  stage("start", [
    "main.ts",
    "io.ts",
    "cli/program.ts",
    "commands/routes.ts",
    "values/odd-fields.ts",
    "values/basics.ts",
  ]),
  // Commands name their endpoint when they are declared; help must not load the client with it.
  stage("operations", ["api/operations/"]),
  // What the commands about installations name when they are declared: help must not load the next.
  stage("installations", [
    "inspect/installations.ts",
    "inspect/find-integration.ts",
    "commands/installations/options.ts",
  ]),
  stage("run", ["context/context.ts", "cli/execute.ts", "cli/wait-line.ts", "cli/define.ts"]),
  stage("client", ["api/client/client.ts", "api/network/network.ts"]),
  { name: "zod", test: /[/\\]node_modules[/\\]zod[/\\]/ },
];

const PROGRAM = { main: "src/main.ts", "keyring-child": "src/account/keyring-child.ts" };
const COMPLETE = "src/cli/completion/complete.ts";
const LIBRARY = "src/sandbox/library.ts";

// What is embedded is known once it is built, and belongs into what is built.
const draft = await bundle([], { write: false });
// The standalone program, beside it, has a build of its own.
for (const name of existsSync("dist") ? readdirSync("dist", { withFileTypes: true }) : []) {
  if (name.isFile()) rmSync(join("dist", name.name));
}
const output = [
  ...(await bundle(licencesOf([...modulesOf(draft), AS_TEXT]), { write: true })),
  // Shares no file with the rest: at Tab one file is loaded.
  ...(await bundle([], { write: true, input: { complete: COMPLETE } })),
  // Nor does the library: it must load nothing of the program.
  ...(await bundle([], { write: true, input: { sandbox: LIBRARY } })),
];
writeFileSync(join("dist", "sandbox.d.cts"), declarationsOf(LIBRARY));
writeFileSync(join("dist", TABLE_FILE), await completionTable());
await writeManPages();
const bytes = output.reduce((sum, { code }) => sum + Buffer.byteLength(code), 0);
process.stdout.write(`dist: ${output.length} files, ${bytes} bytes\n`);

/**
 * Files of src that share a file of the bundle; one that was moved is an error.
 * @param {string} name
 * @param {readonly string[]} files
 */
function stage(name, files) {
  const gone = files.filter((file) => !existsSync(`src/${file}`));
  if (gone.length > 0) throw new Error(`STAGES names what is not in src: ${gone.join(", ")}`);
  const paths = files.map((file) => file.replaceAll("/", "[/\\\\]").replace(/\.ts$/, "\\.ts$"));
  return { name, test: new RegExp(`[/\\\\]src[/\\\\](?:${paths.join("|")})`) };
}

/** The types of a module, which must need no other: nobody has the source of one. */
function declarationsOf(file) {
  const { code, errors } = isolatedDeclarationSync(file, readFileSync(file, "utf8"));
  if (errors.length > 0 || /^import /mu.test(code))
    throw new Error(`${file}: ${errors[0] ?? code}`);
  return code;
}

/** @param {readonly import("../src/runtime/licences.ts").Licence[]} licences */
async function bundle(licences, { write, input = PROGRAM }) {
  const stamps = await stamped("bundle", licences);
  const build = await rolldown({
    input,
    platform: "node",
    // Native: it is installed beside the bundle, where the platform has it.
    external: ["@napi-rs/keyring"],
    // Its CommonJS build, which Node is offered, is twice the size.
    resolve: { alias: { yaml: join(process.cwd(), "node_modules/yaml/browser/index.js") } },
    plugins: [
      { name: "stamp", load: (id) => stamps(id) ?? null },
      // bin/amp.js answers at Tab, not the program.
      input === PROGRAM && {
        name: "complete",
        load: (id) => (id === resolve(COMPLETE) ? "export const complete = () => '';" : null),
      },
      {
        name: "ascii",
        generateBundle: (_, files) => Object.values(files).forEach(escapeBeyondAscii),
      },
    ],
    // A type that is used early and a function that is used late may share a file.
    checks: { ineffectiveDynamicImport: false },
    onLog: refuseUnresolved,
  });
  const { output } = await build[write ? "write" : "generate"]({
    dir: "dist",
    // An `import` of a built-in makes Node read every one of its exports, the dear lazy ones
    // included (`node:process` alone costs 5 to 12 ms). `require` does not.
    format: "cjs",
    // The same goes for `import()`, which code that is kept compiled does not have either.
    dynamicImportInCjs: false,
    entryFileNames: "[name].cjs",
    chunkFileNames: "[name]-[hash].cjs",
    // Errors are known by the names of their classes.
    keepNames: true,
    minify: { compress: true, mangle: false, codegen: true },
    codeSplitting: {
      groups: STAGES.map((stage, at) => ({ ...stage, priority: STAGES.length - at })),
    },
  });
  await build.close();
  return output;
}

/**
 * Escapes each sign beyond ASCII, which only literals and comments have: one alone makes V8 hold the
 * file as UTF-16, and take longer to load it.
 */
function escapeBeyondAscii(chunk) {
  if (/\braw`[^`]*[^\0-\x7f]/u.test(chunk.code)) throw new Error(`${chunk.fileName} is not ASCII`);
  chunk.code = chunk.code.replace(
    /[^\0-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** @param {Awaited<ReturnType<typeof bundle>>} output */
function modulesOf(output) {
  return output.flatMap(({ modules }) =>
    Object.entries(modules).flatMap(([file, { renderedLength }]) =>
      renderedLength > 0 ? file : [],
    ),
  );
}
