/** A mend of what was once found: a row of a table, or a function, which then only returns a value. */
export interface Mend {
  /** What amp did without it. */
  readonly found: string;
  /** Its file below `src/notify`. */
  readonly file: string;
  readonly part: string;
  readonly returns?: string;
}

const row = (part: string, found: string): Mend => ({ found, file: "plan/table.ts", part });
const by = (file: string, part: string, returns: string, found: string): Mend => ({
  ...{ found, file, part, returns },
});

/** What random sequences find again, once it is taken out. */
export const MENDS: readonly Mend[] = [
  row("N3", "another file's resource was pruned"),
  row("N5", "something was deleted without --prune"),
  row("N7", "what amp had not created was pruned"),
  row("N9", "what routes use was deleted"),
  row("K1", "one ID was at two addresses"),
  row("K3", "a renamed resource was created again"),
  row("C4", "a create that came late was sent again"),
  row("D3", "a late delete took what was declared again"),
  by("plan/compare.ts", "isContradicted", "false", "old values in a list were taken as drift"),
  by("undo.ts", "openOf", "[]", "an undo ended with 0 and left what its run had begun"),
  by("undo.ts", "isRestored", "true", "an undo ended with 0 where an update stayed"),
];
