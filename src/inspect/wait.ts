import { setTimeout as pause } from "node:timers/promises";
import type { Installation } from "../api/schemas/installation.ts";
import type { CommandContext } from "../context/command-context.ts";
import { NotFoundError, ServiceError, TimeoutError } from "../errors.ts";
import { durationText } from "../values/duration.ts";
import { type Filter, judge, parseFilter } from "../values/filter.ts";
import { withoutUndefined } from "../values/json.ts";
import { suggest } from "../values/suggested-command.ts";
import { findName, type ListName } from "../view/list-names.ts";
import { joined, valueText } from "../view/view.ts";
import { groupOf } from "./cells.ts";
import { currentInstallation } from "./installation-request.ts";
import { assertKnownValue, INSTALLATION_NAMES } from "./installations-table.ts";

/** A condition of `--for` or `--fail-on`, and what was seen of it last. */
export interface WaitCondition {
  /** The condition as it was typed. */
  readonly condition: string;
  readonly holds: boolean;
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
  /** The number of times that the service was asked. */
  readonly looks: number;
  readonly conditions: readonly WaitCondition[];
  readonly failOn: readonly WaitCondition[];
}

/** What a wait is for. */
interface WaitRequest {
  readonly conditions: readonly string[];
  readonly failOn: readonly string[];
  readonly withinMs: number;
}

/** The pauses between two looks, in milliseconds: each longer than the one before, up to the last. */
interface WaitPace {
  readonly first: number;
  readonly longest: number;
}

const PACE: WaitPace = { first: 2_000, longest: 30_000 };
const GROWTH = 1.5;
/** The part by which a pause varies, so that several waits do not ask at the same moment. */
const JITTER = 0.2;

type Waiting = Pick<CommandContext, "api" | "report" | "signal" | "now"> & {
  readonly project: string;
};

/**
 * Reads conditions on an installation.
 * @param option that they were given with
 * @throws {UsageError} for one that is not valid, and for an unknown name or state
 */
export function readConditions(option: string, texts: readonly string[], now: Date) {
  return texts.map((text) => {
    const filter = parseFilter(text, now);
    assertKnownValue(filter, option);
    const { name, isQuotedName: isQuoted } = filter;
    return { text, found: findName(INSTALLATION_NAMES, { name, isQuoted, option }) };
  });
}

/**
 * Waits until an installation is as wanted: asks the service with growing pauses. A service that is
 * away for a while is asked again.
 * @throws {NotFoundError} where the installation is gone
 */
export async function waitForInstallation(
  context: Waiting,
  first: Installation,
  { conditions, failOn, withinMs }: WaitRequest,
  { first: firstPause, longest }: WaitPace = PACE,
): Promise<WaitResult> {
  const { api, project, report, signal, now } = context;
  const wanted = readConditions("--for", conditions, now());
  const unwanted = readConditions("--fail-on", failOn, now());
  const begun = performance.now();
  const waited = () => performance.now() - begun;
  let seen = first;
  let shown = "";
  let pauseMs = firstPause;
  let end = () => {};
  try {
    for (let looks = 1; ; looks += 1) {
      const result = {
        ...facts(seen),
        waitedSeconds: Math.round(waited() / 100) / 10,
        looks,
        conditions: judged(wanted, seen, now()),
        failOn: judged(unwanted, seen, now()),
      };
      // What must not be comes first: health is told late, and would hide it.
      if (result.failOn.some(({ holds }) => holds)) return { outcome: "failed", ...result };
      if (result.conditions.every(({ holds }) => holds)) return { outcome: "met", ...result };
      const left = withinMs - waited();
      if (left <= 0) return { outcome: "timeout", ...result };
      const state = stateText([...result.conditions, ...result.failOn]);
      if (state !== shown) report.notice(`${seen.id}: ${state}`);
      shown = state;
      // The new text begins before the old one ends, so that the line stays.
      const next = report.working(
        `Waiting up to ${durationText(left)} for ${conditions.join(", ")} · ${state}`,
      );
      end();
      end = next;
      const varied = pauseMs * (1 + JITTER * (2 * Math.random() - 1));
      await pause(Math.min(varied, left), undefined, { signal });
      pauseMs = Math.min(pauseMs * GROWTH, longest);
      seen = (await look()) ?? seen;
    }
  } finally {
    end();
  }

  /** The installation as it is now; undefined where the service does not answer. */
  async function look(): Promise<Installation | undefined> {
    try {
      const found = await currentInstallation(api, project, first);
      if (found !== undefined) return found;
    } catch (error) {
      if (signal.aborted || !(error instanceof ServiceError || error instanceof TimeoutError)) {
        throw error;
      }
      report.warn(`${error.message}. Asking again.`);
      return undefined;
    }
    throw new NotFoundError(`Installation ${first.id} is no longer there`, {
      suggestion: suggest("installations list"),
    });
  }
}

function facts(installation: Installation) {
  const { id, integrationId } = installation;
  const group = groupOf(installation);
  return {
    id,
    integrationId,
    ...withoutUndefined({ group: group?.groupName || group?.groupRef || undefined }),
  };
}

function judged(
  all: readonly { readonly text: string; readonly found: ListName }[],
  installation: Installation,
  now: Date,
): WaitCondition[] {
  return all.map(({ text, found }) => {
    // A time such as 2h relates to each look.
    const filter: Filter = parseFilter(text, now);
    const { holds } = judge(filter, installation, found.values);
    return { condition: text, holds, value: found.value(installation) ?? null };
  });
}

/** What was seen: `health=healthy: unhealthy`. */
function stateText(conditions: readonly WaitCondition[]): string {
  const texts = conditions.map(({ condition, value }) => {
    const { name } = parseFilter(condition, new Date(0));
    return `${name} is ${value === null || value === "" ? "empty" : valueText(value)}`;
  });
  return joined([...new Set(texts)], ", ") ?? "";
}
