import { durationText } from "../values/duration.ts";
import { suggest } from "../values/suggested-command.ts";
import { type Block, type Cell, type Page, row, rows, toned, valueText } from "../view/view.ts";
import type { WaitCondition, WaitResult } from "./wait.ts";

const TITLES = {
  met: ["good", "meets the conditions"],
  failed: ["bad", "failed"],
  timeout: ["attention", "does not meet the conditions yet"],
} as const satisfies Record<WaitResult["outcome"], unknown>;

/** The page of a wait that has ended: what was wanted, and what was seen last. */
export function waitPage(result: WaitResult): Page {
  const { outcome, id, group, waitedSeconds, polls, conditions, failOn } = result;
  const [tone, words] = TITLES[outcome];
  const blocks: Block[] = [
    rows([
      ...row("ID", { text: id, kind: "id" }),
      ...row("Waited", durationText(waitedSeconds * 1000)),
      ...row("Polls", polls),
    ]),
    conditionGrid("Conditions", conditions),
    ...(failOn.length === 0 ? [] : [conditionGrid("Fails on", failOn)]),
    ...(outcome === "met"
      ? []
      : [
          {
            kind: "command",
            heading: "Next",
            lines: [suggest("installations get", [id])],
          } as const,
        ]),
  ];
  return { title: toned(tone, `${group ?? id} ${words}`), blocks };
}

function conditionGrid(heading: string, conditions: readonly WaitCondition[]): Block {
  return {
    kind: "grid",
    heading,
    columns: ["Condition", "Met", "Value"],
    rows: conditions.map(({ condition, met, value }): Cell[] => [
      condition,
      met ? "yes" : "no",
      value === null ? undefined : valueText(value),
    ]),
  };
}
