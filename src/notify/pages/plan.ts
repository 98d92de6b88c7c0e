import {
  type Block,
  type Cell,
  id,
  type Page,
  type PageRow,
  resourceAddress,
  type Tone,
  toned,
} from "../../view/view.ts";
import {
  blockersOf,
  deletions,
  isBlocker,
  isPending,
  isUnknownId,
  MISSING_REMEDY,
  type PlanChoices,
  type ShownChoices,
  shownValue,
} from "../plan/blockers.ts";
import type { Difference, Duplicate, Plan, PlanItem, PlannedAction } from "../plan/plan.ts";
import { keptResourceWarning } from "../plan/prune.ts";
import { type SecretUse, secretUses } from "../plan/secret-uses.ts";
import { resolveCommands } from "../state/edit.ts";

type Action = PlannedAction["action"];

/** An action as it is shown: the meaning of some depends on the choices of the plan. */
type ShownAction = Action | "recreate";

/** The mark of an action, its tone, its words, and its part of the closing line. */
const ACTION_WORDS: Readonly<
  Record<ShownAction, readonly [mark: string, tone: Tone, words: string, count: string]>
> = {
  reconcile: ["?", "attention", "outcome unknown", "outcome unknown"],
  conflict: ["!", "bad", "differs", "in conflict"],
  ambiguous: ["!", "bad", "ambiguous", "ambiguous"],
  missing: ["!", "bad", "no longer listed", "no longer listed"],
  create: ["+", "good", "create", "to create"],
  recreate: ["+", "attention", "recreate", "to recreate"],
  adopt: ["~", "good", "exists, adopt", "to adopt"],
  "in-place": ["=", "dim", "in place", "in place"],
  release: ["~", "dim", "no longer in this file, kept", "kept"],
  prune: ["-", "attention", "delete", "to delete"],
};

/** The blocks about unknown outcomes: what applying does, or the commands that record them. */
function unknownOutcomes({ items, lists }: Plan): Block[] {
  const unknown = items.filter(({ action }) => action === "reconcile");
  if (unknown.length === 0) return [];
  const text = lists
    ? "Unknown outcomes are looked up first; missing resources are created."
    : "Unknown outcomes cannot be looked up at this service. Check there which resources exist.";
  const block: Block = { kind: "text", text, tone: "attention" };
  const lines = resolveCommands({ placeholder: "address" });
  return lists ? [block] : [block, { kind: "command", heading: "Record the results", lines }];
}

function shownAction(item: PlanItem, choices: PlanChoices): ShownAction {
  if (item.action !== "missing" || isBlocker(item, choices)) return item.action;
  return "recreate";
}

/**
 * The maximum resources in place to show; more are only counted, because they would hide the rest.
 */
const MAX_IN_PLACE = 20;

/** A plan, or its JSON, which lists the secrets because it has no resources to find them in. */
type ShownPlan = Plan & { readonly secrets?: readonly SecretUse[] };

/** The page of a plan: the action for each address, conflicts with their reasons, and the counts. */
export function planPage(plan: ShownPlan, choices: ShownChoices): Page {
  const { items, kept, lists } = plan;
  const inPlace = items.filter(({ action }) => action === "in-place").length;
  const shown = items.filter(({ action }) => action !== "in-place" || inPlace <= MAX_IN_PLACE);
  const text = (line: string, tone: Tone) => ({ kind: "text" as const, text: line, tone });
  return {
    title: titleOf(plan, choices),
    blocks: [
      {
        kind: "grid",
        columns: ["", "Address", "Action", "ID"],
        rows: shown.map((item) => rowOf(item, choices)),
      },
      ...items.flatMap(detailOf),
      ...plan.duplicates.flatMap(duplicateBlock(items)),
      ...secretsBlock(plan.secrets ?? secretUses(plan)),
      ...(items.some((item) => shownAction(item, choices) === "missing")
        ? [{ kind: "text" as const, text: MISSING_REMEDY }]
        : []),
      ...unknownOutcomes(plan),
      ...kept.flatMap(keptBlock),
      ...(lists
        ? []
        : [text("This service has no lists: only the state knows what exists.", "dim")]),
      ...othersBlock(plan, choices),
      text(countLine(plan, choices), "strong"),
    ],
  };
}

/** The other resources of the state: counted, or listed with the routings that want them. */
function othersBlock({ others }: Plan, { all = false }: ShownChoices): Block[] {
  if (others.length === 0) return [];
  const noun = others.length === 1 ? "resource" : "resources";
  const heading = `${others.length} other ${noun} in this state`;
  if (!all) return [{ kind: "text", tone: "dim", text: `${heading} (--all lists them)` }];
  const rows = others.map(({ address, owners, id: itsId }) => [
    resourceAddress(address),
    owners.join(", ") || toned("dim", "no owner"),
    id(itsId),
  ]);
  return [{ kind: "grid", heading, columns: ["Address", "Wanted by", "ID"], rows }];
}

const SHOWN_ACTIONS = Object.keys(ACTION_WORDS) as ShownAction[];
const ACTIONS = SHOWN_ACTIONS.filter((one) => one !== "recreate");

/** A plan as JSON: without the resources, which may hold secrets, and with counts. */
export function planJson(plan: Plan, choices: ShownChoices) {
  return {
    pending: isPending(plan),
    ...choices,
    lists: plan.lists,
    counts: actionCounts(plan),
    items: plan.items.map(({ resource: _, ...item }) => item),
    secrets: secretUses(plan),
    kept: plan.kept,
    others: plan.others,
    duplicates: plan.duplicates,
  };
}

function actionCounts({ items }: Plan): Record<Action, number> {
  return Object.fromEntries(
    ACTIONS.map((action) => [action, items.filter((item) => item.action === action).length]),
  ) as Record<Action, number>;
}

function countLine({ items }: Plan, choices: PlanChoices): string {
  const shown = items.map((item) => shownAction(item, choices));
  const parts = SHOWN_ACTIONS.flatMap((one) => {
    const count = shown.filter((each) => each === one).length;
    return count === 0 || one === "prune" ? [] : [`${count} ${ACTION_WORDS[one][3]}`];
  });
  const gone = deletions({ items });
  if (gone > 0) parts.push(`${gone} ${gone === 1 ? "resource" : "resources"} will be deleted`);
  return parts.join(" · ") || "no resources";
}

function titleOf(plan: Plan, choices: PlanChoices): string {
  if (blockersOf(plan, choices).length > 0) return "This routing cannot be applied:";
  if (isPending(plan)) return "Applying this routing will:";
  return plan.duplicates.length > 0
    ? "Some of these resources have duplicates:"
    : "Everything is in place.";
}

function rowOf(item: PlanItem, choices: PlanChoices): readonly Cell[] {
  const [mark, tone, words] = ACTION_WORDS[shownAction(item, choices)];
  return [
    toned(tone, mark),
    resourceAddress(item.address),
    toned(tone, `${words}${prunedAs(item)}`),
    "id" in item ? id(item.id) : "",
  ];
}

/** What is known of a resource that the file no longer names; its address has the same name. */
function prunedAs(item: PlanItem): string {
  if (item.action === "release" && item.owners[0]) return ` (wanted by ${item.owners.join(", ")})`;
  if (item.action !== "prune") return "";
  if (item.listed === undefined) return " (not listed)";
  return item.listed.type ? ` (${item.listed.type})` : "";
}

function detailOf(item: PlanItem): Block[] {
  if (item.action === "ambiguous") {
    const heading = item.unclear
      ? `${item.address} may be one of these; the list does not show which`
      : `${item.address} exists ${item.ids.length} times`;
    return [{ kind: "rows", heading, rows: [["IDs", item.ids.map(id)]] }];
  }
  if (item.action === "in-place" && item.spelling !== undefined) {
    const heading = `${item.address} is in place; the service spells it differently`;
    return [{ kind: "rows", heading, rows: differenceRows(item.spelling) }];
  }
  if (item.action !== "conflict") return [];
  if (isUnknownId(item)) {
    const text = `${item.address}: the service does not list ${item.kind} ${item.id}`;
    return [{ kind: "text", text }];
  }
  const heading = `${item.address} exists with different settings and cannot be updated`;
  const rows = differenceRows(item.differences);
  return [{ kind: "rows", heading, rows: rows.length === 0 ? [HIDDEN_DIFFERENCE] : rows }];
}

/** The block of a duplicate of a resource in place; the plan shows ambiguous ones already. */
function duplicateBlock(items: readonly PlanItem[]): (duplicate: Duplicate) => Block[] {
  const ambiguous = new Set(
    items.flatMap(({ action, address }) => (action === "ambiguous" ? address : [])),
  );
  return ({ address, ids }) =>
    ambiguous.has(address)
      ? []
      : [
          {
            kind: "rows",
            heading: `${address} exists ${ids.length} times: delete all but one`,
            rows: [["IDs", ids.map(id)]],
          },
        ];
}

/** The reason why a resource that the routing no longer names is not deleted. */
function keptBlock(kept: Plan["kept"][number]): Block[] {
  if (kept.differences !== undefined) {
    const [text, command] = keptResourceWarning(kept.address, kept.id, kept.differences);
    return [
      { kind: "text", text, tone: "attention" },
      { kind: "command", lines: [command] },
    ];
  }
  const text = `${kept.address} is kept: other routes use it (${kept.routes.join(", ")}).`;
  return [{ kind: "text", text, tone: "dim" }];
}

function differenceRows(differences: readonly Difference[]): PageRow[] {
  return differences.map(({ field, wanted, found }): PageRow => {
    return [field, [`wanted ${shownValue(wanted)}`, `found ${shownValue(found)}`]];
  });
}

/** The table of secrets, such as `env:SLACK_URL` for `ops-webhook, hooks.slack.com`. */
function secretsBlock(uses: readonly SecretUse[]): Block[] {
  if (uses.length === 0) return [];
  const rows = uses.map(({ reference, destination, deliversTo, sent }) => [
    reference,
    [destination, ...deliversTo].join(", "),
    sent ? "" : toned("dim", "not sent: it exists"),
  ]);
  return [{ kind: "grid", columns: ["Secret", "Destination", ""], rows }];
}

const HIDDEN_DIFFERENCE = [
  "Differs",
  "in something that the service does not return, possibly a secret",
] as const;
