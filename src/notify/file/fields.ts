import { nearest } from "../../nearest.ts";
import { type Problems, quoted } from "./problems.ts";
import { type Entry, isNothing, KINDS, type Mapping, type Tree } from "./tree.ts";

/** What a part of the file must be, with an example of how to write it. */
export interface Wanted {
  /** As the beginning of a sentence: `the destinations`. */
  readonly what: string;
  readonly example: string;
}

/** Keys with values; nothing there counts as none. Undefined where it is something else. */
export function mapOf(tree: Tree, wanted: Wanted, problems: Problems): Mapping | undefined {
  if (tree.kind === "map") return tree;
  if (isNothing(tree)) return { kind: "map", at: tree.at, entries: [] };
  problems.add(tree.at, notA("map", tree, wanted));
  return undefined;
}

/** The items of a list; nothing there counts as none. */
export function listOf(tree: Tree, wanted: Wanted, problems: Problems): readonly Tree[] {
  if (tree.kind === "list") return tree.items;
  if (!isNothing(tree)) problems.add(tree.at, notA("list", tree, wanted));
  return [];
}

/** A text; what YAML takes for a number or a truth value is text here. */
export function textOf(tree: Tree, wanted: Wanted, problems: Problems): string | undefined {
  if (tree.kind !== "leaf") problems.add(tree.at, notA("leaf", tree, wanted));
  else if (tree.value === null || tree.text.trim() === "") {
    problems.add(tree.at, `${wanted.what} must not be empty: write for example ${wanted.example}`);
  } else {
    return tree.text;
  }
  return undefined;
}

function notA(kind: Tree["kind"], tree: Tree, { what, example }: Wanted): string {
  return `${what} must be ${KINDS[kind]}, and this is ${KINDS[tree.kind]}: write for example ${example}`;
}

/** The entries of the keys that there are; the others are mistakes. */
export function knownKeys<Key extends string>(
  map: Mapping,
  keys: readonly Key[],
  problems: Problems,
  /** More to say of a key that does not belong here. */
  advice: (key: string) => string | undefined = () => undefined,
): Partial<Record<Key, Entry>> {
  const found: Partial<Record<Key, Entry>> = {};
  for (const entry of map.entries) {
    const key = keys.find((known) => known === entry.key);
    if (key !== undefined) found[key] = entry;
    else problems.add(entry.at, unknownKey(entry.key, keys, advice(entry.key)));
  }
  return found;
}

function unknownKey(key: string, keys: readonly string[], advice: string | undefined): string {
  const near = nearest(key, keys);
  const then = near === undefined ? `here belong ${keys.join(", ")}` : `did you mean ${near}?`;
  return `${quoted(key)} is not known here: ${advice ?? then}`;
}
