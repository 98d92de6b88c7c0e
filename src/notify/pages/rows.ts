import { id, rowsOfItems, table, type ViewRows } from "../../view/view.ts";
import type { OutcomeDocument, ReceiptDocument } from "../engine/receipt.ts";
import type { Difference } from "../plan/plan.ts";
import type { PlanDocument } from "../plan/plan-document.ts";
import type { ItemDocument } from "../plan/vocabulary.ts";

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

/** A plan or a receipt as rows for a program: address, action or outcome, ID, note. */
export function resultRows(result: PlanDocument | ReceiptDocument): ViewRows {
  return "items" in result
    ? rowsOfItems(result.items, PLAN_TABLE)
    : rowsOfItems(result.settled, RECEIPT_TABLE);
}

/** Why an item is planned as it is, with the fields, IDs or routings that this is about. */
function itemNote({
  reason,
  differences = [],
  ids = [],
  owners = [],
  renamedFrom,
}: ItemDocument): string | undefined {
  const about = [...differences.map(fieldOf), ...ids, ...owners].join(", ");
  const renamed = renamedFrom && `renamed from ${renamedFrom}`;
  return [reason, about, renamed].filter(Boolean).join("; ") || undefined;
}

function fieldOf({ field }: Difference): string {
  return field;
}
