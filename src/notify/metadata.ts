import { UsageError } from "../errors.ts";

/** The metadata of a destination: a tree whose shape its type decides. */
export type Metadata = Readonly<Record<string, unknown>>;

/** A value of the tree with the keys that lead to it. */
export interface Leaf {
  readonly path: readonly string[];
  readonly value: unknown;
}

/** An object of JSON, no list. */
export function isMetadata(value: unknown): value is Metadata {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Levels; what is nested more is a mistake, and in the end more than the stack takes. */
const DEEPEST = 40;

/** Whether a value of JSON is nested more than metadata ever is. */
export function isTooDeep(value: unknown): boolean {
  let level = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > DEEPEST) return true;
    level = level.flatMap((one) =>
      typeof one === "object" && one !== null ? Object.values(one) : [],
    );
  }
  return false;
}

/** A copy with the value in its place; what stood there is replaced. */
export function place(tree: Metadata, [key, ...rest]: readonly string[], value: unknown): Metadata {
  if (key === undefined) return tree;
  const below = Object.hasOwn(tree, key) ? tree[key] : undefined;
  const next = rest.length === 0 ? value : place(isMetadata(below) ? below : {}, rest, value);
  // Not by assignment: a key named __proto__ is data here.
  return Object.fromEntries([
    ...Object.entries(tree).filter(([name]) => name !== key),
    [key, next],
  ]);
}

/** `headers.X-Team` as the keys of the tree. */
export function keyPath(dotted: string): readonly string[] {
  const path = dotted.split(".");
  if (path.includes("")) throw new UsageError(`${JSON.stringify(dotted)} has an empty part`);
  if (path.length > DEEPEST)
    throw new UsageError(`--metadata: a key has more than ${DEEPEST} parts`);
  return path;
}

/** Every value that is no object, and every empty object, with its path. */
export function leaves(tree: Metadata, above: readonly string[] = []): Leaf[] {
  return Object.entries(tree).flatMap(([key, value]) => {
    const path = [...above, key];
    return isMetadata(value) && Object.keys(value).length > 0
      ? leaves(value, path)
      : [{ path, value }];
  });
}
