import { nearest } from "../../values/nearest.ts";
import { type FileIssues, quoted } from "./issues.ts";
import {
  isEmpty,
  KIND_NAMES,
  type YamlEntry,
  type YamlMapping,
  type YamlTree,
} from "./yaml-tree.ts";

/** The one version of the format that there is. */
export const FILE_VERSION = 1;

/** `$schema` is for editors. */
export const FILE_KEYS = ["version", "project", "destinations", "topics", "$schema"] as const;

/** Of a destination: `id` of one that exists, the others of a new one. */
export const DESTINATION_KEYS = ["id", "type", "metadata", "secrets"] as const;

/** Of a topic: `id` of one that exists. */
export const TOPIC_KEYS = ["id", "events", "destinations"] as const;

/** What a part of the file must be, with an example of how to write it. */
export interface Wanted {
  /** As the beginning of a sentence: `the destinations`. */
  readonly what: string;
  readonly example: string;
}

/** Keys with values; nothing there counts as none. Undefined where it is something else. */
export function mapOf(
  tree: YamlTree,
  wanted: Wanted,
  problems: FileIssues,
): YamlMapping | undefined {
  if (tree.kind === "map") return tree;
  if (isEmpty(tree)) return { kind: "map", at: tree.at, entries: [] };
  problems.error(tree.at, notA("map", tree, wanted));
  return undefined;
}

/** The items of a list; nothing there counts as none. */
export function listOf(tree: YamlTree, wanted: Wanted, problems: FileIssues): readonly YamlTree[] {
  if (tree.kind === "list") return tree.items;
  if (!isEmpty(tree)) problems.error(tree.at, notA("list", tree, wanted));
  return [];
}

/** A text; what YAML takes for a number or a truth value is text here. */
export function textOf(tree: YamlTree, wanted: Wanted, problems: FileIssues): string | undefined {
  if (tree.kind !== "leaf") problems.error(tree.at, notA("leaf", tree, wanted));
  else if (tree.value === null || tree.text.trim() === "") {
    problems.error(
      tree.at,
      `${wanted.what} must not be empty: write for example ${wanted.example}`,
    );
  } else {
    return tree.text;
  }
  return undefined;
}

function notA(kind: YamlTree["kind"], tree: YamlTree, { what, example }: Wanted): string {
  return `${what} must be ${KIND_NAMES[kind]}, and this is ${KIND_NAMES[tree.kind]}: write for example ${example}`;
}

/** The entries of the keys that there are; the others are mistakes. */
export function knownKeys<Key extends string>(
  map: YamlMapping,
  keys: readonly Key[],
  problems: FileIssues,
  /** More to say of a key that does not belong here. */
  advice: (key: string) => string | undefined = () => undefined,
): Partial<Record<Key, YamlEntry>> {
  const found: Partial<Record<Key, YamlEntry>> = {};
  for (const entry of map.entries) {
    const key = keys.find((known) => known === entry.key);
    if (key !== undefined) found[key] = entry;
    else problems.error(entry.at, unknownKey(entry.key, keys, advice(entry.key)));
  }
  return found;
}

function unknownKey(key: string, keys: readonly string[], advice: string | undefined): string {
  const near = nearest(key, keys);
  const then = near === undefined ? `here belong ${keys.join(", ")}` : `did you mean ${near}?`;
  return `${quoted(key)} is not known here: ${advice ?? then}`;
}
