/** A JSON text as the usual libraries would write it, without what equals it. */
export function serialisedAgain(text: string): readonly string[] {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/u, ""));
  } catch {
    return [];
  }
  const all = [value, withSortedKeys(value)].flatMap((one) => {
    const compact = JSON.stringify(one);
    const spaced = pythonJson(one);
    return [
      compact,
      // Python escapes what is not ASCII by default; Go and PHP escape more.
      ...[spaced, escaped(spaced), escaped(compact)],
      compact.replaceAll(/[<>&\u2028\u2029]/gu, unicodeEscape),
      escaped(compact).replaceAll("/", "\\/"),
      ...[2, 4, "\t"].map((indent) => JSON.stringify(one, undefined, indent)),
    ];
  });
  return [...new Set(all)].filter((one) => one !== text);
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
