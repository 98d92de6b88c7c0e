import { type Address, addressParts } from "../model/address.ts";
import { expandEvents } from "../model/names.ts";
import { entryOf, offsetOf, type YamlTree } from "./yaml-tree.ts";

/** A place in a text, both counted from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/**
 * The place of a part of a routing file: of a resource by its address, or of the value that a path
 * of keys and list positions leads to.
 */
export type PositionOf = (part: Address | readonly PropertyKey[]) => Position;

/** The places of the parts of a routing file. A part that is not in it has that of what is around it. */
export function positionsIn(tree: YamlTree, text: string): PositionOf {
  const starts = [0, ...[...text.matchAll(/\n/gu)].map(({ index }) => index + 1)];
  return (part) => {
    const isAddress = typeof part === "string";
    const path = isAddress ? pathOf(part, tree) : part;
    const at = offsetOf(tree, path, isAddress && path.length === 2);
    const line = lineAt(starts, at);
    return { line: line + 1, column: at - (starts[line] ?? 0) + 1 };
  };
}

/** The last line that begins at or before an offset. */
function lineAt(starts: readonly number[], at: number): number {
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((starts[middle] ?? 0) <= at) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The path of a resource in the file: a route is an item of a list of its topic. */
function pathOf(address: Address, tree: YamlTree): readonly PropertyKey[] {
  const { kind, names } = addressParts(address);
  const [name = "", other = ""] = names;
  if (kind === "destination") return ["destinations", name];
  if (kind === "topic") return ["topics", name];
  const list = kind === "event-route" ? "events" : "destinations";
  const means = (text: string) =>
    kind === "event-route" ? expandEvents([text]).includes(other) : text === other;
  const path = ["topics", name, list];
  const topic = entryOf(tree, "topics")?.value;
  const items = topic && entryOf(topic, name)?.value;
  const part = items && entryOf(items, list)?.value;
  const texts = part?.kind === "list" ? part.items : [];
  const position = texts.findIndex((item) => item.kind === "scalar" && means(item.text));
  return position < 0 ? path.slice(0, 2) : [...path, position];
}
