import { isMetadata, type Metadata } from "../metadata.ts";
import { mapOf } from "./fields.ts";
import type { Problems } from "./problems.ts";
import type { Tree } from "./tree.ts";

/** Reads the metadata of a destination: whatever its type may want, as long as it is JSON. */
export function readMetadata(tree: Tree, problems: Problems): Metadata {
  const wanted = { what: "metadata", example: "{ url: https://hooks.example.com/amp }" };
  const map = mapOf(tree, wanted, problems);
  const value = map === undefined ? {} : jsonOf(map, problems);
  return isMetadata(value) ? value : {};
}

function jsonOf(tree: Tree, problems: Problems): unknown {
  if (tree.kind === "list") return tree.items.map((item) => jsonOf(item, problems));
  if (tree.kind === "map") {
    return Object.fromEntries(tree.entries.map(({ key, value }) => [key, jsonOf(value, problems)]));
  }
  const { value } = tree;
  if (typeof value === "number" && !isExact(value)) {
    problems.add(tree.at, "this number cannot be sent as it stands here: put it in quotes");
  }
  return value;
}

/** JSON has no infinity, and a long number would lose its last digits. */
function isExact(value: number): boolean {
  return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
}
