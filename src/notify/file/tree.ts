/** A single value. */
export interface Leaf {
  readonly kind: "leaf";
  /** Where it stands in the text. */
  readonly at: number;
  readonly value: string | number | boolean | null;
  /** As it is written, without quotes: a topic named 123 or yes is text. */
  readonly text: string;
}

/** A list of values. */
export interface List {
  readonly kind: "list";
  readonly at: number;
  readonly items: readonly Tree[];
}

/** A key with its value. */
export interface Entry {
  readonly key: string;
  readonly at: number;
  readonly value: Tree;
}

/** Keys with their values; no key stands twice. */
export interface Mapping {
  readonly kind: "map";
  readonly at: number;
  readonly entries: readonly Entry[];
}

/** A file as it is written: plain data, each part with its offset in the text. */
export type Tree = Leaf | List | Mapping;

/** What a part is, for messages. */
export const KINDS: Readonly<Record<Tree["kind"], string>> = {
  leaf: "a single value",
  list: "a list",
  map: "keys with values",
};

/** Nothing stands there: `key:` and no more, or null. */
export function isNothing(tree: Tree): boolean {
  return tree.kind === "leaf" && tree.value === null;
}

/** The entry of a key. */
export function entryOf(map: Mapping, key: string): Entry | undefined {
  return map.entries.find((entry) => entry.key === key);
}
