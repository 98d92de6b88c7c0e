import { type Block, type Cell, id, type Page, type Tone, toned } from "../../cli/view.ts";
import type { Plan, PlanItem, PlannedAction } from "./plan.ts";

/** How a plan is told. */
export interface PlanLook {
  /** Whether what is no longer named is deleted, or only shown. */
  readonly prune: boolean;
}

type Action = PlannedAction["action"];

/** How each action is told: its mark, what happens, and its part of the closing line. */
const TELL: Readonly<
  Record<Action, readonly [mark: string, tone: Tone, words: string, count: string]>
> = {
  reconcile: ["?", "attention", "outcome unknown", "outcome unknown"],
  conflict: ["!", "bad", "differs", "in conflict"],
  ambiguous: ["!", "bad", "exists several times", "ambiguous"],
  create: ["+", "good", "create", "to create"],
  missing: ["+", "attention", "gone, create again", "to create again"],
  adopt: ["~", "good", "exists, adopt", "to adopt"],
  "in-place": ["=", "dim", "in place", "in place"],
  prune: ["-", "attention", "no longer named", "no longer named"],
};

/** In a large routing what is in place is only counted: it would hide the rest. */
const MOST_IN_PLACE = 20;

/**
 * Whether applying would change something at the service, or be refused, or has an open outcome to
 * settle. To adopt changes nothing but amp's own state.
 */
export function isPending({ items }: Plan, { prune }: PlanLook): boolean {
  return items.some(({ action }) =>
    action === "prune" ? prune : action !== "in-place" && action !== "adopt",
  );
}

/** A plan laid out: what would be done about each address, why it cannot, and the counts. */
export function planPage(plan: Plan, look: PlanLook): Page {
  const { items, kept, lists } = plan;
  const counts = countsOf(plan);
  const shown = items.filter(
    ({ action }) => action !== "in-place" || counts["in-place"] <= MOST_IN_PLACE,
  );
  const text = (line: string, tone: Tone) => ({ kind: "text" as const, text: line, tone });
  return {
    title: titleOf(plan, look),
    blocks: [
      {
        kind: "grid",
        columns: ["", "Address", "", "ID"],
        rows: shown.map((item) => rowOf(item, look)),
      },
      ...items.flatMap(detailOf),
      ...kept.map(({ address, routes }) =>
        text(`${address} stays: other routes use it (${routes.join(", ")}).`, "dim"),
      ),
      ...(lists
        ? []
        : [text("This service has no lists: only the state tells what exists.", "dim")]),
      text(countLine(counts, look), "strong"),
    ],
  };
}

/** A plan for programs: no step, for it may hold secrets, and counts beside the items. */
export function planJson(plan: Plan, look: PlanLook) {
  return {
    pending: isPending(plan, look),
    prune: look.prune,
    lists: plan.lists,
    counts: countsOf(plan),
    items: plan.items.map(({ step: _, ...item }) => item),
    kept: plan.kept,
  };
}

function countsOf({ items }: Plan): Record<Action, number> {
  const actions = Object.keys(TELL) as Action[];
  return Object.fromEntries(
    actions.map((action) => [action, items.filter((item) => item.action === action).length]),
  ) as Record<Action, number>;
}

function countLine(counts: Record<Action, number>, { prune }: PlanLook): string {
  const parts = (Object.keys(TELL) as Action[])
    .filter((action) => counts[action] > 0)
    .map((action) => {
      if (action === "prune") return `${counts[action]} ${prune ? "to delete" : NOT_PRUNED}`;
      return `${counts[action]} ${TELL[action][3]}`;
    });
  return parts.join(" · ") || "nothing named";
}

const NOT_PRUNED = "no longer named (deleted with --prune)";

function titleOf(plan: Plan, look: PlanLook): string {
  if (plan.items.some(isObstacle)) return "This routing cannot be applied as it is:";
  return isPending(plan, look) ? "Applying this routing would do this:" : "Everything is in place.";
}

function isObstacle({ action }: PlanItem): boolean {
  return action === "conflict" || action === "ambiguous";
}

function rowOf(item: PlanItem, { prune }: PlanLook): readonly Cell[] {
  const [mark, tone, words] = TELL[item.action];
  const said = item.action === "prune" && prune ? "delete" : words;
  return [toned(tone, mark), item.address, toned(tone, said), "id" in item ? id(item.id) : ""];
}

function detailOf(item: PlanItem): Block[] {
  if (item.action === "ambiguous") {
    return [
      {
        kind: "rows",
        heading: `${item.address} exists ${item.ids.length} times`,
        rows: [["IDs", item.ids.map(id)]],
      },
    ];
  }
  if (item.action !== "conflict") return [];
  const heading = `${item.address} exists, but not as wanted; the service has no update`;
  if (item.differences.length === 0) return [{ kind: "rows", heading, rows: [UNSEEN] }];
  return [
    {
      kind: "rows",
      heading,
      rows: item.differences.map(({ field, wanted, found }) => [
        field,
        [`wanted ${shown(wanted)}`, `found ${shown(found)}`],
      ]),
    },
  ];
}

const UNSEEN = ["Differs", "in what the service does not show, a secret perhaps"] as const;

function shown(value: unknown): string {
  return JSON.stringify(value) ?? "nothing";
}
