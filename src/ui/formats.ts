import { UsageError } from "../errors.ts";
import type { View } from "../view/view.ts";
import { selectFields } from "./fields.ts";
import { itemsOf, type Lines } from "./layout.ts";
import { jsonText, sanitize } from "./text.ts";

/** JSON, two spaces deep; a list is written item by item, for it may be long. */
export function* jsonLines(result: unknown, fields?: readonly string[]): Generator<string> {
  if (result === undefined) return;
  if (!Array.isArray(result) || result.length === 0) {
    yield jsonText(picked(result, fields), 2);
    return;
  }
  yield "[";
  for (const [at, item] of result.entries()) {
    const text = jsonText(picked(item, fields), 2).replaceAll("\n", "\n  ");
    yield `  ${text}${at < result.length - 1 ? "," : ""}`;
  }
  yield "]";
}

/** The items of a list as they stand in the JSON of the whole, without the last line end. */
export function jsonItems(items: readonly unknown[], fields?: readonly string[]): string {
  // Between "[\n" and "\n]".
  return jsonText(picked(items, fields), 2).slice(2, -2);
}

/** One line of JSON an item. */
export function* ndjsonLines(result: unknown, fields?: readonly string[]): Generator<string> {
  if (result === undefined) return;
  for (const item of itemsOf(result)) yield jsonText(picked(item, fields));
}

/** YAML; the items of a list are written one by one. */
export async function* yamlLines(
  result: unknown,
  fields?: readonly string[],
): AsyncGenerator<string> {
  if (result === undefined) return;
  const { yamlText } = await import("./yaml.ts");
  const isList = Array.isArray(result) && result.length > 0;
  for (const part of isList ? result : [result]) {
    const text = yamlText(isList ? [picked(part, fields)] : picked(part, fields));
    yield text.replace(/\n$/u, "");
  }
}

/**
 * The identifiers alone, one a line.
 * @throws {UsageError} before the first line, where something has none
 */
export function idLines(result: unknown, view: View<unknown> | undefined): Lines {
  const things = view?.kind === "record" || view?.kind === "text" ? [result] : itemsOf(result);
  const ids = things.map((thing) => (view ? view.id(thing) : ""));
  if (ids.includes("")) {
    throw new UsageError("there is no identifier to print here", {
      remedy: "Choose another --output, for example json.",
    });
  }
  return ids.map((id) => sanitize(id, { inCell: true }));
}

function picked(value: unknown, fields: readonly string[] | undefined): unknown {
  return fields ? selectFields(value, fields) : value;
}
