import type { StepKind } from "../steps.ts";
import { compare } from "./canonical.ts";
import type { LiveIndex } from "./natural-key.ts";

/** Finds all records that share the natural key of one, itself too; undefined where it is alone. */
export function twinsOf(
  index: LiveIndex,
): (kind: StepKind, id: string) => readonly string[] | undefined {
  const groups = new Map(
    index.duplicates().flatMap(({ kind, records }) => {
      const ids = records.map(({ id }) => id).sort(compare);
      return ids.map((id) => [`${kind} ${id}`, ids] as const);
    }),
  );
  return (kind, id) => groups.get(`${kind} ${id}`);
}
