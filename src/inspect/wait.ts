import { setTimeout as pause } from "node:timers/promises";
import type { Installation } from "../api/schemas/installation.ts";
import type { CommandContext } from "../context/command-context.ts";
import { type AmpError, NotFoundError, ServiceError, TimeoutError } from "../errors.ts";
import { durationText } from "../values/duration.ts";
import { type Filter, judge, parseFilter } from "../values/filter.ts";
import { withoutUndefined } from "../values/json.ts";
import { suggest } from "../values/suggested-command.ts";
import { findName, type ListName } from "../view/list-names.ts";
import { joined, valueText } from "../view/view.ts";
import { groupName } from "./cells.ts";
import { currentInstallation } from "./installation-request.ts";
import { INSTALLATION_NAMES } from "./installations-table.ts";
import { endsAfterOneLook } from "./unchanging.ts";

/** A condition of `--for` or `--fail-on`, and what was seen of it last. */
export interface WaitCondition {
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

/** The conditions of a wait. */
interface WaitRequest {
  readonly conditions: readonly string[];
  readonly failOn: readonly string[];
  readonly withinMs: number;
}

/** The pauses between two polls, in milliseconds: each longer than the one before, up to the last. */
const PACE = { first: 2_000, longest: 30_000 };
const GROWTH = 1.5;
/** The part by which a pause varies, so that several waits do not ask at the same moment. */
const JITTER = 0.2;

type Waiting = Pick<CommandContext, "api" | "environment" | "report" | "signal" | "now"> & {
  readonly project: string;
};

/** A condition that was read. */
interface Condition {
  readonly text: string;
  readonly option: string;
  readonly filter: Filter;
  readonly found: ListName;
}

/** The conditions of a wait. */
export interface WaitConditions {
  readonly wanted: readonly Condition[];
  readonly unwanted: readonly Condition[];
}

/**
 * Reads the conditions of a wait.
 * @throws {UsageError} for one that is not valid or can never hold, for two that exclude each other, and
 * for an unknown name or state
 */
export async function readConditions(
  { conditions, failOn }: Pick<WaitRequest, "conditions" | "failOn">,
  now: Date,
): Promise<WaitConditions> {
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
  { first: firstPause, longest }: typeof PACE = PACE,
): Promise<WaitResult> {
  const { api, project, report, signal, now } = context;
  const { conditions, withinMs } = request;
  const { wanted, unwanted } = await readConditions(request, now());
  const begun = performance.now();
  const waited = () => performance.now() - begun;
  let pauseMs = firstPause;
  let end = () => {};
  let lastWarning = "";
  const warn = ({ message }: AmpError) => {
    if (message !== lastWarning) report.warn(`${message}. Retrying.`);
    lastWarning = message;
  };
  try {
    const first = await found();
    await assertFieldsOf(first, [...wanted, ...unwanted]);
    let seen = first;
    let shown = "";
    pauseMs = firstPause;
    for (let polls = 1; ; polls += 1) {
      const result = {
        ...facts(seen),
        waitedSeconds: Math.round(waited() / 100) / 10,
        polls,
        conditions: judged(wanted, seen, now()),
        failOn: judged(unwanted, seen, now()),
      };
      // Conditions of `--fail-on` are checked first: health is updated late, and would hide them.
      if (result.failOn.some(({ met }) => met)) return { outcome: "failed", ...result };
      if (result.conditions.every(({ met }) => met)) return { outcome: "met", ...result };
      const isOver = waited() >= withinMs || endsAfterOneLook(context);
      if (isOver) return { outcome: "timeout", ...result };
      const state = stateText([...result.conditions, ...result.failOn]);
      if (state !== shown) report.notice(`${seen.id}: ${state}`);
      shown = state;
      await waitALittle(`for ${conditions.join(", ")} · ${state}`);
      seen = (await look(first)) ?? seen;
    }
  } finally {
    end();
  }

  /** The installation, as soon as the service answers. */
  async function found(): Promise<Installation> {
    for (;;) {
      try {
        return await find();
      } catch (error) {
        if (!isAway(error)) throw error;
        if (waited() >= withinMs) throw neverAnswered(error, withinMs);
        warn(error);
        await waitALittle("for the service");
      }
    }
  }

  /** Pauses, each time longer, but not beyond the time that is left. */
  async function waitALittle(what: string): Promise<void> {
    const left = withinMs - waited();
    // The new text begins before the old one ends, so that the line stays.
    const next = report.working(`Waiting up to ${durationText(left)} ${what}`);
    end();
    end = next;
    const varied = pauseMs * (1 + JITTER * (2 * Math.random() - 1));
    await pause(Math.max(0, Math.min(varied, left)), undefined, { signal });
    pauseMs = Math.min(pauseMs * GROWTH, longest);
  }

  /** The installation as it is now; undefined where the service does not answer. */
  async function look(first: Installation): Promise<Installation | undefined> {
    try {
      const current = await currentInstallation(api, project, first);
      lastWarning = "";
      if (current !== undefined) return current;
    } catch (error) {
      if (signal.aborted || !(error instanceof ServiceError || error instanceof TimeoutError)) {
        throw error;
      }
      warn(error);
      return undefined;
    }
    throw new NotFoundError(`Installation ${first.id} no longer exists`, {
      suggestion: suggest("installations list"),
    });
  }

  /** Whether a failure may pass by itself: an address that is wrong stays so, and so does an answer. */
  function isAway(error: unknown): error is AmpError {
    if (signal.aborted) return false;
    if (error instanceof TimeoutError) return true;
    if (!(error instanceof ServiceError)) return false;
    const { retryable, status } = error.facts;
    return retryable ?? (status === undefined || status === 429 || status >= 500);
  }
}

function neverAnswered({ message, facts }: AmpError, withinMs: number): TimeoutError {
  const { remedy, suggestion, requestId } = facts;
  return new TimeoutError(`The service did not answer within ${durationText(withinMs)}`, {
    detail: message,
    ...withoutUndefined({ remedy, suggestion, requestId }),
  });
}

/** Refuses the paths that lead to no field of an installation, where amp knows all that it has. */
async function assertFieldsOf(installation: Installation, conditions: readonly Condition[]) {
  const { assertDescribed } = await import("./known-fields.ts");
  for (const { text, option, filter, found } of conditions) {
    if (filter.isQuotedName || found.value(installation) !== undefined) continue;
    const { name } = found;
    assertDescribed(INSTALLATION_NAMES.fields ?? [], { name, typed: `${option} ${text}` });
  }
}

function facts(installation: Installation) {
  const { id, integrationId } = installation;
  return {
    id,
    integrationId,
    ...withoutUndefined({ group: groupName(installation) }),
  };
}

function judged(all: readonly Condition[], installation: Installation, now: Date): WaitCondition[] {
  return all.map(({ text, found }) => {
    // A time such as 2h relates to each poll.
    const filter: Filter = parseFilter(text, now);
    const { holds } = judge(filter, installation, found.values);
    return { condition: text, met: holds, value: found.value(installation) ?? null };
  });
}

/** The values that were seen: `health=healthy: unhealthy`. */
function stateText(conditions: readonly WaitCondition[]): string {
  const texts = conditions.map(({ condition, value }) => {
    const { name } = parseFilter(condition, new Date(0));
    return `${name} is ${value === null || value === "" ? "empty" : valueText(value)}`;
  });
  return joined([...new Set(texts)], ", ") ?? "";
}
