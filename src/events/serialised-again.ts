import { jsonOf } from "../values/json.ts";

/** How the usual libraries write JSON, JavaScript first. */
export const SERIALISERS: readonly ((value: unknown) => string)[] = [
  (value: unknown) => value,
  withSortedKeys,
].flatMap((prepared) =>
  [
    (value: unknown) => JSON.stringify(value),
    pythonJson,
    // Python escapes what is not ASCII by default; Go and PHP escape more.
    (value: unknown) => escaped(pythonJson(value)),
    (value: unknown) => escaped(JSON.stringify(value)),
    (value: unknown) => JSON.stringify(value).replaceAll(/[<>&\u2028\u2029]/gu, unicodeEscape),
    (value: unknown) => escaped(JSON.stringify(value)).replaceAll("/", "\\/"),
    ...[2, 4, "\t"].map((indent) => (value: unknown) => JSON.stringify(value, undefined, indent)),
  ].map((write) => (value: unknown) => write(prepared(value))),
);

/** A JSON text as the usual libraries would write it, without what equals it. */
export function serialisedAgain(text: string): readonly string[] {
  const value = jsonOf(text.replace(/^\uFEFF/u, ""));
  if (value === undefined) return [];
  return [...new Set(SERIALISERS.map((write) => write(value)))].filter((one) => one !== text);
}

function withSortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withSortedKeys);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([key, item]) => [key, withSortedKeys(item)]),
  );
}

/** JSON with a space after each comma and colon. */
function pythonJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(pythonJson).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([key, item]) => `${JSON.stringify(key)}: ${pythonJson(item)}`,
  );
  return `{${members.join(", ")}}`;
}

/** A text with every UTF-16 unit beyond ASCII escaped. */
function escaped(text: string): string {
  return text.replaceAll(/[\u0080-\uFFFF]/g, unicodeEscape);
}

function unicodeEscape(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
