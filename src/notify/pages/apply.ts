import type { ItemDocument, OutcomeDocument, PlanDocument } from "../../documents/routing.ts";
import type { AmpError, ExitName } from "../../errors.ts";
import { counted } from "../../values/counted.ts";
import { durationText } from "../../values/time.ts";
import {
  addressCell,
  type Block,
  id,
  note,
  type Page,
  rowsOfItems,
  table,
  toned,
  type ViewRows,
} from "../../view/view.ts";
import { ON_PAGE, outcomeText, type ReceiptDocument } from "../engine/receipt.ts";
import { duplicatesExit, unmanagedRoutesText } from "../plan/beyond.ts";
import { blockedError, isBlocker } from "../plan/conflicts.ts";
import { planPage, removedFromFileText } from "./plan.ts";

/** The result of an apply: its receipt, or its plan after `--dry-run`. */
export type ApplyResult = ReceiptDocument | PlanDocument;

/**
 * The page of an apply: its receipt, or its plan after `--dry-run`.
 * @param done what is complete
 */
export function applyPage(result: ApplyResult, done?: string): Page {
  if (!("items" in result)) return appliedPage(result, done);
  const { blocks, ...page } = planPage(result);
  return { ...page, blocks: [...blocks, ...note("Nothing was sent.", "dim")] };
}

/** The IDs of an apply, for `-o id`. */
export function appliedIds(result: ApplyResult): readonly string[] {
  if ("items" in result) return [];
  return result.settled.flatMap(({ id, outcome }) => (outcome === "deleted" ? [] : (id ?? [])));
}

/** The end of an apply or a plan; a plan that cannot be applied ends with its error. */
export function applyExit(result: ApplyResult): ExitName | AmpError {
  if ("items" in result) {
    const conflicts = result.items.filter(isBlocker);
    const blocked = blockedError(conflicts);
    if (blocked !== undefined) return blocked;
  }
  const isMissing =
    "items" in result &&
    result.items.some(
      ({ action, reason }) => action === "create" || action === "unknown" || reason === "gone",
    );
  return duplicatesExit(result.duplicates, isMissing);
}

/** The receipt of an apply: the changes, with their IDs, where no progress has shown them. */
function appliedPage(receipt: ReceiptDocument, done = "Apply"): Page {
  const { settled, duplicates, lists } = receipt;
  const removed = removedFromFileText(receipt.removedFromFile ?? []);
  const changed = settled.filter(({ outcome }) => outcome !== "in_place");
  const unchanged = settled.filter(({ outcome }) => outcome === "in_place");
  return {
    title: titleOf(receipt, done),
    blocks: [
      ...unlessEmpty(changed, {
        kind: "grid",
        framed: true,
        inRows: true,
        wasProgress: true,
        columns: ["Address", "ID", "Result"],
        rows: changed.map((one) => [addressCell(one.address), id(one.id), outcomeText(one)]),
      }),
      ...unlessEmpty(receipt[ON_PAGE].all ? unchanged : [], {
        kind: "grid",
        heading: "Unchanged",
        inRows: true,
        columns: ["Address", "ID"],
        rows: unchanged.map((one) => [addressCell(one.address), id(one.id)]),
      }),
      ...unlessEmpty(duplicates, {
        kind: "rows",
        heading: "Duplicates at the service: delete all but one",
        rows: duplicates.map(({ address, ids }) => [
          address,
          ids.map((one) => toned("attention", one)),
        ]),
      }),
      ...notTriedBlock(receipt),
      ...waitedBlock(receipt),
      ...note(removed, "attention"),
      // Of a run that changes something, the plan before it has said so.
      ...note(
        changed.length === 0 ? unmanagedRoutesText(receipt.unmanaged ?? []) : undefined,
        "attention",
      ),
      ...note(lists ? undefined : "The service has no lists: only the state has the IDs.", "dim"),
    ],
  };
}

/** What a run that ended early did not try, for a page that is read without its error. */
function notTriedBlock({ notTried = [] }: ReceiptDocument): readonly Block[] {
  return unlessEmpty(notTried, {
    kind: "grid",
    heading: "Not tried",
    // The error on stderr has them.
    wasProgress: true,
    inRows: true,
    columns: ["Address"],
    rows: notTried.map((address) => [addressCell(address)]),
  });
}

/** What was waited for, where no progress has shown it. */
function waitedBlock({ waited = [] }: ReceiptDocument): readonly Block[] {
  return unlessEmpty(waited, {
    kind: "grid",
    heading: "Waited for",
    wasProgress: true,
    inRows: true,
    columns: ["Address", "Why"],
    rows: waited.map(({ address, why }) => [addressCell(address), why]),
  });
}

function unlessEmpty(list: readonly unknown[], block: Block): readonly Block[] {
  return list.length === 0 ? [] : [block];
}

/** The title, such as `Apply complete in 1.2 s: 6 created, 3 adopted, 2 unchanged`. */
function titleOf(receipt: ReceiptDocument, done: string): string {
  const { settled, duplicates } = receipt;
  const groups = Map.groupBy(settled.toSorted(byChange), outcomeText);
  const unchanged = groups.get(UNCHANGED)?.length ?? 0;
  if (settled.length > unchanged) {
    const counts = [...groups].map(([words, { length }]) => `${length} ${words}`);
    const { ms } = receipt[ON_PAGE];
    const end = [
      done,
      isWhole(receipt) ? "complete" : "incomplete",
      ms && `in ${durationText(ms)}`,
    ];
    return `${end.filter(Boolean).join(" ")}: ${counts.join(", ")}`;
  }
  if (unchanged === 0) return "No changes";
  const beside = { duplicated: duplicates, unmanaged: receipt.unmanaged ?? [] };
  const also = Object.entries(beside).flatMap(([what, { length }]) =>
    length === 0 ? [] : `${length} ${what}`,
  );
  return `In sync: ${[counted(unchanged, "resource"), ...also].join(", ")}`;
}

/** Whether the run came to its end; else its receipt is read beside its error. */
function isWhole({ settled, notTried = [] }: ReceiptDocument): boolean {
  const isOpen = settled.some(({ outcome }) => outcome === "failed" || outcome === "unknown");
  return notTried.length === 0 && !isOpen;
}

const UNCHANGED = outcomeText({ outcome: "in_place" });

/** The order of the counts: deletions are last. */
const ORDER = ["created", "updated", "adopted", "not_created", "in_place", "deleted"];

function byChange(one: OutcomeDocument, other: OutcomeDocument): number {
  const rank = ({ outcome, earlier }: OutcomeDocument) =>
    ORDER.indexOf(outcome) + (earlier ? 0.5 : 0);
  return rank(one) - rank(other);
}

const NOUN = ["resource", "resources"] as const;

/** The columns of a plan in a pipe, in the words of its JSON. */
const PLAN_TABLE = table<ItemDocument>(
  NOUN,
  {
    Address: "address",
    Action: "action",
    ID: (item) => id(item.id ?? item.previousId),
    Note: itemNote,
  },
  { id: ({ address }) => address },
);

/** The columns of a receipt in a pipe, in the words of its JSON. */
const RECEIPT_TABLE = table<OutcomeDocument>(
  NOUN,
  {
    Address: "address",
    Outcome: "outcome",
    ID: (one) => id(one.id),
    Note: ({ earlier }) => (earlier ? "earlier" : undefined),
  },
  { id: ({ address }) => address },
);

/**
 * A plan or a receipt as rows for a program: address, action or outcome, ID, note. Like the page,
 * only what changes, or with `--all` each resource.
 */
export function resultRows(result: ApplyResult): ViewRows {
  return "items" in result
    ? rowsOfItems(
        result.items.filter(({ action }) => result.all || action !== "in_place"),
        PLAN_TABLE,
      )
    : rowsOfItems(
        result.settled.filter(({ outcome }) => result[ON_PAGE].all || outcome !== "in_place"),
        RECEIPT_TABLE,
      );
}

/** Why an item is planned as it is, with the fields, IDs or routings that this is about. */
function itemNote({
  reason,
  differences = [],
  ids = [],
  owners = [],
  elsewhere,
  renamedFrom,
}: ItemDocument): string | undefined {
  const about = [...differences.map(({ field }) => field), ...ids, ...owners, elsewhere]
    .filter(Boolean)
    .join(", ");
  const renamed = renamedFrom && `renamed from ${renamedFrom}`;
  return [reason, about, renamed].filter(Boolean).join("; ") || undefined;
}
