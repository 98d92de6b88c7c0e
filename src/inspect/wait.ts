import type { Installation } from "../api/schemas/installation.ts";
import type { CommandContext } from "../context/command-context.ts";
import { NotFoundError } from "../errors.ts";
import { type Filter, judge, parseFilter } from "../values/filter.ts";
import { defined } from "../values/json.ts";
import { suggest } from "../values/suggested-command.ts";
import { durationText } from "../values/time.ts";
import { findName, type ListName } from "../view/list-names.ts";
import {
  type Block,
  type Cell,
  joined,
  nextBlock,
  type Page,
  row,
  rows,
  toned,
  valueText,
} from "../view/view.ts";
import { currentInstallation, groupName, INSTALLATION_NAMES } from "./installations.ts";
import { beginWait, endsAfterOneLook, PACE } from "./patience.ts";

/** A condition of `--for` or `--fail-on`, and what was seen of it last. */
interface WaitCondition {
  /** The condition as it was typed. */
  readonly condition: string;
  readonly met: boolean;
  /** The value that it is about; null where there is none. */
  readonly value: unknown;
}

/** How a wait ended. */
export interface WaitResult {
  /** `met`: all conditions hold; `failed`: one of `--fail-on` does; `timeout`: the time is over. */
  readonly outcome: "met" | "failed" | "timeout";
  readonly id: string;
  readonly integrationId: string;
  readonly group?: string;
  readonly waitedSeconds: number;
  /** The number of requests for the state. */
  readonly polls: number;
  readonly conditions: readonly WaitCondition[];
  readonly failOn: readonly WaitCondition[];
}

interface WaitRequest {
  readonly conditions: readonly string[];
  readonly failOn: readonly string[];
  readonly withinMs: number;
}

type Waiting = Pick<CommandContext, "api" | "environment" | "report" | "signal" | "now"> & {
  readonly project: string;
};

interface Condition {
  readonly text: string;
  readonly option: string;
  readonly filter: Filter;
  readonly found: ListName;
}

/**
 * Reads the conditions of a wait.
 * @throws {UsageError} for one that is not valid or can never hold, for two that exclude each
 * other, and for an unknown name or state
 */
export async function readConditions(
  { conditions, failOn }: Pick<WaitRequest, "conditions" | "failOn">,
  now: Date,
) {
  // The descriptions of fields are loaded for a run alone, and not for help.
  const { assertPossible, assertTogetherPossible } = await import("./conditions.ts");
  const read = (option: string, texts: readonly string[]) =>
    texts.map((text) => {
      const filter = parseFilter(text, now);
      const { name, isQuotedName: isQuoted } = filter;
      const found = findName(INSTALLATION_NAMES, { name, isQuoted, option });
      assertPossible(filter, option);
      return { text, option, filter, found };
    });
  const [wanted, unwanted] = [read("--for", conditions), read("--fail-on", failOn)];
  assertTogetherPossible(
    wanted.map(({ filter }) => filter),
    unwanted.map(({ filter }) => filter),
  );
  return { wanted, unwanted };
}

/**
 * Waits until an installation is as wanted: asks the service with growing pauses. A service that is
 * away for a while is asked again, also where it is away from the beginning.
 * @param find finds the installation
 * @throws {NotFoundError} where the installation is gone
 * @throws {TimeoutError} where the service was away all the time
 */
export async function waitForInstallation(
  context: Waiting,
  find: () => Promise<Installation>,
  request: WaitRequest,
  pace = PACE,
): Promise<WaitResult> {
  const { report, now } = context;
  const { wanted, unwanted } = await readConditions(request, now());
  const patience = beginWait(context, request.withinMs, pace);
  try {
    const first = await patience.untilAnswered(find);
    await assertFieldsOf(first, [...wanted, ...unwanted]);
    let seen = first;
    let shown = "";
    for (let polls = 1; ; polls += 1) {
      const { id, integrationId } = seen;
      const result = {
        ...defined({ id, integrationId, group: groupName(seen) }),
        waitedSeconds: Math.round(patience.waitedMs() / 100) / 10,
        polls,
        conditions: judged(wanted, seen, now()),
        failOn: judged(unwanted, seen, now()),
      };
      // Conditions of `--fail-on` are checked first: health is updated late, and would hide them.
      if (result.failOn.some(({ met }) => met)) return { outcome: "failed", ...result };
      if (result.conditions.every(({ met }) => met)) return { outcome: "met", ...result };
      const isOver = patience.isOver() || endsAfterOneLook(context);
      if (isOver) return { outcome: "timeout", ...result };
      const state = stateText([...wanted, ...unwanted], seen);
      if (state !== shown) report.notice(`${id}: ${state}`);
      shown = state;
      await patience.pause(`for ${request.conditions.join(", ")} · ${state}`);
      seen = (await patience.answerNow(() => look(context, first))) ?? seen;
    }
  } finally {
    patience.end();
  }
}

async function look({ api, project }: Waiting, first: Installation): Promise<Installation> {
  const current = await currentInstallation(api, project, first);
  if (current !== undefined) return current;
  throw new NotFoundError(`Installation ${first.id} no longer exists`, {
    suggestion: suggest("installations list"),
  });
}

/** Refuses the paths that lead to no field of an installation, where amp knows all that it has. */
async function assertFieldsOf(installation: Installation, conditions: readonly Condition[]) {
  const { assertDescribed } = await import("./explained-records.ts");
  for (const { text, option, filter, found } of conditions) {
    if (filter.isQuotedName || found.value(installation) !== undefined) continue;
    const { name } = found;
    assertDescribed(INSTALLATION_NAMES.fields ?? [], { name, option, text });
  }
}

function judged(all: readonly Condition[], installation: Installation, now: Date): WaitCondition[] {
  return all.map(({ text, found }) => {
    // A time such as 2h relates to each poll.
    const filter: Filter = parseFilter(text, now);
    const { holds } = judge(filter, installation, found.values);
    return { condition: text, met: holds, value: found.value(installation) ?? null };
  });
}

/** The values that were seen: `health is unhealthy`. */
function stateText(conditions: readonly Condition[], installation: Installation): string {
  const texts = conditions.map(({ filter, found }) => {
    const value = found.value(installation) ?? "";
    return `${filter.name} is ${value === "" ? "empty" : valueText(value)}`;
  });
  return joined([...new Set(texts)], ", ") ?? "";
}

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
    ...(outcome === "met" ? [] : [nextBlock(suggest("installations get", [id]))]),
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
