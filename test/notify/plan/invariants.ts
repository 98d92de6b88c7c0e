import {
  DECIDING_CHOICES,
  type Row,
  type SettleRow,
  type Situation,
  type WriteEvidence,
} from "../../../src/notify/plan/table.ts";

/** What the table decides in the same situation with one more choice. */
type With = (choice: (typeof DECIDING_CHOICES)[number]) => Row;

const WORDS = DECIDING_CHOICES.filter((choice) => choice !== "prune");

const isFree = ({ entry }: Situation) => entry === "none";
const isElsewhere = ({ other }: Situation) => other.endsWith(" elsewhere");
/** Neither begun nor waited for. */
const isKnown = ({ entry, list }: Situation) => entry !== "pending" && list !== "not yet";
const isNamed = ({ file }: Situation) => file === "yes";
const isOneOf = (one: string | undefined, ...some: string[]) => some.includes(one ?? "");

/** What must hold in every situation: a row of the table breaks none. */
export const INVARIANTS: Readonly<
  Record<string, (i: Situation, row: Row, decideWith: With) => boolean>
> = {
  // What is sent, and what is waited for.
  "what is pending is settled, and nothing else": (i, { action }) =>
    (i.entry === "pending") === (action === "settle"),
  "a list that is not believed is waited for, and nothing else": (i, { action }) =>
    i.entry === "pending" || (i.list === "not yet") === (action === "wait"),
  "a create comes only where nothing of its own may exist": (i, { action }) =>
    action !== "create" ||
    (isNamed(i) &&
      isKnown(i) &&
      i.other === "none" &&
      i.ends !== "in conflict" &&
      (isFree(i) || (i.own === "gone" && i.recreate))),
  "a delete takes what is unnamed, unused, this file's, and created by amp": (i, { action }) =>
    action !== "delete" || isDeletable(i),
  "an update sends what can be changed, and is asked for unless it is this file's": (i, row) =>
    row.action !== "update" ||
    (i.send === "can" &&
      i.fields !== "same" &&
      (!isFree(i) || i.adopt) &&
      (i.fields !== "both" || i.adopt) &&
      (i.breaks !== "reads" || i.references) &&
      (i.owner !== "other" || i.fields === "drift" || i.shared) &&
      (i.owner !== "person" || i.adopt)),
  "a name is put back only where nobody has it": (i, { action }) =>
    action !== "update" || i.own !== "moved" || isOneOf(i.other, "none", "unclear"),
  "without words and prune nothing is deleted or created again": (i, { action }) =>
    DECIDING_CHOICES.some((choice) => i[choice]) ||
    !(action === "delete" || (action === "create" && !isFree(i))),

  // What is taken.
  "what is taken is in no entry, and listed": (i, { action }) => {
    const isTaken = action === "update" && !isOneOf(i.own, "here", "moved");
    return !(action === "adopt" || isTaken) || (i.other === "one" && i.list === "believed");
  },
  "nothing takes the place of a known ID unasked": (i, { action }) =>
    action !== "adopt" || isFree(i) || (i.own === "gone" && i.adopt),
  "an entry moves from an unnamed address, and from another file's only if asked": (i, row) =>
    row.action !== "move" ||
    i.other === "mine elsewhere" ||
    (i.other === "theirs elsewhere" && i.shared),
  "what is another file's is neither created, adopted, deleted nor released unasked": (i, row) =>
    i.owner !== "other" || i.shared || !isOneOf(row.action, "create", "adopt", "delete", "release"),
  "without lists an entry is never created again, and nothing is adopted": (i, { action }) =>
    i.list !== "no lists" || !((action === "create" && !isFree(i)) || action === "adopt"),
  "an entry is dropped only where amp never created it, and it is gone": (i, { action }) =>
    action !== "forget" ||
    (i.made === "found" && i.own === "gone" && i.list === "believed" && i.owner !== "other"),
  "what the file does not name is neither created, updated, adopted nor moved": (i, { action }) =>
    i.file !== "no" || !isOneOf(action, "create", "update", "adopt", "move", "in place"),
  "in place is only what is there, as the file says": (i, { action }) =>
    action !== "in place" ||
    (i.own === "here" && i.fields === "same" && (i.entry === "settled" || i.file === "id")),
  "exit 0 for what the file names only if it is there, or made so": (i, { action }) =>
    i.file === "no" ||
    !isOneOf(action, "nothing", "forget", "release", "keep", "hand over", "delete"),

  // Conflicts.
  "where two exist for a rename, nothing happens": (i, { action }) =>
    i.file !== "both" || isOneOf(action, "conflict", "settle", "wait"),
  "a conflict has a reason, and so has what is kept": (_, { action, reason }) =>
    isOneOf(action, "conflict", "keep") === (reason !== undefined),
  "the word of a conflict resolves it": (_, { word, reason }, decideWith) =>
    word === undefined || decideWith(word).reason !== reason,
  "no word makes a conflict": (i, { action }, decideWith) =>
    isOneOf(action, "conflict", "settle", "wait") ||
    WORDS.every((word) => i[word] || decideWith(word).action !== "conflict"),
  "with all words only what no word can resolve is a conflict": (i, { word }) =>
    word === undefined || !WORDS.every((one) => i[one]),
  "a conflict without a word has a cause that no word could resolve": (i, { action, word }) =>
    action !== "conflict" ||
    word !== undefined ||
    i.file === "both" ||
    i.ends === "in conflict" ||
    i.send === "cannot" ||
    isElsewhere(i) ||
    isOneOf(i.other, "several", "unclear") ||
    (i.other === "one" && i.own === "moved") ||
    (i.file === "id" && i.own === "gone"),
  "the reason of a conflict is its cause": (i, { action, reason = "" }) =>
    action !== "conflict" || (CAUSES[reason]?.(i) ?? false),
  "what another file has is asked for by that file's name, if it is missing or taken": (i, row) =>
    !(isNamed(i) && isKnown(i) && i.own === "gone" && i.owner === "other") ||
    i.shared ||
    i.ends !== "kept" ||
    !isOneOf(i.other, "none", "one") ||
    row.reason === "shared",
  "the reason why something is kept is true": (i, { action, reason = "" }) =>
    action !== "keep" || (KEPT[reason]?.(i) ?? false),

  // Nothing is refused without need.
  "what is there and the same is in place": (i, { action }) =>
    !(
      isNamed(i) &&
      isManaged(i) &&
      i.own === "here" &&
      i.fields === "same" &&
      i.ends !== "in conflict"
    ) || action === "in place",
  "what nobody has is created": (i, { action }) =>
    !(isNamed(i) && isUnknown(i) && i.other === "none" && i.ends !== "in conflict") ||
    action === "create",
  "what is in no entry, and as the file says, is adopted": (i, { action }) =>
    !(isNamed(i) && isUnknown(i) && i.other === "one" && i.fields === "same") ||
    i.ends === "in conflict" ||
    action === "adopt",
  "what changed in the file or at the service is updated": (i, { action }) =>
    !(isNamed(i) && isManaged(i) && isUpdatable(i) && isOneOf(i.owner, "mine", "nameless")) ||
    !(i.own === "here" || (i.own === "moved" && isOneOf(i.other, "none", "unclear"))) ||
    action === "update",
  "what is another file's and drifted is put back": (i, { action }) =>
    !(isNamed(i) && isManaged(i) && isUpdatable(i) && i.owner === "other") ||
    i.own !== "here" ||
    i.fields !== "drift" ||
    action === "update",
  "what was renamed at the service, and follows in the file, moves": (i, { action }) =>
    !(isNamed(i) && isUnknown(i) && i.ends !== "in conflict") ||
    !(i.other === "mine elsewhere" || (i.other === "theirs elsewhere" && i.shared)) ||
    action === "move",
  "what is unnamed, unused, this file's, and created by amp is deleted": (i, { action }) =>
    !(isKnown(i) && isDeletable(i) && i.breaks === "nothing") || action === "delete",
  "each unnamed entry has its end": (i, { action }) =>
    !(i.file === "no" && isManaged(i)) || unnamedEnds(i).includes(action),
  "what is declared by its ID is in place, unless it is gone or named twice": (i, { action }) =>
    !(i.file === "id" && isKnown(i)) ||
    action === (i.own === "gone" || i.other === "named elsewhere" ? "conflict" : "in place"),
};

function isManaged(i: Situation): boolean {
  return i.entry === "settled" && isKnown(i);
}

function isUnknown(i: Situation): boolean {
  return isFree(i) && isKnown(i);
}

function isUpdatable(i: Situation): boolean {
  const isChanged = i.fields === "ours" || i.fields === "drift";
  return isChanged && i.send === "can" && i.breaks === "nothing" && i.ends === "kept";
}

function isDeletable(i: Situation): boolean {
  const isOwn = i.entry === "settled" && i.owner === "mine" && i.made === "amp" && i.also === "no";
  const isUnused = i.breaks === "nothing" || (i.breaks === "reads" && i.references);
  const isUnnamed = i.file === "no" && i.other === "none" && i.own !== "moved";
  return isUnnamed && isOwn && isUnused && i.prune;
}

function unnamedEnds(i: Situation): readonly Row["action"][] {
  if (i.made === "found" && i.own === "gone" && i.owner !== "other") return ["forget"];
  if (i.owner !== "mine") return ["nothing"];
  if (i.other === "named elsewhere") return ["release"];
  if (!i.prune) return ["keep"];
  if (i.also === "yes") return ["hand over"];
  return i.made === "found" ? ["release"] : ["keep", "delete", "conflict"];
}

/** What is true where a conflict has this reason. */
const CAUSES: Readonly<Record<string, (i: Situation) => boolean>> = {
  shared: (i) => i.owner === "other" || i.other === "theirs elsewhere",
  gone: (i) => i.own === "gone" && i.other === "none",
  replaced: (i) => i.own === "gone" && i.other === "one",
  not_found: (i) => i.file === "id" && i.own === "gone",
  both_exist: (i) => i.file === "both",
  cannot_change: (i) => i.send === "cannot",
  in_reads: (i) => i.breaks === "reads",
  changed_both: (i) => i.fields === "both" && !isFree(i),
  not_managed: (i) => isFree(i) || i.owner === "person",
  ambiguous: (i) => i.other === "several",
  unclear: (i) => i.other === "unclear",
  end_in_conflict: (i) => i.ends === "in conflict",
  same_id: isElsewhere,
  name_taken: (i) => i.own === "moved",
};

/** What is true where something is kept for this reason. */
const KEPT: Readonly<Record<string, (i: Situation) => boolean>> = {
  no_prune: (i) => !i.prune,
  other_name: (i) => i.own === "moved",
  in_use: (i) => i.breaks === "routes",
};

/** What must hold whatever is known of a write of unknown outcome. */
export const SETTLE_INVARIANTS: Readonly<
  Record<string, (evidence: WriteEvidence, row: SettleRow) => boolean>
> = {
  "a create counts as not done only past the horizon, listed, and seen nowhere": (i, { outcome }) =>
    !(i.op === "create" && outcome === "not done") ||
    (i.lists === "yes" &&
      i.time === "past" &&
      isOneOf(i.look, "other", "nothing") &&
      i.sure === "no"),
  "without lists a create of unknown outcome stops the run": (i, { outcome }) =>
    !(i.op === "create" && i.lists === "no") || outcome === "stop",
  "only what shows all that was sent is created by amp": (i, { outcome }) =>
    !(i.op === "create" && outcome === "done") || i.look === "one",
  "an update is decided only past the horizon, and done only if shown": (i, { outcome }) =>
    !(i.op === "update" && outcome !== "wait") ||
    (i.time === "past" && (outcome !== "done" || i.look === "sent")),
  "a delete is done only if it is no longer listed, and a list could show it": (i, { outcome }) =>
    !(i.op === "delete" && outcome === "done") ||
    (i.look === "not listed" && (i.sure === "yes" || i.time === "past")),
  "a delete is not done only past the horizon": (i, { outcome }) =>
    !(i.op === "delete" && outcome === "not done") || i.time === "past",
  "only a delete, and only without lists, is sent again unseen": (i, { outcome }) =>
    (outcome === "again") === (i.op === "delete" && i.lists === "no"),
  "what is certain is not waited for": (i, { outcome }) =>
    outcome !== "wait" ||
    (i.time === "within" &&
      !(i.op === "create" && isOneOf(i.look, "one", "several")) &&
      !(i.op === "delete" && i.look === "not listed" && i.sure === "yes")),
  "a stop has a cause": (i, { outcome }) =>
    outcome !== "stop" ||
    (i.op === "create" &&
      (i.lists === "no" || i.sure === "yes" || isOneOf(i.look, "several", "renamed"))),
  "past the horizon what is seen decides": (i, { outcome }) =>
    i.time === "within" || i.lists === "no" || outcome === pastHorizon(i),
};

function pastHorizon({ look, sure }: WriteEvidence): SettleRow["outcome"] | undefined {
  if (look === "one" || look === "sent" || look === "not listed") return "done";
  if (look === "bare") return "found";
  if (look === "several" || look === "renamed") return "stop";
  if (look === "other" || look === "nothing") return sure === "yes" ? "stop" : "not done";
  return look === "-" ? undefined : "not done";
}
