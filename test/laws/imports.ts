import { posix } from "node:path";
import { parseSync, Visitor } from "rolldown/utils";

/** An import as it is written in a file. */
export interface Import {
  readonly kind: "value" | "lazy" | "type";
  /** A file of `src` (`api/api.ts`), or a package or built-in module with its subpath. */
  readonly target: string;
}

/**
 * The imports of one file of `src`, type-only ones told apart. `import { type A }` loads its module,
 * and is a value.
 * @param path relative to `src`, as the targets are
 */
export function importsOf(path: string, text: string): Import[] {
  const found: Import[] = [];
  const add = (kind: Import["kind"], specifier: string) =>
    found.push({ kind, target: targetOf(path, specifier) });
  const { program, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`);
  new Visitor({
    ImportDeclaration: ({ importKind, source }) => add(importKind ?? "value", source.value),
    ExportAllDeclaration: ({ exportKind, source }) => add(exportKind ?? "value", source.value),
    ExportNamedDeclaration({ exportKind, source }) {
      if (source) add(exportKind ?? "value", source.value);
    },
    TSImportType: ({ source }) => add("type", source.value),
    ImportExpression({ source }) {
      if (source.type === "Literal") add("lazy", String(source.value));
    },
    CallExpression({ callee, arguments: [first] }) {
      const isRequire = callee.type === "Identifier" && callee.name === "require";
      if (isRequire && first?.type === "Literal") add("value", String(first.value));
    },
  }).visit(program);
  const running = found.filter(({ kind }) => kind !== "type");
  const loaded = new Set(running.map(({ target }) => target));
  return [
    ...running,
    ...found.filter(({ kind, target }) => kind === "type" && !loaded.has(target)),
  ];
}

function targetOf(path: string, specifier: string): string {
  return specifier.startsWith(".")
    ? posix.normalize(posix.join(posix.dirname(path), specifier))
    : specifier;
}
