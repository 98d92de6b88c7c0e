import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { brotliCompressSync, constants } from "node:zlib";
import { STUB_FILES, stubOf } from "../src/cli/completion/stubs.ts";
import { loadTable } from "../src/cli/completion/table.ts";
import type { Build } from "../src/runtime/build.ts";
import type { Licence } from "../src/runtime/licences.ts";
import { answerChecks } from "./answer-checks.ts";
import { buildPage } from "./page.ts";

/** The version of amp. */
const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };

type Kind = Exclude<Build["kind"], "source">;

/**
 * What a build puts in place of files of `src`: those that hold what only a build knows or makes, and
 * the one that loads a package which a build embeds; and in place of files of packages that import
 * built-in modules which amp does not use.
 * @param licences of what is embedded
 * @returns the text of such a file by its path, `undefined` for any other
 */
export async function stamped(
  kind: Kind,
  licences: readonly Licence[],
): Promise<(path: string) => string | undefined> {
  const commit = commitOf();
  const build: Build = { kind, ...(commit === undefined ? {} : { commit }) };
  const texts = new Map([
    ["src/runtime/version.ts", `export const version = ${JSON.stringify(version)};`],
    ["src/runtime/build.ts", `export const build = ${JSON.stringify(build)};`],
    ["src/runtime/licences.ts", `export const licences = ${JSON.stringify(licences)};`],
    ["src/api/answer/compiled-checks.ts", await answerChecks()],
    ["src/page/html.ts", await pageModule()],
    ["src/cli/completion/table.ts", await tableModule(kind)],
    [
      "src/cli/completion/stubs.ts",
      `const stubs = ${JSON.stringify(stubs())}; export const stubOf = (shell) => stubs[shell];`,
    ],
    [
      "src/ui/string-width.ts",
      `export const loadStringWidth = () => require("string-width").default;`,
    ],
    ["src/ui/jq-engine.ts", jqEngine()],
    ...editedPackages(kind),
    ...(kind === "bundle" ? ownFetch() : []),
  ]);
  return (path) =>
    texts.get(/^.*\/((?:src|node_modules)\/.+)$/u.exec(path.replaceAll("\\", "/"))?.[1] ?? "");
}

async function pageModule(): Promise<string> {
  const page = JSON.stringify(await buildPage());
  // The standalone program is ASCII.
  const ascii = page.replaceAll(
    /[^\0-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return `const page = ${ascii}; export const loadPage = async () => page;`;
}

/** The file beside the bundle that has what a shell is offered at Tab. */
export const TABLE_FILE = "complete.json";

export const completionTable = async () => JSON.stringify(await loadTable());

/** JSON is read faster than code, and by Node faster from a file of its own than as a text in code. */
async function tableModule(kind: Kind): Promise<string> {
  if (kind === "standalone") {
    const table = JSON.stringify(await completionTable());
    return `export const loadTable = () => JSON.parse(${table});`;
  }
  return `
    import { readFileSync } from "node:fs";
    export const loadTable = () =>
      JSON.parse(readFileSync(\`\${__dirname}/${TABLE_FILE}\`, "utf8"));`;
}

/** What `amp completion` prints, by shell. */
function stubs(): Record<string, string> {
  const shells = Object.keys(STUB_FILES) as (keyof typeof STUB_FILES)[];
  return Object.fromEntries(shells.map((shell) => [shell, stubOf(shell)]));
}

interface Edit {
  readonly from: string | RegExp;
  readonly to: string;
}

/** The import in files of commander that Bun takes milliseconds for, and what Bun has itself. */
const STRIP = {
  from: "import { stripVTControlCharacters } from 'node:util';",
  to: "const stripVTControlCharacters = (text) => Bun.stripANSI(text);",
};

/** A comment that the licences repeat, and whose only sign beyond ASCII doubles the file in memory. */
const COPYRIGHT = { from: "/*! MIT License © Sindre Sorhus */", to: "" };

/**
 * Files of packages without built-in modules that the runtime would load at every start. amp has no
 * commands that are programs of their own, which commander would spawn, and decides about colours
 * itself, for which chalk would look at the terminal.
 */
function editedPackages(kind: Kind): [string, string][] {
  const strip = kind === "standalone" ? [STRIP] : [];
  const builtIns = {
    from: /^import childProcess .*^import process from 'node:process';$/msu,
    to: "const childProcess = undefined, path = undefined, fs = undefined;",
  };
  return [
    edited("node_modules/commander/lib/command.js", [builtIns, ...strip]),
    edited("node_modules/commander/lib/help.js", strip),
    // Bun takes a quarter of a millisecond to read the class of all letters; options of amp are ASCII.
    edited("node_modules/commander/lib/option.js", [{ from: "\\p{ID_Continue}", to: "\\w" }]),
    edited("node_modules/ky/distribution/index.js", [COPYRIGHT]),
    edited("node_modules/ky/distribution/core/constants.js", [
      // It makes a stream and a request to find out, at every start. Node and Bun support them.
      {
        from: /(?<=export const supportsRequestStreams = )\(\(\) => \{.*?^\}\)\(\)/msu,
        to: "true",
      },
    ]),
    [
      "node_modules/chalk/source/vendor/supports-color/index.js",
      "export default { stdout: false, stderr: false };",
    ],
  ];
}

/**
 * The fetch of the npm package, without HTTP/2, in which a create would share its connection, and
 * without the second parser of undici. amp sends no forms, checks no integrity of subresources and
 * shares nothing with workers, for which undici would load `crypto` and `worker_threads`.
 */
function ownFetch(): [string, string][] {
  const folder = "node_modules/undici/lib";
  const classes = ["FormData", "Headers", "Request", "Response"];
  return [
    [
      "src/api/network/own-fetch.ts",
      [
        `import { fetch } from "undici/lib/web/fetch/index.js";`,
        ...classes.map(
          (name) => `import { ${name} } from "undici/lib/web/fetch/${name.toLowerCase()}.js";`,
        ),
        `Object.assign(globalThis, { fetch, ${classes.join(", ")} });`,
      ].join("\n"),
    ],
    edited(`${folder}/global.js`, [
      // Not that of Node's own copy either, if something has loaded it.
      {
        from: /^if \(getGlobalDispatcher\(\) === undefined\) \{\n {2}setGlobalDispatcher\(new Agent\(\)\)\n\}/mu,
        to: "setGlobalDispatcher(new Agent({ allowH2: false }))",
      },
    ]),
    edited(`${folder}/dispatcher/client.js`, [
      { from: "const connectH2 = require('./client-h2.js')", to: "const connectH2 = undefined" },
    ]),
    edited(`${folder}/dispatcher/client-h1.js`, [
      {
        from: /^const \{ H1Parser, getMiloEnabled \} = .*?\{\}$/msu,
        to: "const H1Parser = undefined, getMiloEnabled = () => false",
      },
    ]),
    edited(`${folder}/util/runtime-features.js`, [
      { from: "this.#map.get(feature) ?? this.#detectRuntimeFeature(feature)", to: "false" },
    ]),
    edited(`${folder}/web/webidl/index.js`, [
      {
        from: "const { markAsUncloneable } = require('node:worker_threads')",
        to: "const markAsUncloneable = () => {}",
      },
    ]),
  ];
}

/** jq in one module: no file may lie beside a program. */
function jqEngine(): string {
  const packed = (name: string) =>
    brotliCompressSync(readFileSync(`node_modules/jq-web/${name}`), {
      params: { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_LGWIN]: 24 },
    }).toString("base64");
  return `
    import { brotliDecompressSync } from "node:zlib";
    const script = "${packed("jq.js")}";
    const wasm = "${packed("jq.wasm")}";
    export const readEngine = () => ({
      script: brotliDecompressSync(Buffer.from(script, "base64")).toString("utf8"),
      wasm: Buffer.from(wasm, "base64"),
      isPacked: true,
    });`;
}

function edited(path: string, edits: readonly Edit[]): [string, string] {
  const text = edits.reduce(
    (now, { from, to }) => {
      const changed = now.replace(from, () => to);
      if (changed === now) throw new Error(`${path} does not have: ${from}`);
      return changed;
    },
    readFileSync(path, "utf8"),
  );
  return [path, text];
}

/** The commit that is checked out; `undefined` where this is not a checkout, or there is no git. */
export function commitOf(): string | undefined {
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
