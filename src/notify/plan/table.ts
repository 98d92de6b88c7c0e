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
   * `elsewhere`: the entry of another address has it, which is unnamed, named in this file, or
   * another file's. `unclear`: the list hides what identifies it.
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
  /** The topic and destination of a route: `new`, or with another ID; `open`: in conflict. */
  ends: ["kept", "new", "open"],
  /** Whether there is a delete. */
  remove: ["can", "cannot"],
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

const FREE = ["none"] as const;
const ELSEWHERE = ["mine elsewhere", "named elsewhere", "theirs elsewhere"] as const;

/** The decisions about a resource, in order; what a row does not name may be anything. */
export const ROWS = [
  // Before anything.
  {
    id: "A1",
    when: { entry: ["pending"] },
    action: "settle",
    why: "what was begun is settled first",
  },
  { id: "A2", when: { list: ["not yet"] }, action: "wait", why: "an own act outranks a list" },
  // What the file does not name.
  { id: "N1", when: { file: ["no"], entry: FREE }, action: "nothing", why: "not amp's" },
  {
    id: "N2",
    when: { file: ["no"], owner: ["mine", "nameless", "person"], made: ["found"], own: ["gone"] },
    action: "forget",
    why: "amp did not create it, and it is gone",
  },
  {
    id: "N3",
    when: { file: ["no"], owner: ["nameless", "person", "other"] },
    action: "nothing",
    why: "somebody else's",
  },
  {
    id: "N4",
    when: { file: ["no"], other: ["named elsewhere"] },
    action: "release",
    why: "the file declares its ID elsewhere: a person's from now on",
  },
  {
    id: "N5",
    when: { file: ["no"], prune: false },
    action: "keep",
    reason: "no_prune",
    why: "no longer in the file; --prune deletes it",
  },
  {
    id: "N6",
    when: { file: ["no"], also: ["yes"] },
    action: "hand over",
    why: "another file declares it",
  },
  {
    id: "N7",
    when: { file: ["no"], made: ["found"] },
    action: "release",
    why: "amp did not create it: it stays, and is a person's from now on",
  },
  {
    id: "N8",
    when: { file: ["no"], own: ["moved"] },
    action: "keep",
    reason: "other_name",
    why: "its ID has another name now",
  },
  {
    id: "N9",
    when: { file: ["no"], remove: ["cannot"] },
    action: "keep",
    reason: "no_delete",
    why: "there is no delete",
  },
  {
    id: "N10",
    when: { file: ["no"], breaks: ["routes"] },
    action: "keep",
    reason: "in_use",
    why: "routes that stay use it",
  },
  {
    id: "N11",
    when: { file: ["no"], breaks: ["reads"], references: false },
    action: "conflict",
    reason: "in_reads",
    word: "references",
    why: "reads of customers name it",
  },
  {
    id: "N12",
    when: { file: ["no"] },
    action: "delete",
    why: "this file's, created by amp, and named no more; by ID, also if it is not listed",
  },
  // What the file declares by its ID.
  {
    id: "I1",
    when: { file: ["id"], other: ["named elsewhere"] },
    action: "conflict",
    reason: "same_id",
    why: "one ID, one address",
  },
  {
    id: "I2",
    when: { file: ["id"], own: ["gone"] },
    action: "conflict",
    reason: "not_found",
    why: "it is not listed, or amp deleted it",
  },
  { id: "I3", when: { file: ["id"] }, action: "in place", why: "it exists; nothing is sent" },
  // What the file names.
  {
    id: "R1",
    when: { file: ["both"] },
    action: "conflict",
    reason: "both_exist",
    why: "which of the two is meant is not known",
  },
  {
    id: "E1",
    when: { ends: ["open"] },
    action: "conflict",
    reason: "end_in_conflict",
    why: "its topic or destination is in conflict",
  },
  // Whose is the resource of its name?
  {
    id: "K1",
    when: { entry: FREE, other: ["named elsewhere"] },
    action: "conflict",
    reason: "same_id",
    why: "one ID, one address",
  },
  {
    id: "K2",
    when: { entry: FREE, other: ["theirs elsewhere"], shared: false },
    action: "conflict",
    reason: "shared",
    word: "shared",
    why: "another file's, renamed at the service",
  },
  {
    id: "K3",
    when: { entry: FREE, other: ["mine elsewhere", "theirs elsewhere"] },
    action: "move",
    why: "renamed at the service, and the file follows; then it is decided again",
  },
  {
    id: "K4",
    when: { own: ["moved"], other: ["one", "several", ...ELSEWHERE] },
    action: "conflict",
    reason: "name_taken",
    why: "renamed at the service, and another one has the name",
  },
  {
    id: "K5",
    when: { own: ["gone"], other: ELSEWHERE },
    action: "conflict",
    reason: "same_id",
    why: "one ID, one address",
  },
  {
    id: "K6",
    when: { own: ["-", "gone"], other: ["several"] },
    action: "conflict",
    reason: "ambiguous",
    why: "several match",
  },
  {
    id: "K7",
    when: { own: ["-", "gone"], other: ["unclear"] },
    action: "conflict",
    reason: "unclear",
    why: "the list does not show enough",
  },
  // It is not there.
  { id: "M1", when: { entry: FREE, other: ["none"] }, action: "create", why: "nobody has it" },
  {
    id: "M2",
    when: { own: ["gone"], owner: ["other"], shared: false },
    action: "conflict",
    reason: "shared",
    word: "shared",
    why: "gone, and another file's",
  },
  {
    id: "M3",
    when: { own: ["gone"], other: ["none"], recreate: false },
    action: "conflict",
    reason: "gone",
    word: "recreate",
    why: "deleted elsewhere, or the list is wrong",
  },
  { id: "M4", when: { own: ["gone"], other: ["none"] }, action: "create", why: "asked for" },
  {
    id: "M5",
    when: { own: ["gone"], adopt: false },
    action: "conflict",
    reason: "replaced",
    word: "adopt",
    why: "gone, and another one has its name",
  },
  // It is there.
  {
    id: "T1",
    when: { own: ["-", "gone"], fields: ["same"] },
    action: "adopt",
    why: "it is as the file says",
  },
  {
    id: "T2",
    when: { fields: ["same"] },
    action: "in place",
    why: "file, state and service agree; that of a file without name or of a person is this file's now",
  },
  {
    id: "T3",
    when: { owner: ["other"], fields: ["ours", "both"], shared: false },
    action: "conflict",
    reason: "shared",
    word: "shared",
    why: "another file says otherwise",
  },
  {
    id: "T4",
    when: { send: ["cannot"] },
    action: "conflict",
    reason: "cannot_change",
    why: "no update can make it so",
  },
  {
    id: "T5",
    when: { entry: FREE, adopt: false },
    action: "conflict",
    reason: "not_managed",
    word: "adopt",
    why: "not amp's, and with other settings",
  },
  {
    id: "T6",
    when: { owner: ["person"], adopt: false },
    action: "conflict",
    reason: "not_managed",
    word: "adopt",
    why: "a person's: by a single command, or released",
  },
  {
    id: "T7",
    when: { fields: ["both"], adopt: false },
    action: "conflict",
    reason: "changed_both",
    word: "adopt",
    why: "changed in the file and at the service",
  },
  {
    id: "T8",
    when: { breaks: ["reads"], references: false },
    action: "conflict",
    reason: "in_reads",
    word: "references",
    why: "reads of customers name it",
  },
  { id: "T9", when: {}, action: "update", why: "changed in the file, put back, or asked for" },
] as const satisfies readonly Row[];

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

/** The settlement of writes of unknown outcome, in order. */
export const SETTLE_ROWS = [
  {
    id: "C1",
    when: { op: ["create"], lists: ["no"] },
    outcome: "stop",
    why: "only the user can look",
  },
  { id: "C2", when: { op: ["create"], look: ["one"] }, outcome: "done", why: "created by amp" },
  {
    id: "C3",
    when: { op: ["create"], look: ["several"] },
    outcome: "stop",
    why: "which one is not known",
  },
  { id: "C4", when: { op: ["create"], time: ["within"] }, outcome: "wait", why: "it may come" },
  {
    id: "C5",
    when: { op: ["create"], look: ["bare"] },
    outcome: "found",
    why: "it does not show what was sent: in place, but never pruned",
  },
  {
    id: "C6",
    when: { op: ["create"], sure: ["yes"] },
    outcome: "stop",
    why: "created, and nowhere listed",
  },
  {
    id: "C7",
    when: { op: ["create"], look: ["renamed"] },
    outcome: "stop",
    why: "the user says whether it is the one under another name",
  },
  { id: "C8", when: { op: ["create"] }, outcome: "not done", why: "it never came" },
  {
    id: "U1",
    when: { op: ["update"], time: ["within"] },
    outcome: "wait",
    why: "it may still come, and what is shown may be older than what was before it",
  },
  { id: "U2", when: { op: ["update"], look: ["sent"] }, outcome: "done", why: "shown" },
  {
    id: "U3",
    when: { op: ["update"] },
    outcome: "not done",
    why: "what the service has of its fields is unknown: the file's are sent",
  },
  {
    id: "D1",
    when: { op: ["delete"], lists: ["no"] },
    outcome: "again",
    why: "by ID: a 404 is done",
  },
  {
    id: "D2",
    when: { op: ["delete"], look: ["not listed"], sure: ["yes"] },
    outcome: "done",
    why: "it was listed before, and is not now",
  },
  {
    id: "D3",
    when: { op: ["delete"], time: ["within"] },
    outcome: "wait",
    why: "it may still come, or still be shown",
  },
  {
    id: "D4",
    when: { op: ["delete"], look: ["listed"] },
    outcome: "not done",
    why: "still there: planned again",
  },
  { id: "D5", when: { op: ["delete"] }, outcome: "done", why: "gone" },
] as const satisfies readonly SettleRow[];

/** The row that settles a write: the first whose condition holds. */
export function settlement(
  evidence: WriteEvidence,
  rows: readonly SettleRow[] = SETTLE_ROWS,
): SettleRow {
  const row = rows.find(({ when }) => holds(when, evidence));
  if (row === undefined) throw new Error("no row settles");
  return row;
}
