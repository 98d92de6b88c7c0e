import { rmSync } from "node:fs";
import { builtinModules } from "node:module";
import { build } from "esbuild";

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

rmSync("dist", { recursive: true, force: true });
const result = await build({
  entryPoints: ["src/main.ts"],
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
  plugins: [lazyBuiltins],
  banner: {
    // Bundled CommonJS packages ask for built-ins with `require`.
    js: 'const require = (name) => process.getBuiltinModule(name) ?? (() => { throw new Error("no module " + name) })();',
  },
});
const bytes = Object.values(result.metafile.outputs).reduce((sum, { bytes }) => sum + bytes, 0);
process.stdout.write(
  `dist: ${Object.keys(result.metafile.outputs).length} files, ${bytes} bytes\n`,
);
