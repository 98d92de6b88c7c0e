import { describe, expect, it } from "vitest";
import {
  type DECIDING_CHOICES,
  decide,
  holds,
  ROWS,
  type Row,
  SETTLE_ROWS,
  type SettleRow,
  type Situation,
  settlement,
  type WriteEvidence,
} from "../../../src/notify/plan/table.ts";
import { INVARIANTS, SETTLE_INVARIANTS } from "./invariants.ts";
import { allEvidence, allSituations, isPossible, withChoice } from "./situations.ts";

const SITUATIONS = allSituations();
const EVIDENCE = allEvidence();
/** The rows that decide, each at the place of its situation. */
const DECIDED: readonly Row[] = SITUATIONS.map((situation) => decide(situation));
const SETTLED: readonly SettleRow[] = EVIDENCE.map((evidence) => settlement(evidence));

type RowId = (typeof ROWS)[number]["id"];
type SettleRowId = (typeof SETTLE_ROWS)[number]["id"];

/** Named in the file, managed by it, and in sync. */
const IN_SYNC: Situation = {
  ...{ file: "yes", entry: "settled", owner: "mine", made: "amp", list: "believed", own: "here" },
  ...{ other: "none", fields: "same", send: "can", ends: "kept", breaks: "nothing" },
  ...{ also: "no", prune: false, recreate: false, adopt: false, shared: false, references: false },
};
const NEW = { ...IN_SYNC, entry: "none", owner: "-", made: "-", own: "-" } as const;
const BY_ID = { ...NEW, file: "id", own: "here" } as const;
const GONE = { ...IN_SYNC, own: "gone" } as const;
const RENAMED = { ...IN_SYNC, own: "moved", fields: "drift" } as const;
const UNNAMED = { ...IN_SYNC, file: "no" } as const;
const PRUNED = { ...UNNAMED, prune: true } as const;

/** A create of unknown outcome, which is not listed. */
const CREATE: WriteEvidence = {
  op: "create",
  lists: "yes",
  time: "within",
  look: "nothing",
  sure: "no",
};
const PAST = { ...CREATE, time: "past" } as const;
const UPDATE = { ...PAST, op: "update", look: "sent" } as const;
const DELETE = { ...CREATE, op: "delete", look: "listed" } as const;

/** One situation a row, and what is done then. */
const DECISIONS: Readonly<Record<RowId, readonly [when: string, Situation, then: string]>> = {
  A1: ["a write is pending", { ...IN_SYNC, entry: "pending", own: "-" }, "settle"],
  A2: ["a list is older than an own act", { ...IN_SYNC, list: "not yet", own: "-" }, "wait"],
  N1: ["neither file nor state has it", { ...NEW, file: "no" }, "nothing"],
  N2: ["unnamed, found, and gone", { ...UNNAMED, made: "found", own: "gone" }, "forget"],
  N3: ["unnamed, and another file's", { ...PRUNED, owner: "other" }, "nothing"],
  N4: ["unnamed, and its ID is declared", { ...PRUNED, other: "named elsewhere" }, "release"],
  N5: ["unnamed", UNNAMED, "keep no_prune"],
  N6: ["pruned, and another file declares it, too", { ...PRUNED, also: "yes" }, "hand over"],
  N7: ["pruned, and found", { ...PRUNED, made: "found" }, "release"],
  N8: ["pruned, and renamed at the service", { ...PRUNED, own: "moved" }, "keep other_name"],
  N9: ["pruned, and routes use it", { ...PRUNED, breaks: "routes" }, "keep in_use"],
  N10: [
    "pruned, and reads name it",
    { ...PRUNED, breaks: "reads" },
    "conflict in_reads, or references",
  ],
  N11: ["pruned", PRUNED, "delete"],
  I1: [
    "by an ID that is named elsewhere",
    { ...BY_ID, other: "named elsewhere" },
    "conflict same_id",
  ],
  I2: ["by an ID that is not there", { ...BY_ID, own: "gone" }, "conflict not_found"],
  I3: ["by an ID that is there", BY_ID, "in place"],
  R1: ["old and new name exist", { ...IN_SYNC, file: "both" }, "conflict both_exist"],
  E1: ["its topic is in conflict", { ...NEW, ends: "in conflict" }, "conflict end_in_conflict"],
  K1: [
    "new, and its ID is named elsewhere",
    { ...NEW, other: "named elsewhere" },
    "conflict same_id",
  ],
  K2: [
    "new, and another file's",
    { ...NEW, other: "theirs elsewhere" },
    "conflict shared, or shared",
  ],
  K3: ["renamed at the service, then in the file", { ...NEW, other: "mine elsewhere" }, "move"],
  K4: ["renamed, and its name is taken", { ...RENAMED, other: "one" }, "conflict name_taken"],
  K5: ["gone, and in another entry", { ...GONE, other: "mine elsewhere" }, "conflict same_id"],
  K6: ["new, and several have its name", { ...NEW, other: "several" }, "conflict ambiguous"],
  K7: ["new, and the list hides names", { ...NEW, other: "unclear" }, "conflict unclear"],
  M1: ["new", NEW, "create"],
  M2: ["gone, and another file's", { ...GONE, owner: "other" }, "conflict shared, or shared"],
  M3: ["gone", GONE, "conflict gone, or recreate"],
  M4: ["gone, and recreate is accepted", { ...GONE, recreate: true }, "create"],
  M5: [
    "gone, and another one has its name",
    { ...GONE, other: "one" },
    "conflict replaced, or adopt",
  ],
  T1: ["new, and there as the file says", { ...NEW, other: "one" }, "adopt"],
  T2: ["in sync", IN_SYNC, "in place"],
  T3: [
    "changed in this file, and another file's",
    { ...IN_SYNC, owner: "other", fields: "ours" },
    "conflict shared, or shared",
  ],
  T4: ["of another type", { ...IN_SYNC, fields: "ours", send: "cannot" }, "conflict cannot_change"],
  T5: [
    "new, and there with other settings",
    { ...NEW, other: "one", fields: "both" },
    "conflict not_managed, or adopt",
  ],
  T6: [
    "changed in the file, and a person's",
    { ...IN_SYNC, owner: "person", fields: "ours" },
    "conflict not_managed, or adopt",
  ],
  T7: ["changed in both", { ...IN_SYNC, fields: "both" }, "conflict changed_both, or adopt"],
  T8: [
    "renamed in the file, and reads name it",
    { ...IN_SYNC, fields: "ours", breaks: "reads" },
    "conflict in_reads, or references",
  ],
  T9: ["changed in the file", { ...IN_SYNC, fields: "ours" }, "update"],
};

describe("the table of decisions", () => {
  it.each(named(DECISIONS))("%s", (_, id, situation, then) => {
    expect(isPossible(situation)).toBe(true);
    expect(textOf(decide(situation))).toBe(`${id}: ${then}`);
  });

  it("has a row for each situation, and no row is dead", () => {
    expect(SITUATIONS).toHaveLength(239_200);
    expect(new Set(DECIDED)).toEqual(new Set(ROWS));
  });

  it.each(Object.entries(INVARIANTS))("%s", (_, invariant) => {
    const broken = SITUATIONS.findIndex((situation, at) => {
      const row = DECIDED[at] as Row;
      return !invariant(situation, row, (choice) => DECIDED[withChoice(at, choice)] as Row);
    });
    expect(SITUATIONS[broken]).toBeUndefined();
  });

  it("needs each row and each condition, but for those that an earlier row implies", () => {
    const invariants = Object.values(INVARIANTS);
    const { caught, missed, redundant } = sabotage<Situation, Row>(
      ROWS,
      SITUATIONS,
      DECIDED,
      (at, row, rows) => {
        const decideWith = (choice: (typeof DECIDING_CHOICES)[number]) =>
          decide(SITUATIONS[withChoice(at, choice)] as Situation, rows);
        return invariants.some((holds) => !holds(SITUATIONS[at] as Situation, row, decideWith));
      },
    );
    expect({ caught, missed, redundant }).toEqual({ caught: 114, missed: [], redundant: [] });
  });
});

/** What is known of a write of unknown outcome, one a row, and what becomes of it. */
const OUTCOMES: Readonly<
  Record<SettleRowId, readonly [when: string, WriteEvidence, then: string]>
> = {
  C1: ["a create, without lists", { ...CREATE, lists: "no", look: "-" }, "stop"],
  C2: ["a create, and it is listed", { ...CREATE, look: "one" }, "done"],
  C3: ["a create, and several are listed", { ...CREATE, look: "several" }, "stop"],
  C4: ["a create that may still come", CREATE, "wait"],
  C5: ["a create, and one does not show what was sent", { ...PAST, look: "bare" }, "found"],
  C6: [
    "a create that was answered without an ID, and is not listed",
    { ...PAST, sure: "yes" },
    "stop",
  ],
  C7: ["a create, and one has its values under another name", { ...PAST, look: "renamed" }, "stop"],
  C8: ["a create that never came", PAST, "not done"],
  U1: ["an update that may still come", { ...UPDATE, time: "within" }, "wait"],
  U2: ["an update, and it is shown", UPDATE, "done"],
  U3: ["an update that is not shown", { ...UPDATE, look: "otherwise" }, "not done"],
  D1: ["a delete, without lists", { ...DELETE, lists: "no", look: "-" }, "again"],
  D2: [
    "a delete of what was listed before",
    { ...DELETE, look: "not listed", sure: "yes" },
    "done",
  ],
  D3: ["a delete that may still come", DELETE, "wait"],
  D4: ["a delete that never came", { ...DELETE, time: "past" }, "not done"],
  D5: ["a delete, and it is gone", { ...DELETE, time: "past", look: "not listed" }, "done"],
};

describe("the settlement of writes of unknown outcome", () => {
  it.each(named(OUTCOMES))("%s", (_, id, evidence, then) => {
    expect(EVIDENCE).toContainEqual(evidence);
    expect(settlement(evidence)).toMatchObject({ id, outcome: then });
  });

  it("has a row for all that can be known, and no row is dead", () => {
    expect(EVIDENCE).toHaveLength(52);
    expect(new Set(SETTLED)).toEqual(new Set(SETTLE_ROWS));
  });

  it.each(Object.entries(SETTLE_INVARIANTS))("%s", (_, invariant) => {
    const broken = EVIDENCE.filter(
      (evidence, at) => !invariant(evidence, SETTLED[at] as SettleRow),
    );
    expect(broken).toEqual([]);
  });

  it("needs each row and each condition, but for those that an earlier row implies", () => {
    const invariants = Object.values(SETTLE_INVARIANTS);
    const found = sabotage<WriteEvidence, SettleRow>(SETTLE_ROWS, EVIDENCE, SETTLED, (at, row) =>
      invariants.some((holds) => !holds(EVIDENCE[at] as WriteEvidence, row)),
    );
    // The look tells of what the write was, and D2 to D5 come after all others.
    const redundant = ["C2", "C3", "C5", "C7", "U2", "D1", "D2", "D3", "D4", "D5"];
    expect(found).toEqual({ caught: 36, missed: [], redundant: redundant.map((id) => `${id} op`) });
  });
});

/** The rows of a table of tests, each with a sentence as its name. */
function named<Case>(table: Readonly<Record<string, readonly [string, Case, string]>>) {
  return Object.entries(table).map(
    ([id, [when, one, then]]) => [`${id}: ${when}: ${then}`, id, one, then] as const,
  );
}

function textOf({ id, action, reason, word }: Row): string {
  return `${id}: ${action}${reason ? ` ${reason}` : ""}${word ? `, or ${word}` : ""}`;
}

interface AnyRow {
  readonly id: string;
  readonly when: Readonly<Record<string, unknown>>;
}

/**
 * Takes out each row and each condition, one at a time. It is `caught` where an invariant breaks, a
 * situation has no row, or a row is dead; `redundant` where every situation is decided as before.
 */
function sabotage<Case extends object, R extends AnyRow>(
  rows: readonly R[],
  cases: readonly Case[],
  decided: readonly R[],
  isBroken: (at: number, row: R, rows: readonly R[]) => boolean,
) {
  const order = new Map(rows.map((row, at) => [row, at]));
  const places = decided.map((row) => order.get(row) ?? -1);
  const result = { caught: 0, missed: [] as string[], redundant: [] as string[] };
  const judge = (place: number, changed?: R) => {
    const sabotaged = rows.toSpliced(place, 1, ...(changed ? [changed] : []));
    const uses = rows.map(() => 0);
    let changes = 0;
    for (const [at, one] of cases.entries()) {
      const before = places[at] as number;
      const now = changed
        ? before > place && holds(changed.when, one as never) && changed
        : before === place && (sabotaged.find(({ when }) => holds(when, one as never)) ?? "no row");
      if (now === "no row" || (now && isBroken(at, now, sabotaged))) return "caught";
      if (now) changes += 1;
      else uses[before] = 1;
    }
    if (changes === 0) return "redundant";
    return uses.some((count, at) => count === 0 && at !== place) ? "caught" : "missed";
  };
  const note = (name: string, place: number, changed?: R) => {
    const found = judge(place, changed);
    if (found === "caught") result.caught += 1;
    else result[found].push(name);
  };
  for (const [place, row] of rows.entries()) {
    note(row.id, place);
    for (const name of Object.keys(row.when)) {
      const { [name]: _, ...when } = row.when;
      note(`${row.id} ${name}`, place, { ...row, when });
    }
  }
  return result;
}
