import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT } from "../built.ts";
import { LAYERS, type Law, LEAVES } from "./law.ts";

/** The layers that each layer of a Mermaid diagram has an arrow to; a subgraph stands for its members. */
function arrowsOf(diagram: string): Map<string, Set<string>> {
  const arrows = new Map<string, Set<string>>();
  const members = new Map<string, Set<string>>();
  let group: string | undefined;
  const nameOf = (node: string) => /^[\w.]+/u.exec(node.trim())?.[0] ?? "";
  for (const line of diagram.split("\n")) {
    const [, opened] = /^\s*subgraph (\w+)/u.exec(line) ?? [];
    if (opened !== undefined) {
      group = opened;
      members.set(group, new Set());
    } else if (line.trim() === "end") group = undefined;
    else if (!line.startsWith("flowchart")) {
      const ends = line.split(/-->(?:\|[^|]*\|)?|-\. .*? \.->/u).map((side) => side.split(" & "));
      const [from = [], to = []] = ends.map((side) => side.map(nameOf).filter(Boolean));
      for (const one of from) arrows.set(one, new Set([...(arrows.get(one) ?? []), ...to]));
      if (group !== undefined) for (const one of [...from, ...to]) members.get(group)?.add(one);
    }
  }
  for (const [name, inside] of members) {
    for (const one of inside) {
      arrows.set(one, new Set([...(arrows.get(one) ?? []), ...(arrows.get(name) ?? [])]));
    }
    for (const targets of arrows.values()) {
      if (targets.delete(name)) for (const one of inside) targets.add(one);
    }
  }
  return arrows;
}

/** The layers that the arrows reach from a layer, over others too. */
function reachOf(layer: string, arrows: ReadonlyMap<string, ReadonlySet<string>>): Set<string> {
  const reached = new Set<string>([layer]);
  for (const one of reached) for (const next of arrows.get(one) ?? []) reached.add(next);
  return reached;
}

/** The layer of a path, as the diagram names it. */
function layerOf(path: string): string {
  return path.split("/")[0]?.replace(/^main\.ts$/u, "main") ?? "";
}

/** What CONTRIBUTING.md says beside its diagram: the form of a command record. */
const NOT_DRAWN = "cli/define.ts";

/** The imports of values that the law allows and no arrow reaches. */
function unreached(laws: Readonly<Record<string, Law>>, diagram: string): string[] {
  const arrows = arrowsOf(diagram);
  const layers = new Set(Object.keys(laws).map(layerOf));
  return Object.entries(laws).flatMap(([path, { may = [], lazily = [] }]) => {
    if (LEAVES.includes(layerOf(path))) return [];
    const reached = reachOf(layerOf(path), arrows);
    return [...may, ...lazily].flatMap((target) => {
      const to = layerOf(target);
      const isOther = layers.has(to) && !LEAVES.includes(to) && to !== "io.ts";
      return isOther && !reached.has(to) && target !== NOT_DRAWN ? `${path} -> ${target}` : [];
    });
  });
}

const chapter = readFileSync(join(ROOT, "CONTRIBUTING.md"), "utf8");
const [, diagram = ""] = /```mermaid\n([\s\S]*?)```/u.exec(chapter) ?? [];

describe("the diagram of CONTRIBUTING.md", () => {
  it("reaches everything that the law of imports allows", () => {
    expect(unreached(LAYERS, diagram)).toEqual([]);
  });

  it("has an arrow only where the law allows the import", () => {
    const allowed = new Set(
      Object.entries<Law>(LAYERS).flatMap(([path, { may = [], lazily = [], types = [] }]) =>
        [...may, ...lazily, ...types].map((target) => `${layerOf(path)} -> ${layerOf(target)}`),
      ),
    );
    const drawn = [...arrowsOf(diagram)].flatMap(([from, targets]) =>
      from === "domains" ? [] : [...targets].map((to) => `${from} -> ${to}`),
    );
    expect(drawn.filter((arrow) => !allowed.has(arrow))).toEqual([]);
    expect(drawn.length).toBeGreaterThan(20);
  });

  it("is found incomplete where an arrow is missing", () => {
    const laws = { ui: { may: ["view"] }, cli: { may: ["ui", "api/schemas"] }, "api/schemas": {} };
    expect(unreached(laws, '  cli["x"] --> ui\n  ui -. lazily .-> view')).toEqual([
      "cli -> api/schemas",
    ]);
  });
});
