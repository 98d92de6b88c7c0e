import type { Api } from "../../api/operations/endpoint.ts";
import { lastLook, type Polling, poll } from "../../api/operations/poll.ts";
import type { Installation } from "../../api/schemas/installation.ts";
import {
  type Cell,
  defineCommand,
  duration,
  id,
  joined,
  nextBlock,
  type Page,
  record,
  required,
  several,
  text,
  toned,
  valueText,
  withDefault,
} from "../../cli/define.ts";
import type { WaitCondition, WaitedInstallation, WaitResult } from "../../documents/inspect.ts";
import { type ExitName, signalError } from "../../errors.ts";
import { inspectErrors } from "../../inspect/errors.ts";
import {
  type InstallationSearch,
  type SearchContext,
  searchInstallations,
} from "../../inspect/find-installation.ts";
import {
  currentInstallation,
  groupName,
  INSTALLATION_NAMES,
  type NamedInstallation,
} from "../../inspect/installations.ts";
import { derived } from "../../values/basics.ts";
import { inputErrors } from "../../values/errors.ts";
import { type Filter, judge, parseFilter } from "../../values/filter.ts";
import { defined } from "../../values/json.ts";
import { RESULT_FIELDS } from "../../values/result-fields.ts";
import { suggest } from "../../values/suggested-command.ts";
import { durationText } from "../../values/time.ts";
import { findName, type ListName } from "../../view/list-names.ts";
import { INSTALLATION, SEARCH_OPTIONS } from "./options.ts";

const EXITS = {
  met: "ok",
  failed: "check",
  timeout: "timeout",
} as const satisfies Record<WaitResult["outcome"], ExitName>;

export default defineCommand({
  description:
    "Polls the service, with growing pauses, until all conditions are met. Conditions have the form of --filter: a column of the list or the path of a field, with = != ~ < <= > >=. Waits for one installation, for several, or for those that meet --filter when it begins. Temporary failures of the service are retried until --within has passed. Rings the bell of a terminal at the end.",
  args: { installation: several(INSTALLATION) },
  options: {
    for: required(
      several(
        text("condition to wait for, for example health=healthy", { placeholder: "condition" }),
      ),
    ),
    failOn: several(
      text(
        "exit with code 8 as soon as this condition is met, for example connection=bad_credentials",
        { placeholder: "condition" },
      ),
    ),
    within: withDefault(duration("how long to wait before exiting with code 124"), "5m"),
    ...SEARCH_OPTIONS,
  },
  needs: ["project"],
  filters: "own",
  examples: [
    'amp installations wait "Acme Corp" --for health=healthy',
    'amp installations wait "Acme Corp" Initech --for health=healthy',
    "amp installations wait --filter health=unhealthy --filter provider=stripe --for health=healthy",
    "amp installations wait ins_7f3a --for health=healthy --fail-on connection=bad_credentials --within 10m",
    "amp installations wait ins_7f3a --for last-op=success --for 'updated>5m' --json",
  ],
  fields: RESULT_FIELDS.wait,
  exits: {
    conflict: "several installations match",
    check: "a condition of --fail-on is met",
    timeout: "the conditions were not met in time",
  },
  run: async (context) => {
    const { report, settings } = context;
    const { for: conditions, failOn, within: withinMs } = context.options;
    // Other programs call the time of a whole wait so.
    if (settings.get("timeout")?.place === "option") {
      const limit = durationText(withinMs);
      report.notice(`--timeout limits each request; the wait lasts up to ${limit} (--within).`);
    }
    const request = { conditions, failOn, withinMs, last: new Map<string, LastSeen>() };
    const start = Date.now();
    const installations = await waitForAll(context, request).catch((error: unknown) => {
      throw stoppedWait(context, request, error);
    });
    report.bell();
    const waitedSeconds = Math.round((Date.now() - start) / 100) / 10;
    return { outcome: worstOf(installations), waitedSeconds, installations };
  },
  exit: ({ outcome }) => EXITS[outcome],
  view: record<WaitResult>(waitPage, ({ installations }) => installations.map(({ id }) => id)),
});

/** What an installation was at the last look, in words. */
interface LastSeen {
  readonly text: string;
  readonly isMet: boolean;
}

/** The error of a wait that a signal ended: what each was at last, and the command that goes on. */
function stoppedWait(
  { signal, options: { integration } }: WaitContext,
  { conditions, failOn, withinMs, last }: WaitRequest & { readonly last: Map<string, LastSeen> },
  error: unknown,
): unknown {
  if (!signal.aborted || last.size === 0) return error;
  const open = [...last].flatMap(([id, { isMet }]) => (isMet ? [] : [id]));
  const within = `${Math.ceil(withinMs / 1000)}s`;
  const again = { for: conditions, failOn, within, ...defined({ integration }) };
  return signalError(signal.reason, {
    detail: [...last.values()].map(({ text }) => text).join("\n"),
    suggestion: suggest("installations wait", open, again),
  });
}

type WaitContext = SearchContext &
  Polling & {
    readonly args: { readonly installation: readonly string[] };
  };

/** A wait for many would ask a service for each of them at every look. */
const MOST = 50;

/** Waits for the named installations, or for those that meet the filters when it begins. */
async function waitForAll(
  context: WaitContext,
  request: WaitRequest,
): Promise<readonly WaitedInstallation[]> {
  const { args, output } = context;
  const filters = output.query()?.filters ?? [];
  const again = (name: string, more = {}) =>
    suggest("installations wait", [name], { ...more, for: request.conditions });
  const search = (api: Api) =>
    searchInstallations(derived(context, { api }), args.installation[0] ?? "", again);
  const [name, ...others] = args.installation;
  if (name === undefined && filters.length === 0)
    throw inputErrors.param_missing(
      "<installation>",
      "Name one or several, or add a --filter.",
      "Nothing was sent.",
    );
  if (name !== undefined && filters.length > 0)
    throw inputErrors.options_conflict("<installation>", "--filter");
  if (name !== undefined && others.length === 0) {
    const find = async (api: Api) => (await search(api)).find(name);
    return [await waitForInstallation(context, find, request)];
  }
  await readConditions(request, context.now());
  const found = await search(context.api);
  const all = await meeting(found, filters, context.now());
  for (const one of args.installation) {
    const named = await found.find(one);
    // The words of one name, without quotes, find it more than once.
    if (!all.some(({ id }) => id === named.id)) all.push(named);
  }
  if (all.length === 0) throw inspectErrors.wait_for_none(filters);
  if (all.length > MOST) throw inspectErrors.wait_for_many(all.length, MOST);
  const report = derived(context.report, { working: () => () => {} });
  let isOver = false;
  const waits = all.map(async (one) => {
    const asking = derived(context, { report });
    const wait = { ...request, isOver: () => isOver };
    const waited = await waitForInstallation(asking, async () => one, wait);
    // What fails ends the wait of the others at their next look.
    isOver ||= waited.outcome === "failed";
    return waited;
  });
  return Promise.all(waits);
}

async function meeting(
  { installations }: InstallationSearch,
  filters: readonly string[],
  now: Date,
): Promise<NamedInstallation[]> {
  if (filters.length === 0) return [];
  const { createSelection } = await import("../../view/selection.ts");
  const query = { filters, sortBy: [], limit: undefined };
  const selection = createSelection(INSTALLATION_NAMES, query, { now });
  return [...(selection.of(installations) as readonly NamedInstallation[])];
}

function worstOf(all: readonly WaitedInstallation[]): WaitResult["outcome"] {
  const outcomes = all.map(({ outcome }) => outcome);
  return (["failed", "timeout"] as const).find((one) => outcomes.includes(one)) ?? "met";
}

interface WaitRequest {
  readonly conditions: readonly string[];
  readonly failOn: readonly string[];
  readonly withinMs: number;
  /** Where what is seen is kept, by ID. */
  readonly last?: Map<string, LastSeen>;
  /** Whether another wait failed, so that this one ends with what it sees. */
  readonly isOver?: () => boolean;
}

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
async function readConditions(
  { conditions, failOn }: Pick<WaitRequest, "conditions" | "failOn">,
  now: Date,
) {
  // The descriptions of fields are loaded for a run alone, and not for help.
  const { assertPossible, assertTogetherPossible } = await import("../../inspect/conditions.ts");
  const read = (option: string, texts: readonly string[]) =>
    texts.map((text) => {
      const filter = parseFilter(text, now);
      const found = findName(INSTALLATION_NAMES, filter, option);
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

/** The pauses between two looks, in milliseconds. */
const PAUSES = [2_000, 3_000, 4_500, 7_000, 10_000, 15_000, 22_000, 30_000];

/**
 * Waits until an installation is as wanted. A service that is away for a while is asked again, also
 * where it is away from the beginning.
 * @param find finds the installation
 * @throws {NotFoundError} where the installation is gone
 * @throws {TimeoutError} where the service was away all the time
 */
export async function waitForInstallation(
  context: Polling & { readonly project: string },
  find: (api: Api) => Promise<Installation>,
  request: WaitRequest,
  pauses = PAUSES,
): Promise<WaitedInstallation> {
  const { report, now, project } = context;
  // An invalid condition is refused before anything is sent.
  const { wanted, unwanted } = await readConditions(request, now());
  const all = [...wanted, ...unwanted];
  let before: Installation | undefined;
  const read = async (api: Api) => {
    const seen = before === undefined ? await find(api) : await look(api, project, before);
    if (before === undefined) await assertFieldsOf(seen, all);
    before = seen;
    const conditions = judged(wanted, seen, now());
    const failOn = judged(unwanted, seen, now());
    const outcome = outcomeOf(conditions, failOn);
    const name = groupName(seen);
    const text = `${name ? `${name} (${seen.id})` : seen.id}: ${stateText(all, seen)}`;
    request.last?.set(seen.id, { text, isMet: outcome === "met" });
    return { seen, conditions, failOn, outcome };
  };
  let shown = "";
  const patience = {
    pauses,
    withinMs: request.withinMs,
    fromStart: true,
    waitsFor: () => `${request.conditions.join(", ")} · ${shown}`,
  };
  const isEnd = ({ outcome }: { outcome: string }) =>
    outcome !== "timeout" || request.isOver?.() === true;
  const looks = poll(context, read, isEnd, patience);
  const last = await lastLook(looks, ({ answer: { seen } }) => {
    const state = stateText(all, seen);
    const name = groupName(seen);
    const who =
      shown === "" ? `${name ? `${name}, ` : ""}${seen.id} of project ${project}` : seen.id;
    if (state !== shown) report.notice(`${who}: ${state}`);
    shown = state;
  });
  const { seen, outcome, conditions, failOn } = last.answer;
  const { id, integrationId } = seen;
  return {
    outcome,
    ...defined({ id, integrationId, group: groupName(seen) }),
    waitedSeconds: Math.round(last.waitedMs / 100) / 10,
    polls: last.looks,
    conditions,
    failOn,
  };
}

/** Conditions of `--fail-on` are checked first: health is updated late, and would hide them. */
function outcomeOf(
  conditions: readonly WaitCondition[],
  failOn: readonly WaitCondition[],
): WaitResult["outcome"] {
  if (failOn.some(({ met }) => met)) return "failed";
  return conditions.every(({ met }) => met) ? "met" : "timeout";
}

async function look(api: Api, project: string, before: Installation): Promise<Installation> {
  const current = await currentInstallation(api, project, before);
  if (current !== undefined) return current;
  throw inspectErrors.installation_gone(before.id);
}

/** Refuses the paths that lead to no field of an installation, where amp knows all that it has. */
async function assertFieldsOf(installation: Installation, conditions: readonly Condition[]) {
  const { assertDescribed } = await import("../../inspect/explained-records.ts");
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
  met: ["good", "meets the conditions", "meet the conditions"],
  failed: ["bad", "failed", "failed"],
  timeout: ["attention", "does not meet the conditions yet", "do not meet the conditions yet"],
} as const satisfies Record<WaitResult["outcome"], unknown>;

/** The page of a wait that has ended: what was wanted, and what was seen last. */
function waitPage({ outcome, waitedSeconds, installations }: WaitResult): Page {
  const ended = installations.filter((one) => one.outcome === outcome);
  const [first] = ended;
  const [tone, one, many] = TITLES[outcome];
  const who =
    installations.length === 1
      ? (first?.group ?? first?.id)
      : `${ended.length} of ${installations.length} installations`;
  return {
    title: toned(tone, `${who} ${ended.length === 1 ? one : many}`),
    aside: `waited ${durationText(waitedSeconds * 1000)}`,
    blocks: [
      {
        kind: "grid",
        columns: ["Group", "Condition", "Met", "Value", "ID"],
        rows: installations.flatMap((installation) => [
          ...conditionRows(installation, installation.conditions),
          ...conditionRows(installation, installation.failOn, "fail on "),
        ]),
      },
      ...(outcome === "met" || !first ? [] : [nextBlock(suggest("installations get", [first.id]))]),
    ],
  };
}

function conditionRows(
  { group, id: own }: WaitedInstallation,
  conditions: readonly WaitCondition[],
  option = "",
): Cell[][] {
  return conditions.map(({ condition, met, value }) => {
    const seen = value === null ? undefined : valueText(value);
    return [group, option + condition, met ? "yes" : "no", seen, id(own)];
  });
}
