import type { Alias, Document, Node, Scalar, YAMLMap } from "yaml";
import { type Problems, quoted } from "./problems.ts";
import type { Entry, Leaf, Tree } from "./tree.ts";

type Yaml = typeof import("yaml");

/** Bounds what aliases of aliases grow into. */
const MOST_PARTS = 200_000;

const DEEPEST = 40;

const NOTHING_MARKED = "no anchor (&) before this has the name of this alias (*)";

/** The tags that say what is understood without them. */
const KNOWN_TAG = /^(?:!|tag:yaml\.org,2002:(?:str|int|float|bool|null|map|seq))$/u;

/**
 * Turns a parsed document into plain data, its aliases followed.
 * @returns undefined where it is more than can be judged
 */
export function treeOf(yaml: Yaml, document: Document, problems: Problems): Tree | undefined {
  const targets = aliasTargets(yaml, document);
  /** What an alias would lead back into. */
  const open = new Set<unknown>();
  let parts = 0;
  let isTooMuch = false;

  const read = (node: unknown, at: number, depth: number): Tree => {
    const nothing: Leaf = { kind: "leaf", at, value: null, text: "" };
    parts += 1;
    if (isTooMuch || !yaml.isNode(node)) return nothing;
    const start = node.range?.[0] ?? at;
    const wrong = wrongSize(parts, depth);
    if (wrong !== undefined) {
      isTooMuch = true;
      problems.add(start, wrong);
      return nothing;
    }
    if (yaml.isAlias(node)) {
      const target = targets.get(node);
      if (target !== undefined && !open.has(target)) return read(target, start, depth + 1);
      // Its name is not told: it may be a password that begins with an asterisk.
      problems.add(
        start,
        target === undefined ? NOTHING_MARKED : "this alias stands within itself",
      );
      return nothing;
    }
    if (node.tag !== undefined && !KNOWN_TAG.test(node.tag)) {
      problems.add(start, "this tag (!) is not known: remove it");
    }
    if (yaml.isScalar(node)) return leafOf(node, start, problems);
    open.add(node);
    const whole = below(node, start, depth);
    open.delete(node);
    return whole;
  };

  const below = (node: Node, at: number, depth: number): Tree => {
    if (yaml.isMap(node)) return { kind: "map", at, entries: entriesOf(node, at, depth) };
    const items = yaml.isSeq(node) ? node.items : [];
    return { kind: "list", at, items: items.map((item) => read(item, at, depth + 1)) };
  };

  const entriesOf = (map: YAMLMap, at: number, depth: number): readonly Entry[] => {
    const entries = new Map<string, Entry>();
    for (const { key: node, value } of map.items) {
      const key = read(node, at, depth + 1);
      const isPlain = yaml.isScalar(node) && node.type === "PLAIN";
      const wrong = wrongKey(key, isPlain, entries);
      if (wrong !== undefined) problems.add(key.at, wrong);
      else if (key.kind === "leaf") {
        const entry = { key: key.text, at: key.at, value: read(value, key.at, depth + 1) };
        entries.set(key.text, entry);
      }
    }
    return [...entries.values()];
  };

  const tree = read(document.contents, 0, 0);
  return isTooMuch ? undefined : tree;
}

function wrongSize(parts: number, depth: number): string | undefined {
  if (parts > MOST_PARTS) return "aliases (*name) make too much of this file: use fewer";
  return depth > DEEPEST ? "this is nested too deeply" : undefined;
}

/** What each alias stands for: the last part before it that is marked so. */
function aliasTargets({ visit }: Yaml, document: Document): ReadonlyMap<Alias, Node> {
  const marked = new Map<string, Node>();
  const targets = new Map<Alias, Node>();
  visit(document, {
    Value: (_key, node) => {
      if (node.anchor !== undefined) marked.set(node.anchor, node);
    },
    Alias: (_key, alias) => {
      const target = marked.get(alias.source);
      if (target !== undefined) targets.set(alias, target);
    },
  });
  return targets;
}

function wrongKey(
  key: Tree,
  isPlain: boolean,
  before: ReadonlyMap<string, unknown>,
): string | undefined {
  if (key.kind !== "leaf") return "a key must be text";
  if (isPlain && key.text === "") return "a key is missing before the colon";
  if (isPlain && key.text === "<<") {
    return "merge keys (<<) are not read: write the keys out, or use an alias as a whole value";
  }
  if (key.text === "__proto__") return '"__proto__" cannot be a name: choose another';
  return before.has(key.text)
    ? `the key ${quoted(key.text)} stands here a second time: keep one`
    : undefined;
}

function leafOf(node: Scalar, at: number, problems: Problems): Leaf {
  const { value, source } = node;
  if (typeof value === "string") {
    if (!value.isWellFormed()) problems.add(at, "this holds half a character (a lone surrogate)");
    return { kind: "leaf", at, value, text: value };
  }
  const isKept = typeof value === "number" || typeof value === "boolean" || value === null;
  if (!isKept) problems.add(at, "this is no value that JSON has: put it in quotes");
  return { kind: "leaf", at, value: isKept ? value : null, text: source ?? String(value) };
}
