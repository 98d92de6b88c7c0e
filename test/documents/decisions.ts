import type { ItemDocument } from "../../src/documents/routing.ts";
import { remedyOf } from "../../src/notify/plan/conflicts.ts";
import {
  type INPUTS,
  ROWS,
  type Row,
  SETTLE_ROWS,
  type SettleRow,
  type Situation,
} from "../../src/notify/plan/table.ts";
import type { ConflictReason, KeepReason } from "../../src/notify/plan/vocabulary.ts";
import type { Entry, Mark, Pending } from "../../src/notify/state/state.ts";

/** The parts of `docs/state.md` that follow from the source, by the names of their markers. */
const PARTS: Readonly<Record<string, () => string>> = {
  entry: () => fieldTable(ENTRY),
  pending: () => fieldTable(PENDING),
  mark: () => fieldTable(MARK),
  questions,
  actions,
  decisions,
  settlement,
};

/** A page with its generated parts, which stand between markers, written anew. */
export function withDecisions(page: string): string {
  const found = new Set<string>();
  const written = page.replaceAll(
    /<!-- generated: (\w+) -->\n[\s\S]*?<!-- end -->/gu,
    (_, name: string) => {
      const part = PARTS[name];
      if (part === undefined) throw new Error(`${name} is not a generated part`);
      found.add(name);
      return `<!-- generated: ${name} -->\n\n${part()}\n\n<!-- end -->`;
    },
  );
  const missing = Object.keys(PARTS).filter((name) => !found.has(name));
  if (missing.length > 0) throw new Error(`the page lacks ${missing.join(", ")}`);
  return written;
}

const ENTRY: Readonly<Record<keyof Entry, string>> = {
  id: "the ID at the service; absent only while its create is pending",
  owner:
    "who may change it: `file:NAME` (the file with that `name:`), `nameless` (a file without one), `person` (a single command, or nobody any more)",
  alsoIn: "the names of the other files that declare it and found it as they say",
  made: "`amp`: amp created it. `found`: it was adopted or imported, or cannot be proved to be amp's. Only `amp` is ever pruned",
  fields:
    "each field that was sent, by its path, as two digests: what amp sent (`unknown` after an update that no list confirmed), and what a list has shown since (`unseen` before, `hidden` for a mask, `instead:` and a digest for what was shown in its place)",
  key: "the name as it was sent; of a route its event, and the IDs of its topic and destination",
  time: "when amp last did something with it, by the clock of the machine; absent if it only found it",
  serviceTime: "the same by the clock of the service",
  madeAt: "when amp created it; absent for what was found",
  requestId: "the service's ID of the last write",
  rotating: "when a rotation of its signing secret began whose outcome is unknown",
  pending: "the write that was begun and whose outcome is not known yet",
};

const PENDING: Readonly<Record<keyof Pending, string>> = {
  op: "`create`, `update` or `delete`",
  fields: "of an update: the digests that it sends, by path",
  name: "of an update: the new name",
  was: "of an update or delete: the digests of what was there before, for the history",
  idempotencyKey: "of a create: its `Idempotency-Key`, which most services ignore",
  before:
    "of a create: the IDs that the list showed for its name before: none of them is its result",
  since: "of a create: the service's time before it; what was made earlier is not its result",
  created: "of a create: the service confirmed it without an ID",
  time: "when the request had ended at the latest, by the clock of the machine",
  serviceTime: "the same by the clock of the service",
  requestId: "the service's ID of the request",
  run: "the run that sent it: the history gives it the change",
};

const MARK: Readonly<Record<keyof Mark, string>> = {
  was: "`deleted`: lists may still show it, and are not believed. `forgotten` (by `state forget`): lists may not show it yet",
  time: "when, by the clock of the machine",
  serviceTime: "when, by the clock of the service",
};

function fieldTable(fields: Readonly<Record<string, string>>): string {
  return table(
    ["Field", "Meaning"],
    Object.entries(fields).map(([name, meaning]) => [`\`${name}\``, meaning]),
  );
}

/** What each question asks, and what each of its answers means. */
const MEANINGS: {
  readonly [Name in keyof typeof INPUTS]: readonly [
    asks: string,
    answers: Readonly<Record<Situation[Name], string>>,
  ];
} = {
  file: [
    "How does the file declare it?",
    {
      yes: "by its name, or a route by its ends",
      both: "with `renamed-from`, and the old and the new name exist as two resources",
      id: "by its ID (`id:`)",
      no: "not at all",
    },
  ],
  entry: [
    "What does the state have at its address?",
    { none: "nothing", settled: "an entry", pending: "an entry with a write of unknown outcome" },
  ],
  owner: [
    "Whose is the entry?",
    {
      "-": "no entry",
      mine: "this file's",
      nameless:
        "a file's without `name:`; it never counts as this file's, not even for such a file",
      person: "a person's",
      other: "another file's",
    },
  ],
  made: [
    "Who made it?",
    { "-": "no entry", amp: "amp", found: "somebody else, or not provably amp" },
  ],
  list: [
    "May the list be believed?",
    {
      believed: "yes",
      "not yet": "it contradicts something that amp did less than one horizon ago",
      "no lists": "the service has none",
    },
  ],
  own: [
    "Where is the ID of the entry, or the ID that the file declares?",
    {
      "-": "neither has one",
      here: "listed, under the name that was sent or the one in the file; without lists always",
      moved: "listed under a name that is neither the one that was sent nor the one in the file",
      gone: "not listed",
    },
  ],
  other: [
    "Is a record involved that is not the entry's: one with its name, or with the ends of the route, or its own ID at another address?",
    {
      none: "none",
      one: "one, which is in no entry of the state",
      several: "more than one",
      unclear: "one may have: the list hides the name or the ends",
      "mine elsewhere":
        "one, in an entry at another address that the file does not declare: of this file, a person or a file without name",
      "named elsewhere":
        "one, in an entry, or by its ID, at another address that this file declares",
      "theirs elsewhere":
        "one, in an entry of another file at another address, which this file does not declare",
    },
  ],
  fields: [
    "Do the fields agree (the worst of them)?",
    {
      same: "all",
      ours: "only the file changed",
      drift: "only the service changed",
      both: "both changed; or, without an entry, the list does not show the value of the file",
    },
  ],
  send: [
    "Can an update make them agree?",
    { can: "yes", cannot: "no: the type differs, or it is a route" },
  ],
  ends: [
    "Of a route: its topic and destination?",
    {
      kept: "those that it was made with",
      new: "at least one is created now or has another ID",
      "in conflict": "at least one is",
    },
  ],
  breaks: [
    "What would a delete or a new name break?",
    {
      nothing: "nothing",
      routes: "routes that stay",
      reads: "reads of customers, which name the destination",
    },
  ],
  also: ["Has another file found it in place?", { no: "no", yes: "yes, it is in `alsoIn`" }],
};

function questions(): string {
  const rows = Object.entries(MEANINGS).map(([name, [asks, answers]]) => [
    `\`${name}\``,
    asks,
    Object.entries(answers)
      .map(([answer, meaning]) => `**${answerText(answer)}**: ${meaning}`)
      .join("; "),
  ]);
  return table(["Question", "Asks", "Answers"], rows);
}

/** What each action does at the service, and in the state. */
const ACTIONS: Readonly<Record<Row["action"], readonly [sends: string, saves: string]>> = {
  settle: ["see [below](#an-unknown-outcome)", "then it is decided anew"],
  wait: ["the lists are read again, for one horizon at most", "nothing"],
  nothing: ["nothing", "the name of the file leaves `alsoIn`, if it was there"],
  forget: ["nothing", "the entry is removed"],
  release: ["nothing", "the owner is `person`"],
  keep: ["nothing", "nothing; plan and receipt name it"],
  "hand over": ["nothing", "the first of `alsoIn` is the owner"],
  conflict: ["nothing, of the whole plan", "nothing; exit code 5"],
  delete: ["a delete by ID, also if it is not listed", "a mark in place of the entry"],
  "in place": [
    "nothing",
    "of `person`, and of `nameless` if the file has a name: this file is the owner (a person's counts as `found`); of another file: this one's name is added to `alsoIn`",
  ],
  move: [
    "nothing",
    "the entry moves to this address; another file's is this file's then; then it is decided anew",
  ],
  create: [
    "a create",
    "an entry of this file, made by `amp`; an ID that was at the address is left",
  ],
  adopt: ["nothing", "an entry of this file, `found`; an ID that was at the address is left"],
  update: [
    "an update of the fields that differ, and no others",
    "as `in place`; with `--accept shared` this file is the owner, and the earlier one is in `alsoIn`; with no entry, or where the ID of the entry is gone, as `adopt`: what is updated is the record that has the name",
  ],
};

function actions(): string {
  return table(
    ["Action", "At the service", "In the state"],
    Object.entries(ACTIONS).map(([action, cells]) => [`**${action}**`, ...cells]),
  );
}

/** The way out of what is kept. */
const KEPT: Readonly<Record<KeepReason | "no_prune", string>> = {
  no_prune: "Add `--prune`.",
  in_use: "Delete the routes, or keep it in the file.",
  other_name: "Rename it back, or remove it from the state.",
};

/** The parts of the table, by the first letter of a row. */
const GROUPS: Readonly<Record<string, string>> = {
  A: "Before anything else",
  N: "Not in the file",
  I: "In the file by its ID",
  R: "In the file",
  E: "In the file",
  K: "In the file, and another record is involved",
  M: "In the file, and its ID is gone or it has none",
  T: "In the file, and a record is there",
};

function decisions(): string {
  const heads = Map.groupBy<string, Row>(ROWS, ({ id }) => GROUPS[id.charAt(0)] ?? "");
  return [...heads]
    .map(([group, rows]) =>
      [
        `**${group}**`,
        table(
          ["Row", "When", "Action", "Why", "Way out"],
          rows.map((row) => [row.id, whenText(row.when), actionText(row), row.why, wayOut(row)]),
        ),
      ].join("\n\n"),
    )
    .join("\n\n");
}

function actionText({ action, reason }: Row): string {
  return reason === undefined ? `**${action}**` : `**${action}** \`${reason}\``;
}

function wayOut({ id, action, reason }: Row): string {
  if (reason === undefined) return "";
  if (action === "keep") return KEPT[reason as keyof typeof KEPT];
  const item: ItemDocument = {
    address: "topic/a",
    kind: "topic",
    action: "conflict",
    reason: reason as ConflictReason,
    owners: ["its owner"],
    ...(id === "I1" ? { differences: [{ field: "id", wanted: "top_1", found: undefined }] } : {}),
    ...(id === "K2" ? { elsewhere: "topic/b" } : {}),
    ...(id === "T3" ? { differences: [{ field: "name", wanted: "a", found: "b" }] } : {}),
  };
  return remedyOf(item).replaceAll('"its owner"', "its owner") || "Resolve that conflict.";
}

/** A condition in the words of the questions; the file is in the heading of the rows. */
function whenText(when: Row["when"] | SettleRow["when"]): string {
  const parts = Object.entries(when as Readonly<Record<string, unknown>>).flatMap(
    ([name, wanted]) => {
      if (name === "file" && !(wanted as string[]).includes("both")) return [];
      if (typeof wanted === "boolean") return `${wanted ? "" : "not "}\`${choiceText(name)}\``;
      return `\`${name}\` ${oneOf(wanted as readonly string[])}`;
    },
  );
  return parts.join("; ") || "otherwise";
}

function choiceText(name: string): string {
  return name === "prune" ? "--prune" : `--accept ${name}`;
}

function oneOf(words: readonly string[]): string {
  const all = words.map(answerText);
  return [all.slice(0, -1).join(", "), all.at(-1)].filter(Boolean).join(" or ");
}

/** The answer that there is none to give, in words. */
function answerText(answer: string): string {
  return answer === "-" ? "none" : answer;
}

const SETTLED: Readonly<Record<SettleRow["outcome"], string>> = {
  done: "done",
  found: "done, but counts as `found`",
  "not done": "not done: decided as if it had not been sent",
  wait: "wait, and look again",
  again: "sent again",
  stop: "stop: exit code 9; the error has the command to record what you see",
};

/** What is known, in the words of a reader: for each word of the table that a row asks. */
const SEEN: Readonly<Record<string, string>> = {
  "lists: no": "no lists",
  "time: within": "within the horizon",
  "look: one": "one new record, as it was sent",
  "look: bare": "one new record that does not show a field that was sent",
  "look: several": "several new records",
  "look: renamed": "a new record with its values under another name",
  "look: sent": "all its fields shown as they were sent",
  "look: listed": "still listed",
  "look: not listed": "not listed",
  "sure: yes create": "confirmed by the service without an ID, and not listed",
  "sure: yes delete": "made longer ago than the horizon",
};

function settlement(): string {
  const waited = new Set<string>();
  const rows = SETTLE_ROWS.map((row: SettleRow) => {
    const { op: [op = ""] = [], ...rest } = row.when;
    const seen = seenText(op, rest, waited.has(op));
    if (row.outcome === "wait") waited.add(op);
    return [row.id, op, seen, SETTLED[row.outcome], row.why];
  });
  return table(["Row", "Write", "What is seen", "Then", "Why"], rows);
}

/** @param isPast whether an earlier row of the write waits for its horizon */
function seenText(op: string, rest: Omit<SettleRow["when"], "op">, isPast: boolean): string {
  const parts = Object.entries(rest).flatMap(([name, words]) =>
    words.map((word) => {
      const text = SEEN[`${name}: ${word}`] ?? SEEN[`${name}: ${word} ${op}`];
      if (text === undefined) throw new Error(`${name} ${word} has no words`);
      return text;
    }),
  );
  if (parts.length === 0) parts.push("anything else");
  return [...(isPast ? ["past the horizon"] : []), ...parts].join(", ");
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}
