import type { Api } from "../../api/operations/endpoint.ts";
import { lastLook, type Polling, poll } from "../../api/operations/poll.ts";
import type { Installation } from "../../api/schemas/installation.ts";
import {
  type Block,
  type Cell,
  defineCommand,
  duration,
  joined,
  nextBlock,
  type Page,
  record,
  required,
  row,
  rows,
  several,
  text,
  toned,
  valueText,
  withDefault,
} from "../../cli/define.ts";
import type { WaitCondition, WaitResult } from "../../documents/inspect.ts";
import type { ExitName } from "../../errors.ts";
import { inspectErrors } from "../../inspect/errors.ts";
import { searchInstallations } from "../../inspect/find-installation.ts";
import { currentInstallation, groupName, INSTALLATION_NAMES } from "../../inspect/installations.ts";
import { derived } from "../../values/basics.ts";
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
    "Polls the service, with growing pauses, until all conditions are met. Conditions have the form of --filter: a column of the list or the path of a field, with = != ~ < <= > >=. Temporary failures of the service are retried until --within has passed.",
  args: { installation: required(INSTALLATION) },
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
  examples: [
    'amp installations wait "Acme Corp" --for health=healthy',
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
    const { args, report, settings } = context;
    const { for: conditions, failOn, within: withinMs } = context.options;
    // Other programs call the time of a whole wait so.
    if (settings.get("timeout")?.place === "option") {
      const limit = durationText(withinMs);
      report.notice(`--timeout limits each request; the wait lasts up to ${limit} (--within).`);
    }
    const find = async (api: Api) => {
      const { installation } = args;
      const asking = derived(context, { api });
      const search = await searchInstallations(asking, installation, (name, more) =>
        suggest("installations wait", [name], { ...more, for: conditions }),
      );
      return search.find(installation);
    };
    return waitForInstallation(context, find, { conditions, failOn, withinMs });
  },
  exit: ({ outcome }) => EXITS[outcome],
  view: record<WaitResult>(waitPage),
});

interface WaitRequest {
  readonly conditions: readonly string[];
  readonly failOn: readonly string[];
  readonly withinMs: number;
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
): Promise<WaitResult> {
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
    return { seen, conditions, failOn, outcome: outcomeOf(conditions, failOn) };
  };
  let shown = "";
  const patience = {
    pauses,
    withinMs: request.withinMs,
    fromStart: true,
    waitsFor: () => `${request.conditions.join(", ")} · ${shown}`,
  };
  const looks = poll(context, read, ({ outcome }) => outcome !== "timeout", patience);
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
  met: ["good", "meets the conditions"],
  failed: ["bad", "failed"],
  timeout: ["attention", "does not meet the conditions yet"],
} as const satisfies Record<WaitResult["outcome"], unknown>;

/** The page of a wait that has ended: what was wanted, and what was seen last. */
function waitPage(result: WaitResult): Page {
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
