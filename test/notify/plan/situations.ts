import {
  DECIDING_CHOICES,
  INPUTS,
  SETTLE_INPUTS,
  type Situation,
  type WriteEvidence,
} from "../../../src/notify/plan/table.ts";

/**
 * Every situation that can occur, with each set of choices. The sets of one situation follow one
 * another, so that `withChoice` finds the same situation with one more choice.
 */
export function allSituations(): Situation[] {
  const all: Situation[] = [];
  const questions = Object.entries<readonly string[]>(INPUTS);
  const choices = DECIDING_CHOICES.map((name) => [name, [false, true]] as const);
  each<Situation>(questions, isPossible, (situation) =>
    each<Situation>(choices, undefined, (chosen) => all.push({ ...chosen }), situation),
  );
  return all;
}

/** The place in `allSituations` of a situation with one more choice. */
export function withChoice(at: number, choice: (typeof DECIDING_CHOICES)[number]): number {
  return at | (1 << (DECIDING_CHOICES.length - 1 - DECIDING_CHOICES.indexOf(choice)));
}

/** All that can be known of a write of unknown outcome. */
export function allEvidence(): WriteEvidence[] {
  const all: WriteEvidence[] = [];
  const questions = Object.entries<readonly string[]>(SETTLE_INPUTS);
  each<WriteEvidence>(questions, isPossibleEvidence, (evidence) => all.push({ ...evidence }));
  return all;
}

/** Calls `found` with each combination of answers: the same object, for there are millions. */
function each<T>(
  questions: readonly (readonly [string, readonly unknown[]])[],
  isFound: ((one: T) => boolean) | undefined,
  found: (one: T) => unknown,
  answers: Record<string, unknown> | T = {},
): void {
  const ask = (at: number): void => {
    const [name, values] = questions[at] ?? [];
    if (name === undefined || values === undefined) {
      if (isFound === undefined || isFound(answers as T)) found(answers as T);
      return;
    }
    for (const value of values) {
      (answers as Record<string, unknown>)[name] = value;
      ask(at + 1);
    }
  };
  ask(0);
}

/** Whether a situation can occur at all. */
export function isPossible(i: Situation): boolean {
  const isFree = i.entry === "none";
  if (isFree !== (i.owner === "-") || isFree !== (i.made === "-")) return false;
  const isListBelieved = i.list !== "not yet";
  if (
    i.also === "yes" &&
    !(i.entry === "settled" && isListBelieved && ["mine", "other"].includes(i.owner))
  ) {
    return false;
  }
  // Nothing else is asked of what is settled first, or waited for.
  if (i.entry === "pending" || !isListBelieved)
    return i.file !== "both" && i.own === "-" && isPlain(i);
  if (i.file === "id") {
    const isGoneWithoutLists = i.list === "no lists" && i.own === "gone";
    const isOwn = (i.own === "here" || i.own === "gone") && !isGoneWithoutLists;
    return isOwn && isPlain({ ...i, other: i.other === "named elsewhere" ? "none" : i.other });
  }
  if (isFree !== (i.own === "-")) return false;
  if (i.list === "no lists" && !isPossibleWithoutLists(i)) return false;
  return i.file === "no" ? isPossibleUnnamed(i, isFree) : isPossibleNamed(i, isFree);
}

/** Nothing is known that would matter. */
function isPlain(i: Situation): boolean {
  const isAlone = i.other === "none" && i.fields === "same" && i.send === "can";
  return isAlone && i.ends === "kept" && i.breaks === "nothing";
}

/** Without lists nothing is seen of the service: only the file can differ from the entries. */
function isPossibleWithoutLists(i: Situation): boolean {
  if (i.own === "moved" || i.own === "gone") return false;
  if (i.fields === "drift" || i.fields === "both") return false;
  return i.other === "none" || i.other.endsWith(" elsewhere");
}

function isPossibleUnnamed(i: Situation, isFree: boolean): boolean {
  // There is nothing to compare with; only whether its ID is named elsewhere is asked.
  const isOther = i.other === "none" || (i.other === "named elsewhere" && !isFree);
  return isOther && i.fields === "same" && i.send === "can" && i.ends === "kept";
}

function isPossibleNamed(i: Situation, isFree: boolean): boolean {
  // The entry of a route with new ends went to an address of its own before.
  if (i.ends === "new" && !isFree) return false;
  if (i.file === "both" && i.ends !== "kept") return false;
  const isUpdate = i.fields !== "same" && i.send === "can" && i.ends === "kept";
  if (i.breaks !== "nothing" && !isUpdate) return false;
  if (i.fields === "same") return i.send === "can" && i.own !== "moved";
  // Nobody knows who changed what has no entry, and of what is gone nothing is compared.
  if (isFree || i.own === "gone") return i.fields === "both" && i.other !== "none";
  return true;
}

function isPossibleEvidence({ op, lists, look, sure }: WriteEvidence): boolean {
  const looks = {
    create: ["one", "bare", "several", "other", "renamed", "nothing"],
    update: ["sent", "otherwise", "unshown", "gone"],
    delete: ["listed", "not listed"],
  };
  if (lists === "no") return look === "-";
  return looks[op].includes(look) && !(op === "update" && sure === "yes");
}
