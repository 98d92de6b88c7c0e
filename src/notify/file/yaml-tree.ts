import type { Alias, Document, Node, Scalar, YAMLMap } from "yaml";
import { type FileIssues, quoted } from "./issues.ts";

/** A single value. */
export interface YamlScalar {
  readonly kind: "scalar";
  /** Offset in the text. */
  readonly at: number;
  readonly value: string | number | boolean | null;
  /** The text as it is written, without quotes: a topic named 123 or yes is text. */
  readonly text: string;
}

/** A key with its value. */
export interface YamlEntry {
  readonly key: string;
  /** Offset of the key in the text. */
  readonly at: number;
  readonly value: YamlTree;
}

/** A YAML document with its aliases followed, each part with its offset in the text. */
export type YamlTree =
  | YamlScalar
  | { readonly kind: "list"; readonly at: number; readonly items: readonly YamlTree[] }
  /** A mapping whose keys are unique. */
  | {
      readonly kind: "mapping";
      readonly at: number;
      readonly entries: ReadonlyMap<string, YamlEntry>;
    };

type Path = readonly PropertyKey[];

/** The entries of the mapping below a key; none where there is no mapping. */
export function entriesBelow(tree: YamlTree, key: string): readonly YamlEntry[] {
  const part = entryOf(tree, key)?.value;
  return part?.kind === "mapping" ? [...part.entries.values()] : [];
}

/** The entry of a key, where the tree is a mapping that has it. */
export function entryOf(tree: YamlTree, key: string): YamlEntry | undefined {
  return tree.kind === "mapping" ? tree.entries.get(key) : undefined;
}

/** The values of the list below a key that have a text: an empty one is an error of the form. */
export function textsAt(tree: YamlTree, key: string): readonly YamlScalar[] {
  const list = entryOf(tree, key)?.value;
  const scalars = list?.kind === "list" ? list.items.filter((item) => item.kind === "scalar") : [];
  return scalars.filter(({ value, text }) => value !== null && text.trim() !== "");
}

/** The text of a single value below a key. */
export function textAt(tree: YamlTree, key: string): string | undefined {
  const value = entryOf(tree, key)?.value;
  return value?.kind === "scalar" && value.value !== null ? value.text : undefined;
}

/**
 * The offset of the part that a path leads to, or of its key. If there is no such part, the offset
 * of the last key on the way.
 */
export function offsetOf(tree: YamlTree, path: Path, isKey = false): number {
  let part = tree;
  let keyAt = tree.at;
  for (const key of path) {
    if (part.kind === "list") {
      part = part.items[Number(key)] ?? part;
      keyAt = part.at;
      continue;
    }
    const entry = entryOf(part, String(key));
    if (entry === undefined) return keyAt;
    keyAt = entry.at;
    part = entry.value;
  }
  return isKey ? keyAt : part.at;
}

/**
 * The plain data of a tree. A value is text as it is written, so that a topic may be named 0123,
 * unless `isTyped` says that YAML decides the type at its path.
 */
export function plainData(
  tree: YamlTree,
  isTyped: (path: readonly string[]) => boolean,
  path: readonly string[] = [],
): unknown {
  if (tree.kind === "list") return tree.items.map((item) => plainData(item, isTyped, path));
  if (tree.kind === "scalar") return tree.value === null || isTyped(path) ? tree.value : tree.text;
  return Object.fromEntries(
    [...tree.entries.values()].map(({ key, value }) => [
      key,
      plainData(value, isTyped, [...path, key]),
    ]),
  );
}

type Yaml = typeof import("yaml");

/** The limit of nodes, because aliases of aliases grow fast. */
const MAX_NODES = 600_000;

const MAX_DEPTH = 40;

const UNKNOWN_ALIAS =
  "unknown alias (*): no earlier anchor (&) has this name; put text that begins with * in quotes";

/** The tags of types that YAML knows without a tag. */
const KNOWN_TAG = /^(?:!|tag:yaml\.org,2002:(?:str|int|float|bool|null|map|seq))$/u;

/**
 * Builds the tree of a parsed document.
 * @returns undefined where the document is too large to go on
 */
export function yamlTree(yaml: Yaml, document: Document, issues: FileIssues): YamlTree | undefined {
  const targets = aliasTargets(yaml, document);
  /** The nodes that are being read: an alias to one of them is circular. */
  const open = new Set<unknown>();
  let nodes = 0;
  let isTooMuch = false;

  const read = (node: unknown, at: number, depth: number): YamlTree => {
    const start = (yaml.isNode(node) ? node.range?.[0] : undefined) ?? at;
    const nothing: YamlScalar = { kind: "scalar", at: start, value: null, text: "" };
    nodes += 1;
    if (isTooMuch || !yaml.isNode(node)) return nothing;
    const problem = sizeProblem(nodes, depth);
    if (problem !== undefined) {
      isTooMuch = true;
      issues.error(start, problem);
      return nothing;
    }
    if (yaml.isAlias(node)) {
      const target = targets.get(node);
      if (target !== undefined && !open.has(target)) return read(target, start, depth + 1);
      // The alias's name is not shown: it may be a password that begins with an asterisk.
      issues.error(start, target === undefined ? UNKNOWN_ALIAS : "the alias contains itself");
      return nothing;
    }
    if (node.tag !== undefined && !KNOWN_TAG.test(node.tag)) {
      issues.error(start, "unknown tag (!): remove it");
    }
    if (yaml.isScalar(node)) return scalarOf(node, start, issues);
    open.add(node);
    const part: YamlTree = yaml.isMap(node)
      ? { kind: "mapping", at: start, entries: entriesOf(node, start, depth) }
      : { kind: "list", at: start, items: node.items.map((one) => read(one, start, depth + 1)) };
    open.delete(node);
    return part;
  };

  const entriesOf = (map: YAMLMap, at: number, depth: number): ReadonlyMap<string, YamlEntry> => {
    const entries = new Map<string, YamlEntry>();
    for (const { key: node, value } of map.items) {
      const key = read(node, at, depth + 1);
      const isPlain = yaml.isScalar(node) && node.type === "PLAIN";
      const problem = keyProblem(key, isPlain);
      if (problem !== undefined) issues.error(key.at, problem);
      if (problem !== undefined || key.kind !== "scalar") continue;
      const { text } = key;
      const before = entries.get(text);
      if (before === undefined) {
        entries.set(text, { key: text, at: key.at, value: read(value, key.at, depth + 1) });
      } else {
        const where = () => `also in line ${issues.placeOf(before.at).line}`;
        issues.error(key.at, () => `duplicate key ${quoted(text)}, ${where()}: keep one`);
      }
    }
    return entries;
  };

  const tree = read(document.contents, 0, 0);
  return isTooMuch ? undefined : tree;
}

function sizeProblem(nodes: number, depth: number): string | undefined {
  if (nodes > MAX_NODES) return "aliases (*) make the file too large: use fewer";
  return depth > MAX_DEPTH ? "too many levels of nesting" : undefined;
}

/** The node of each alias: the last one before it with its anchor. */
function aliasTargets({ visit }: Yaml, document: Document): ReadonlyMap<Alias, Node> {
  const anchors = new Map<string, Node>();
  const targets = new Map<Alias, Node>();
  visit(document, {
    Value: (_key, node) => {
      if (node.anchor !== undefined) anchors.set(node.anchor, node);
    },
    Alias: (_key, alias) => {
      const target = anchors.get(alias.source);
      if (target !== undefined) targets.set(alias, target);
    },
  });
  return targets;
}

function keyProblem(key: YamlTree, isPlain: boolean): string | undefined {
  if (key.kind === "list") return "a key must be text";
  if (key.kind === "mapping")
    return "a key must be text: put a template such as {{ name }} in quotes";
  if (isPlain && key.text === "") return "a key is missing before the colon";
  if (isPlain && key.text === "<<") {
    return "merge keys (<<) are not supported: write the keys out, or use an alias as a whole value";
  }
  return key.text === "__proto__" ? '"__proto__" is not allowed as a name' : undefined;
}

function scalarOf(node: Scalar, at: number, issues: FileIssues): YamlScalar {
  const { value, source } = node;
  if (typeof value === "string") {
    if (!value.isWellFormed()) issues.error(at, "the text is not valid Unicode (a lone surrogate)");
    return { kind: "scalar", at, value, text: value };
  }
  const isJson = typeof value === "number" || typeof value === "boolean" || value === null;
  if (!isJson) issues.error(at, "not a JSON value: put it in quotes");
  return { kind: "scalar", at, value: isJson ? value : null, text: source ?? String(value) };
}
