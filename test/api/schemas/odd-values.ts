/** A number that JavaScript cannot hold, as text of JSON. */
export const BIG = "9007199254740993123";

/** Values that a field may have in place of its own; undefined: it is missing. */
export const ODD_VALUES: readonly unknown[] = [
  undefined,
  null,
  5,
  1.5,
  true,
  "text",
  "",
  [],
  [null],
  ["a", null, 7, { b: 1 }],
  {},
  { x: { y: 1 } },
  { x: null },
  BigInt(BIG),
];

export type Path = readonly (string | number)[];

/** The path of every field at every depth, and of every element. */
export function pathsOf(value: unknown, above: Path = []): Path[] {
  if (typeof value !== "object" || value === null) return [above];
  const below = Object.entries(value).flatMap(([key, item]) =>
    pathsOf(item, [...above, Array.isArray(value) ? Number(key) : key]),
  );
  return [above, ...below];
}

/** The value with another one, or none, at a path. */
export function spoilt(value: unknown, path: Path, odd: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return odd;
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Record<
    string | number,
    unknown
  >;
  const next = spoilt(copy[key], rest, odd);
  if (next === undefined && !Array.isArray(copy)) delete copy[key];
  else copy[key] = next ?? null;
  return copy;
}
