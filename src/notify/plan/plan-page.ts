import { type Block, type Cell, id, type Page, type Tone, toned } from "../../cli/view.ts";
import { isObstacle, MISSING_REMEDY, obstaclesOf, type PlanChoices } from "./obstacle.ts";
import type { Plan, PlanItem, PlannedAction } from "./plan.ts";

type Action = PlannedAction["action"];

/** What happens, as it is told: by what was asked for, some actions mean one thing or another. */
type Told = Action | "recreate" | "delete";

/** How it is told: its mark, what happens, and its part of the closing line. */
const TELL: Readonly<
  Record<Told, readonly [mark: string, tone: Tone, words: string, count: string]>
> = {
  reconcile: ["?", "attention", "outcome unknown", "outcome unknown"],
  conflict: ["!", "bad", "differs", "in conflict"],
  ambiguous: ["!", "bad", "exists several times", "ambiguous"],
  missing: ["!", "bad", "not listed any more", "not listed any more"],
  create: ["+", "good", "create", "to create"],
  recreate: ["+", "attention", "gone, create again", "to create again"],
  adopt: ["~", "good", "exists, adopt", "to adopt"],
  "in-place": ["=", "dim", "in place", "in place"],
  delete: ["-", "attention", "delete", "to delete"],
  prune: ["-", "attention", "no longer named", "no longer named (deleted with --prune)"],
};

/** What applying does about an outcome that nobody knows. */
const LOOKED_UP =
  "What has an unknown outcome is looked up first, and created where it is missing.";
const NOT_LOOKED_UP =
  "What has an unknown outcome cannot be looked up here: say what you saw with amp notify resolve.";

function toldAs(item: PlanItem, choices: PlanChoices): Told {
  if (item.action === "missing") return isObstacle(item, choices) ? "missing" : "recreate";
  return item.action === "prune" && choices.prune ? "delete" : item.action;
}

/** In a large routing what is in place is only counted: it would hide the rest. */
const MOST_IN_PLACE = 20;

/**
 * Whether applying would change something at the service, or be refused, or has an open outcome to
 * settle. To adopt changes nothing but amp's own state.
 */
export function isPending({ items }: Plan, { prune }: PlanChoices): boolean {
  return items.some(({ action }) =>
    action === "prune" ? prune : action !== "in-place" && action !== "adopt",
  );
}

/** A plan laid out: what would be done about each address, why it cannot, and the counts. */
export function planPage(plan: Plan, choices: PlanChoices): Page {
  const { items, kept, lists } = plan;
  const inPlace = items.filter(({ action }) => action === "in-place").length;
  const shown = items.filter(({ action }) => action !== "in-place" || inPlace <= MOST_IN_PLACE);
  const text = (line: string, tone: Tone) => ({ kind: "text" as const, text: line, tone });
  return {
    title: titleOf(plan, choices),
    blocks: [
      {
        kind: "grid",
        columns: ["", "Address", "", "ID"],
        rows: shown.map((item) => rowOf(item, choices)),
      },
      ...items.flatMap(detailOf),
      ...(items.some((item) => toldAs(item, choices) === "missing")
        ? [{ kind: "text" as const, text: MISSING_REMEDY }]
        : []),
      ...(items.some(({ action }) => action === "reconcile")
        ? [text(lists ? LOOKED_UP : NOT_LOOKED_UP, "attention")]
        : []),
      ...kept.map(({ address, routes }) =>
        text(`${address} stays: other routes use it (${routes.join(", ")}).`, "dim"),
      ),
      ...(lists
        ? []
        : [text("This service has no lists: only the state tells what exists.", "dim")]),
      text(countLine(plan, choices), "strong"),
    ],
  };
}

const ACTIONS = [
  "reconcile",
  "conflict",
  "ambiguous",
  "missing",
  "create",
  "adopt",
  "in-place",
  "prune",
] as const satisfies readonly Action[];

/** A plan for programs: no step, for it may hold secrets, and counts beside the items. */
export function planJson(plan: Plan, choices: PlanChoices) {
  return {
    pending: isPending(plan, choices),
    ...choices,
    lists: plan.lists,
    counts: countsOf(plan),
    items: plan.items.map(({ step: _, ...item }) => item),
    kept: plan.kept,
  };
}

function countsOf({ items }: Plan): Record<Action, number> {
  return Object.fromEntries(
    ACTIONS.map((action) => [action, items.filter((item) => item.action === action).length]),
  ) as Record<Action, number>;
}

function countLine({ items }: Plan, choices: PlanChoices): string {
  const told = items.map((item) => toldAs(item, choices));
  const parts = (Object.keys(TELL) as Told[]).flatMap((one) => {
    const count = told.filter((each) => each === one).length;
    return count === 0 ? [] : [`${count} ${TELL[one][3]}`];
  });
  return parts.join(" · ") || "nothing named";
}

function titleOf(plan: Plan, choices: PlanChoices): string {
  if (obstaclesOf(plan, choices).length > 0) return "This routing cannot be applied as it is:";
  return isPending(plan, choices)
    ? "Applying this routing would do this:"
    : "Everything is in place.";
}

function rowOf(item: PlanItem, choices: PlanChoices): readonly Cell[] {
  const [mark, tone, words] = TELL[toldAs(item, choices)];
  return [toned(tone, mark), item.address, toned(tone, words), "id" in item ? id(item.id) : ""];
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
