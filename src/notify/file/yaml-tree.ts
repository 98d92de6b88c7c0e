import type { Alias, Document, Node, Scalar, YAMLMap } from "yaml";
import { type FileIssues, quoted } from "./issues.ts";

/** A single value. */
export interface YamlScalar {
  readonly kind: "leaf";
  /** Where it stands in the text. */
  readonly at: number;
  readonly value: string | number | boolean | null;
  /** As it is written, without quotes: a topic named 123 or yes is text. */
  readonly text: string;
}

/** A list of values. */
export interface YamlList {
  readonly kind: "list";
  readonly at: number;
  readonly items: readonly YamlTree[];
}

/** A key with its value. */
export interface YamlEntry {
  readonly key: string;
  readonly at: number;
  readonly value: YamlTree;
}

/** Keys with their values; no key stands twice. */
export interface YamlMapping {
  readonly kind: "map";
  readonly at: number;
  readonly entries: readonly YamlEntry[];
}

/** A file as it is written: plain data, each part with its offset in the text. */
export type YamlTree = YamlScalar | YamlList | YamlMapping;

/** What a part is, for messages. */
export const KIND_NAMES: Readonly<Record<YamlTree["kind"], string>> = {
  leaf: "a single value",
  list: "a list",
  map: "keys with values",
};

/** Nothing stands there: `key:` and no more, or null. */
export function isEmpty(tree: YamlTree): boolean {
  return tree.kind === "leaf" && tree.value === null;
}

/** The entry of a key. */
export function entryOf(map: YamlMapping, key: string): YamlEntry | undefined {
  return map.entries.find((entry) => entry.key === key);
}

type Yaml = typeof import("yaml");

/** Bounds what aliases of aliases grow into. */
const MAX_NODES = 200_000;

const MAX_DEPTH = 40;

const UNKNOWN_ANCHOR = "no anchor (&) before this has the name of this alias (*)";

/** The tags that say what is understood without them. */
const KNOWN_TAG = /^(?:!|tag:yaml\.org,2002:(?:str|int|float|bool|null|map|seq))$/u;

/**
 * Turns a parsed document into plain data, its aliases followed.
 * @returns undefined where it is more than can be judged
 */
export function treeOf(yaml: Yaml, document: Document, problems: FileIssues): YamlTree | undefined {
  const targets = aliasTargets(yaml, document);
  /** What an alias would lead back into. */
  const open = new Set<unknown>();
  let parts = 0;
  let isTooMuch = false;

  const read = (node: unknown, at: number, depth: number): YamlTree => {
    const nothing: YamlScalar = { kind: "leaf", at, value: null, text: "" };
    parts += 1;
    if (isTooMuch || !yaml.isNode(node)) return nothing;
    const start = node.range?.[0] ?? at;
    const wrong = wrongSize(parts, depth);
    if (wrong !== undefined) {
      isTooMuch = true;
      problems.error(start, wrong);
      return nothing;
    }
    if (yaml.isAlias(node)) {
      const target = targets.get(node);
      if (target !== undefined && !open.has(target)) return read(target, start, depth + 1);
      // Its name is not told: it may be a password that begins with an asterisk.
      problems.error(
        start,
        target === undefined ? UNKNOWN_ANCHOR : "this alias stands within itself",
      );
      return nothing;
    }
    if (node.tag !== undefined && !KNOWN_TAG.test(node.tag)) {
      problems.error(start, "this tag (!) is not known: remove it");
    }
    if (yaml.isScalar(node)) return leafOf(node, start, problems);
    open.add(node);
    const whole = below(node, start, depth);
    open.delete(node);
    return whole;
  };

  const below = (node: Node, at: number, depth: number): YamlTree => {
    if (yaml.isMap(node)) return { kind: "map", at, entries: entriesOf(node, at, depth) };
    const items = yaml.isSeq(node) ? node.items : [];
    return { kind: "list", at, items: items.map((item) => read(item, at, depth + 1)) };
  };

  const entriesOf = (map: YAMLMap, at: number, depth: number): readonly YamlEntry[] => {
    const entries = new Map<string, YamlEntry>();
    for (const { key: node, value } of map.items) {
      const key = read(node, at, depth + 1);
      const isPlain = yaml.isScalar(node) && node.type === "PLAIN";
      const wrong = wrongKey(key, isPlain, entries);
      if (wrong !== undefined) problems.error(key.at, wrong);
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
  if (parts > MAX_NODES) return "aliases (*name) make too much of this file: use fewer";
  return depth > MAX_DEPTH ? "this is nested too deeply" : undefined;
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
  key: YamlTree,
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

function leafOf(node: Scalar, at: number, problems: FileIssues): YamlScalar {
  const { value, source } = node;
  if (typeof value === "string") {
    if (!value.isWellFormed()) problems.error(at, "this holds half a character (a lone surrogate)");
    return { kind: "leaf", at, value, text: value };
  }
  const isKept = typeof value === "number" || typeof value === "boolean" || value === null;
  if (!isKept) problems.error(at, "this is no value that JSON has: put it in quotes");
  return { kind: "leaf", at, value: isKept ? value : null, text: source ?? String(value) };
}
