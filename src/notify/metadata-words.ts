import { destinationType } from "../api/destination-types.ts";
import type { Word } from "../shell-words.ts";
import type { Variable } from "./command-line.ts";
import { type Leaf, leaves, type Metadata, place } from "./metadata.ts";
import type { NewDestination } from "./model.ts";
import { isSensitive } from "./sensitive.ts";

/**
 * The options that say a destination's metadata: `--url` and `--metadata` for what fits them,
 * `--metadata-json` for the rest.
 */
export function metadataWords(
  destination: string,
  { type, metadata }: NewDestination,
  variable: Variable,
): Word[] {
  const all = leaves(metadata).map((leaf) => ({ ...leaf, text: asPair(type, leaf) }));
  const hidden = ({ path, value }: Leaf) => isSensitive(type, path, value);
  const pairs = all.flatMap((leaf): Word[] => {
    const { path, text } = leaf;
    if (text === undefined) return [];
    const isUrl = path.join(".") === "url";
    const before = isUrl ? "" : `${path.join(".")}=`;
    const word = hidden(leaf)
      ? { text: before, variable: variable(destination, ...path) }
      : before + text;
    return [isUrl ? "--url" : "--metadata", word];
  });
  const rest = all.filter(({ text }) => text === undefined);
  if (rest.length === 0) return pairs;
  const json = rest.reduce<Metadata>((tree, { path, value }) => place(tree, path, value), {});
  const word = rest.some(hidden)
    ? { text: "", variable: variable(destination, "metadata") }
    : JSON.stringify(json);
  return ["--metadata-json", word, ...pairs];
}

/** The text that `--metadata key=` would turn into this very value; `undefined` where none does. */
function asPair(type: string, { path, value }: Leaf): string | undefined {
  if (path.some((key) => key === "" || /[.=]/u.test(key) || key !== key.trim())) return undefined;
  const isFlag = fieldShape(type, path) === "flag";
  if (typeof value === "boolean" && isFlag) return String(value);
  // An empty --url would be an error, not a value.
  const fits = typeof value === "string" && !isFlag && (value.trim() !== "" || path[0] !== "url");
  return fits ? value : undefined;
}

/** What a type says of a value of its metadata. */
export function fieldShape(type: string, path: readonly string[]): "map" | "flag" | undefined {
  if (path.length !== 1) return undefined;
  return destinationType(type)?.metadata.find(({ name }) => name === path[0])?.shape;
}
