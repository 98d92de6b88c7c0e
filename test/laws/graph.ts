import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type Import, importsOf } from "./imports.ts";

const SRC = fileURLToPath(new URL("../../src/", import.meta.url));

/** A file of `src` and the files of `src` that it imports. */
export interface SourceFile {
  /** Relative to `src`. */
  readonly path: string;
  readonly text: string;
  readonly imports: readonly Import[];
}

/** All files of `src`, each with its imports of other files and of packages. */
export function sourceFiles(): SourceFile[] {
  const paths = readdirSync(SRC, { recursive: true, encoding: "utf8" })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => path.endsWith(".ts"))
    .sort();
  return paths.map((path) => {
    const text = readFileSync(SRC + path, "utf8");
    return { path, text, imports: importsOf(path, text) };
  });
}

/**
 * The groups of files that import each other in a circle, type-only imports included. A lazy import
 * does not count: it is how a route reaches its command.
 */
export function circles(files: readonly Pick<SourceFile, "path" | "imports">[]): string[][] {
  const edges = new Map(
    files.map(({ path, imports }) => [
      path,
      imports.filter(({ kind }) => kind !== "lazy").map(({ target }) => target),
    ]),
  );
  const found: string[][] = [];
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  // Tarjan's algorithm: a strongly connected component of more than one file is a circle.
  const visit = (path: string): number => {
    const at = order.size;
    order.set(path, at);
    lowest.set(path, at);
    stack.push(path);
    for (const target of edges.get(path) ?? []) {
      if (!edges.has(target)) continue;
      const reached = order.has(target) ? order.get(target) : visit(target);
      const reach = stack.includes(target) ? Math.min(reached ?? at, lowest.get(target) ?? at) : at;
      lowest.set(path, Math.min(lowest.get(path) ?? at, reach));
    }
    if (lowest.get(path) === at) {
      const component = stack.splice(stack.indexOf(path));
      if (component.length > 1) found.push(component.sort());
    }
    return lowest.get(path) ?? at;
  };
  for (const { path } of files) if (!order.has(path)) visit(path);
  return found;
}

const EXPORTED =
  /^export (?:async )?(?:type|interface|(?:abstract )?class|function\*?|const|let) (\w+)/gmu;

/** The names that more than one file exports, each with those files. */
export function namesTwice(files: readonly Pick<SourceFile, "path" | "text">[]): string[] {
  const where = new Map<string, string[]>();
  for (const { path, text } of files) {
    for (const [, name = ""] of text.matchAll(EXPORTED)) {
      where.set(name, [...(where.get(name) ?? []), path]);
    }
  }
  return [...where].flatMap(([name, paths]) =>
    new Set(paths).size > 1 ? [`${name}: ${paths.join(", ")}`] : [],
  );
}
