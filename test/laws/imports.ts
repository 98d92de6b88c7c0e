import { posix } from "node:path";
import { build } from "esbuild";

/** An import as it is written in a file. */
export interface Import {
  readonly kind: "value" | "lazy" | "type";
  /** A file of `src` (`api/api.ts`), or a package or built-in module with its subpath. */
  readonly target: string;
}

/**
 * The imports of one file of `src`, type-only ones told apart. esbuild parses: once as it is, and
 * once with its type-only imports turned into others.
 */
export async function importsOf(path: string, text: string): Promise<Import[]> {
  const running = await parsed(text);
  const untyped = text
    .replace(/^import type (?=[\w{*])/gmu, "import ")
    .replace(/^export type (?=[{*])/gmu, "export ");
  const written = await parsed(untyped);
  const inTypes = [...text.matchAll(/\bimport\(\s*"([^"]+)"\s*\)/gu)].map((match) => ({
    kind: "type" as const,
    specifier: match[1] ?? "",
  }));
  const known = new Set(running.map(({ specifier }) => specifier));
  const types = [...written, ...inTypes].filter(({ specifier }) => !known.has(specifier));
  return [...running, ...types.map(({ specifier }) => ({ kind: "type" as const, specifier }))].map(
    ({ kind, specifier }) => ({ kind, target: targetOf(path, specifier) }),
  );
}

type Parsed = { readonly kind: "value" | "lazy"; readonly specifier: string };

async function parsed(text: string): Promise<Parsed[]> {
  const found: Parsed[] = [];
  await build({
    stdin: { contents: text, loader: "ts" },
    bundle: true,
    write: false,
    format: "esm",
    logLevel: "silent",
    // Keeps an import whose names are used as types only: it would load the module.
    tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
    plugins: [
      {
        name: "collect",
        setup({ onResolve }) {
          onResolve({ filter: /.*/ }, ({ path, kind }) => {
            if (kind === "entry-point") return undefined;
            found.push({ kind: kind === "dynamic-import" ? "lazy" : "value", specifier: path });
            return { path, external: true };
          });
        },
      },
    ],
  });
  return found;
}

function targetOf(path: string, specifier: string): string {
  return specifier.startsWith(".")
    ? posix.normalize(posix.join(posix.dirname(path), specifier))
    : specifier;
}
