/** A mend of what was once found: a row of a table, or a function, which then only returns a value. */
export interface Mend {
  /** What amp did without it. */
  readonly found: string;
  /** Its file below `src/notify`. */
  readonly file: string;
  readonly part: string;
  readonly returns?: string;
  /** The test that fails without it, below `test/notify`, where no sequence can. */
  readonly test?: string;
}

const row = (part: string, found: string): Mend => ({ found, file: "plan/table.ts", part });
const by = (file: string, part: string, returns: string, found: string): Mend => ({
  ...{ found, file, part, returns },
});

const NO_RENAMES = "{ done: [], unmatched: [] }";

/** What is found again, once it is taken out: by a sequence, a trace of the model, or a test. */
export const MENDS: readonly Mend[] = [
  // Only what is shown of a plan depends on the row; the wait itself is `awaits`.
  { ...row("A2", "a plan showed what an old list says"), test: "plan/table.test.ts" },
  by("plan/plan-named.ts", "awaits", "false", "old lists were believed against own acts"),
  row("N2", "what was adopted and is gone stayed in the state"),
  row("N3", "another file's resource was pruned"),
  row("N5", "something was deleted without --prune"),
  row("N7", "what amp had not created was pruned"),
  row("N9", "what routes use was deleted"),
  row("K1", "one ID was at two addresses"),
  row("K3", "a renamed resource was created again"),
  row("M3", "what a person had deleted was created again without a word"),
  row("C4", "a create that came late was sent again"),
  row("U1", "an old value in a list counted as a late update that was done"),
  row("U2", "an undo ended with 0 where an update that was settled later stayed"),
  row("D3", "a late delete took what was declared again"),
  by("plan/compare.ts", "isContradicted", "false", "old values in a list were taken as drift"),
  {
    ...by("plan/compare.ts", "notKeptAt", "[]", "what the service did not keep was not told"),
    test: "plan/compare.test.ts",
  },
  by("plan/make-plan.ts", "applyRenames", NO_RENAMES, "a renamed resource was created again"),
  by("engine/observe.ts", "withoutDeleted", "live", "what a list still showed was adopted"),
  by("engine/settle.ts", "isMadeBefore", "false", "a person's resource counted as created"),
  by("engine/settle.ts", "judge", '"one"', "another's values counted as what was created"),
  by("engine/settle.ts", "renamedTo", "[]", "a create that a person renamed was sent again"),
  by("undo.ts", "openOf", "[]", "an undo ended with 0 and left what its run had begun"),
  by("undo.ts", "isRestored", "true", "an undo ended with 0 where an update stayed"),
];
