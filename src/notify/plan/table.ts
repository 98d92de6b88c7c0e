/** The questions that decide what is done about a resource, each with its possible answers. */
export const INPUTS = {
  /**
   * How the file declares it. `both`: by `renamed-from`, and the old and the new name exist as two.
   * `id`: as existing, by its ID.
   */
  file: ["yes", "both", "id", "no"],
  /** What the state has at its address. */
  entry: ["none", "settled", "pending"],
  /** Whose the entry is: this file's, that of a file without name, a single command's, another file's. */
  owner: ["-", "mine", "nameless", "person", "other"],
  /** Whether amp created it, or found it. */
  made: ["-", "amp", "found"],
  /** `not yet`: an own act is younger than the horizon, and the list contradicts it. */
  list: ["believed", "not yet", "no lists"],
  /** The ID of the entry, or the declared one. `moved`: listed under a name that is neither sent nor wanted. */
  own: ["-", "here", "moved", "gone"],
  /**
   * A listed resource of the same name, or ends, that is not the entry's. `one`: in no entry.
   * `elsewhere`: the entry of another address has it, which this file names, or another file owns
   * (`theirs`), or neither (`mine`). `unclear`: the list hides what identifies it.
   */
  other: [
    "none",
    "one",
    "several",
    "unclear",
    "mine elsewhere",
    "named elsewhere",
    "theirs elsewhere",
  ],
  /** The file against what was sent, and the service against what it has shown; see `compare`. */
  fields: ["same", "ours", "drift", "both"],
  /** Whether an update can make it so: never of a type, never of a route. */
  send: ["can", "cannot"],
  /** The topic and destination of a route. `new`: one is created now, or has another ID. */
  ends: ["kept", "new", "in conflict"],
  /** What a delete or a new name would break: routes that stay, or reads of customers. */
  breaks: ["nothing", "routes", "reads"],
  /** Whether another file found it in place. */
  also: ["no", "yes"],
} as const;

/** The choices of a user that decide, too: `--prune`, and words of `--accept`. */
export const DECIDING_CHOICES = ["prune", "recreate", "adopt", "shared", "references"] as const;

/** An answer to each question, and each choice. */
export type Situation = {
  readonly [Name in keyof typeof INPUTS]: (typeof INPUTS)[Name][number];
} & { readonly [Choice in (typeof DECIDING_CHOICES)[number]]: boolean };

/** A row of the table: the first whose condition holds decides. */
export interface Row {
  readonly id: string;
  /** The answers that it needs; what it does not ask may be anything. */
  readonly when: {
    readonly [Name in keyof Situation]?: Situation[Name] extends boolean
      ? boolean
      : readonly Situation[Name][];
  };
  readonly action:
    | "settle"
    | "wait"
    | "nothing"
    | "forget"
    | "release"
    | "keep"
    | "hand over"
    | "conflict"
    | "delete"
    | "in place"
    | "move"
    | "create"
    | "adopt"
    | "update";
  /** Why, for a reader of the table. */
  readonly why: string;
  /** Why it is in conflict, or kept. */
  readonly reason?: string;
  /** The choice that resolves a conflict; absent: only a change of the file or of the service does. */
  readonly word?: Exclude<(typeof DECIDING_CHOICES)[number], "prune">;
}

const NONE = ["none"] as const;
const ELSEWHERE = ["mine elsewhere", "named elsewhere", "theirs elsewhere"] as const;

function row<const Id extends string>(
  id: Id,
  when: Row["when"],
  action: Row["action"],
  why: string,
  reason?: string,
) {
  return { id, when, action, why, ...(reason && { reason }) };
}

/** A row that prevents a plan from being applied, unless its word is accepted. */
function conflict<const Id extends string>(
  id: Id,
  when: Row["when"],
  reason: string,
  why: string,
  word?: Row["word"],
) {
  return { id, when, action: "conflict" as const, reason, why, ...(word && { word }) };
}

/** The decisions about a resource, in order; what a row does not name may be anything. */
export const ROWS = [
  // Before anything.
  row("A1", { entry: ["pending"] }, "settle", "what was begun is settled first"),
  row("A2", { list: ["not yet"] }, "wait", "an own act outranks a list"),
  // What the file does not name.
  row("N1", { file: ["no"], entry: NONE }, "nothing", "not amp's"),
  row(
    "N2",
    { file: ["no"], owner: ["mine", "nameless", "person"], made: ["found"], own: ["gone"] },
    "forget",
    "amp did not create it, and it is gone",
  ),
  row("N3", { file: ["no"], owner: ["nameless", "person", "other"] }, "nothing", "somebody else's"),
  row(
    "N4",
    { file: ["no"], other: ["named elsewhere"] },
    "release",
    "the file declares its ID elsewhere: a person's from now on",
  ),
  row(
    "N5",
    { file: ["no"], prune: false },
    "keep",
    "no longer in the file; --prune deletes it",
    "no_prune",
  ),
  row("N6", { file: ["no"], also: ["yes"] }, "hand over", "another file declares it"),
  row(
    "N7",
    { file: ["no"], made: ["found"] },
    "release",
    "amp did not create it: it stays, and is a person's from now on",
  ),
  row("N8", { file: ["no"], own: ["moved"] }, "keep", "its ID has another name now", "other_name"),
  row("N9", { file: ["no"], breaks: ["routes"] }, "keep", "routes that stay use it", "in_use"),
  conflict(
    "N10",
    { file: ["no"], breaks: ["reads"], references: false },
    "in_reads",
    "reads of customers name it",
    "references",
  ),
  row(
    "N11",
    { file: ["no"] },
    "delete",
    "this file's, created by amp, and named no more; by ID, also if it is not listed",
  ),
  // What the file declares by its ID.
  conflict("I1", { file: ["id"], other: ["named elsewhere"] }, "same_id", "one ID, one address"),
  conflict(
    "I2",
    { file: ["id"], own: ["gone"] },
    "not_found",
    "it is not listed, or amp deleted it",
  ),
  row("I3", { file: ["id"] }, "in place", "it exists; nothing is sent"),
  // What the file names.
  conflict("R1", { file: ["both"] }, "both_exist", "which of the two is meant is not known"),
  conflict(
    "E1",
    { ends: ["in conflict"] },
    "end_in_conflict",
    "its topic or destination is in conflict",
  ),
  // Whose is the resource of its name?
  conflict("K1", { entry: NONE, other: ["named elsewhere"] }, "same_id", "one ID, one address"),
  conflict(
    "K2",
    { entry: NONE, other: ["theirs elsewhere"], shared: false },
    "shared",
    "another file's, renamed at the service",
    "shared",
  ),
  row(
    "K3",
    { entry: NONE, other: ["mine elsewhere", "theirs elsewhere"] },
    "move",
    "renamed at the service, and the file follows; then it is decided again",
  ),
  conflict(
    "K4",
    { own: ["moved"], other: ["one", "several", ...ELSEWHERE] },
    "name_taken",
    "renamed at the service, and another one has the name",
  ),
  conflict("K5", { own: ["gone"], other: ELSEWHERE }, "same_id", "one ID, one address"),
  conflict("K6", { own: ["-", "gone"], other: ["several"] }, "ambiguous", "several match"),
  conflict(
    "K7",
    { own: ["-", "gone"], other: ["unclear"] },
    "unclear",
    "the list does not show enough",
  ),
  // It is not there.
  row("M1", { entry: NONE, other: ["none"] }, "create", "nobody has it"),
  conflict(
    "M2",
    { own: ["gone"], owner: ["other"], shared: false },
    "shared",
    "gone, and another file's",
    "shared",
  ),
  conflict(
    "M3",
    { own: ["gone"], other: ["none"], recreate: false },
    "gone",
    "deleted elsewhere, or the list is wrong",
    "recreate",
  ),
  row("M4", { own: ["gone"], other: ["none"] }, "create", "asked for"),
  conflict(
    "M5",
    { own: ["gone"], adopt: false },
    "replaced",
    "gone, and another one has its name",
    "adopt",
  ),
  // It is there.
  row("T1", { own: ["-", "gone"], fields: ["same"] }, "adopt", "it is as the file says"),
  row(
    "T2",
    { fields: ["same"] },
    "in place",
    "file, state and service agree; that of a file without name or of a person is this file's now",
  ),
  conflict(
    "T3",
    { owner: ["other"], fields: ["ours", "both"], shared: false },
    "shared",
    "another file says otherwise",
    "shared",
  ),
  conflict("T4", { send: ["cannot"] }, "cannot_change", "no update can make it so"),
  conflict(
    "T5",
    { entry: NONE, adopt: false },
    "not_managed",
    "not amp's, and with other settings",
    "adopt",
  ),
  conflict(
    "T6",
    { owner: ["person"], adopt: false },
    "not_managed",
    "a person's: by a single command, or released",
    "adopt",
  ),
  conflict(
    "T7",
    { fields: ["both"], adopt: false },
    "changed_both",
    "changed in the file and at the service",
    "adopt",
  ),
  conflict(
    "T8",
    { breaks: ["reads"], references: false },
    "in_reads",
    "reads of customers name it",
    "references",
  ),
  row("T9", {}, "update", "changed in the file, put back, or asked for"),
];

/** Whether a condition holds in a situation. */
export function holds(
  when: Readonly<Record<string, unknown>>,
  situation: Readonly<Record<string, unknown>>,
): boolean {
  for (const name in when) {
    const wanted = when[name];
    const is = situation[name];
    if (Array.isArray(wanted) ? !wanted.includes(is) : wanted !== is) return false;
  }
  return true;
}

/** The row that decides: the first whose condition holds. The last one always does. */
export function decide(situation: Situation, rows: readonly Row[] = ROWS): Row {
  const row = rows.find(({ when }) => holds(when, situation));
  if (row === undefined) throw new Error("no row decides");
  return row;
}

/** The questions that settle a write of unknown outcome. */
export const SETTLE_INPUTS = {
  op: ["create", "update", "delete"],
  lists: ["yes", "no"],
  /** Whether the horizon since the act has passed. */
  time: ["within", "past"],
  /**
   * What the list shows. Of a create: `one` new resource as it was sent; `bare`: one that does not
   * show a field that was sent; `several`; `other`: one with other values; `renamed`: one with its
   * values under another name. Of an update: the values `sent`, or `otherwise`; `unshown` or `gone`.
   */
  look: [
    "one",
    "bare",
    "several",
    "other",
    "renamed",
    "nothing",
    "sent",
    "otherwise",
    "unshown",
    "gone",
    "listed",
    "not listed",
    "-",
  ],
  /**
   * Of a create: the service said that it was done, without an ID. Of a delete: the resource is
   * older than the horizon, so that a list that lacks it is not behind.
   */
  sure: ["no", "yes"],
} as const;

/** What is known of a write of unknown outcome. */
export type WriteEvidence = {
  readonly [Name in keyof typeof SETTLE_INPUTS]: (typeof SETTLE_INPUTS)[Name][number];
};

/** A row of the settlement; the first whose condition holds decides. */
export interface SettleRow {
  readonly id: string;
  readonly when: {
    readonly [Name in keyof WriteEvidence]?: readonly WriteEvidence[Name][];
  };
  /** `found`: done, but not provably amp's. `again`: sent again. `stop`: the user has to say. */
  readonly outcome: "done" | "found" | "not done" | "wait" | "again" | "stop";
  readonly why: string;
}

function settles<const Id extends string>(
  id: Id,
  when: SettleRow["when"],
  outcome: SettleRow["outcome"],
  why: string,
) {
  return { id, when, outcome, why };
}

/** The settlement of writes of unknown outcome, in order. */
export const SETTLE_ROWS = [
  settles("C1", { op: ["create"], lists: ["no"] }, "stop", "only the user can look"),
  settles("C2", { op: ["create"], look: ["one"] }, "done", "created by amp"),
  settles("C3", { op: ["create"], look: ["several"] }, "stop", "which one is not known"),
  settles("C4", { op: ["create"], time: ["within"] }, "wait", "it may come"),
  settles(
    "C5",
    { op: ["create"], look: ["bare"] },
    "found",
    "it does not show what was sent: in place, but never pruned",
  ),
  settles("C6", { op: ["create"], sure: ["yes"] }, "stop", "created, and nowhere listed"),
  settles(
    "C7",
    { op: ["create"], look: ["renamed"] },
    "stop",
    "the user says whether it is the one under another name",
  ),
  settles("C8", { op: ["create"] }, "not done", "it never came"),
  settles(
    "U1",
    { op: ["update"], time: ["within"] },
    "wait",
    "it may still come, and what is shown may be older than what was before it",
  ),
  settles("U2", { op: ["update"], look: ["sent"] }, "done", "shown"),
  settles(
    "U3",
    { op: ["update"] },
    "not done",
    "what the service has of its fields is unknown: the file's are sent",
  ),
  settles("D1", { op: ["delete"], lists: ["no"] }, "again", "by ID: a 404 is done"),
  settles(
    "D2",
    { op: ["delete"], look: ["not listed"], sure: ["yes"] },
    "done",
    "it was listed before, and is not now",
  ),
  settles(
    "D3",
    { op: ["delete"], time: ["within"] },
    "wait",
    "it may still come, or still be shown",
  ),
  settles("D4", { op: ["delete"], look: ["listed"] }, "not done", "still there: planned again"),
  settles("D5", { op: ["delete"] }, "done", "gone"),
];

/** The row that settles a write: the first whose condition holds. */
export function settlement(
  evidence: WriteEvidence,
  rows: readonly SettleRow[] = SETTLE_ROWS,
): SettleRow {
  const row = rows.find(({ when }) => holds(when, evidence));
  if (row === undefined) throw new Error("no row settles");
  return row;
}

/** The words of `--accept`, each for what is otherwise a conflict. */
export const ACCEPT_WORDS = ["recreate", "adopt", "shared", "references", "takeover"] as const;

/** A word of `--accept`. */
export type AcceptWord = (typeof ACCEPT_WORDS)[number];

/** What must be chosen explicitly, because it deletes, or changes what may be somebody else's. */
export interface PlanChoices {
  /** Whether to delete what the file no longer declares. */
  readonly prune: boolean;
  readonly accept: readonly AcceptWord[];
}

/** The choices without any of them. */
export const NO_CHOICES: PlanChoices = { prune: false, accept: [] };

/** The choices of options; those that are absent are not made. */
export function planChoices({ prune = false, accept = [] }: Partial<PlanChoices>): PlanChoices {
  return { prune, accept: ACCEPT_WORDS.filter((word) => accept.includes(word)) };
}

/** The choices that the table of decisions asks for. */
export function decidingChoices({ prune, accept }: PlanChoices) {
  const words = DECIDING_CHOICES.map((name) => [
    name,
    name === "prune" ? prune : accept.includes(name),
  ]);
  return Object.fromEntries(words) as Readonly<Record<(typeof DECIDING_CHOICES)[number], boolean>>;
}
