import { existsSync, readdirSync, rmSync } from "node:fs";
import { builtinModules } from "node:module";
import { join } from "node:path";
import { build } from "esbuild";
import { licencesOf } from "./licences.ts";
import { stamp } from "./stamp.ts";

/**
 * An `import` of a built-in module makes Node read every one of its exports, the dear lazy ones
 * included (`node:process` alone costs 5 to 12 ms). Asked for this way they cost nothing.
 */
const lazyBuiltins = {
  name: "lazy-builtins",
  setup({ onResolve, onLoad }) {
    const names = builtinModules.filter((name) => !name.includes(":")).join("|");
    onResolve({ filter: new RegExp(`^(node:)?(${names})$`) }, ({ path }) => ({
      path,
      namespace: "builtin",
    }));
    onLoad({ filter: /.*/, namespace: "builtin" }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)})`,
      loader: "js",
    }));
  },
};

/** @type {import("esbuild").BuildOptions} */
const options = {
  entryPoints: [
    { in: "src/main.ts", out: "main" },
    { in: "src/config/keyring-child.ts", out: "keyring-child" },
  ],
  // Native: it is installed beside the bundle, where the platform has it.
  external: ["@napi-rs/keyring"],
  outdir: "dist",
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node22.12",
  minifySyntax: true,
  minifyWhitespace: true,
  keepNames: true,
  legalComments: "linked",
  metafile: true,
  logLevel: "warning",
  // Its CommonJS build, which Node is offered, loses its names where it is imported dynamically.
  alias: { yaml: "./node_modules/yaml/browser/index.js" },
  banner: {
    // Bundled CommonJS packages ask for built-ins with `require`.
    js: 'const require = (name) => process.getBuiltinModule(name) ?? (() => { throw new Error("no module " + name) })();',
  },
};

// What is embedded is known once it is built, and belongs into what is built.
const draft = await build({ ...options, plugins: [lazyBuiltins], write: false });
// The standalone program, beside it, has a build of its own.
for (const name of existsSync("dist") ? readdirSync("dist", { withFileTypes: true }) : []) {
  if (name.isFile()) rmSync(join("dist", name.name));
}
const result = await build({
  ...options,
  plugins: [lazyBuiltins, stamp("bundle", licencesOf(draft.metafile))],
});
const bytes = Object.values(result.metafile.outputs).reduce((sum, { bytes }) => sum + bytes, 0);
process.stdout.write(
  `dist: ${Object.keys(result.metafile.outputs).length} files, ${bytes} bytes\n`,
);
