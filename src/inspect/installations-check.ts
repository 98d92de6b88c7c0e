import type { Api, ListResult } from "../api/operations/endpoint.ts";
import { HEALTH, type Installation } from "../api/schemas/installation.ts";
import type { CommandContext } from "../context/command-context.ts";
import type { FoundInstallation, InstallationsCheck } from "../documents/inspect.ts";
import { type JunitCase, junitXml, sarifJson } from "../reports/reports.ts";
import { allItems, mapList } from "../values/batches.ts";
import { counted, firstNames } from "../values/counted.ts";
import { type Filter, filtersText, parseFilter } from "../values/filter.ts";
import { defined } from "../values/json.ts";
import { nearest } from "../values/nearest.ts";
import { changeDisplayCopy } from "../values/odd-fields.ts";
import { suggest } from "../values/suggested-command.ts";
import { timeOf } from "../values/time.ts";
import { findName } from "../view/list-names.ts";
import { createSelection, type FilterDoubt } from "../view/selection.ts";
import {
  type Block,
  type Cell,
  id,
  nextBlock,
  type Page,
  rowsOfItems,
  table,
  time,
  toned,
  type ViewRows,
  valueText,
} from "../view/view.ts";
import { inspectErrors } from "./errors.ts";
import {
  groupName,
  INSTALLATION_NAMES,
  type InstallationScope,
  integrationNames,
  scopeText,
  searchedText,
  streamInstallations,
  withIntegrationNames,
} from "./installations.ts";
import { providerNames } from "./providers.ts";

/** Counts the installations for which all filters hold, and compares the count with the maximum. */
export async function checkInstallations(
  { api, report, now }: Pick<CommandContext, "api" | "report" | "now">,
  scope: InstallationScope,
  { filters, max }: Pick<InstallationsCheck, "filters" | "max">,
): Promise<InstallationsCheck> {
  const time = now();
  const query = { filters, sortBy: [], limit: undefined };
  const selection = createSelection(INSTALLATION_NAMES, query, { now: time });
  // The descriptions of fields are loaded for a run alone, and not for help.
  const { assertPossible, isOfHealth, isOfProvider, statesOf } = await import("./conditions.ts");
  const parsed = filters.map((text) => parseFilter(text, time));
  for (const filter of parsed) assertPossible(filter, "--filter");
  const isNamed = selection.uses("Integration");
  const list = await streamInstallations(api, scope);
  const names = isNamed ? await integrationNames(api, scope.project) : undefined;
  const { note, providers, ofUnknownHealth } = noteStates(parsed.map(({ wanted }) => wanted.text));
  const seen = mapList(list, note);
  const selected = selection.of(names ? withIntegrationNames(seen, names) : seen);
  const all = await allItems(selected as ListResult<Installation>);
  const searched = selection.searched() ?? 0;
  // Installations whose health is missing or unknown would pass every check of it.
  if (ofUnknownHealth.length > 0 && parsed.some(({ name }) => isOfHealth(name))) {
    const of = counted(searched, "installation");
    throw inspectErrors.health_unknown(ofUnknownHealth.length, of, firstNames(ofUnknownHealth));
  }
  const ofProvider = parsed.filter(
    ({ name, text }) => isOfProvider(name) && !/["']\s*$/u.test(text),
  );
  await assertProviders(api, ofProvider, [...providers]);
  // A known state that no installation has is the expected result of a check: no warning.
  const doubts = selection
    .doubts()
    .filter(({ reason, filter }) => reason !== "no-such-value" || !statesOf(filter.name));
  assertJudged(doubts);
  const warnings = doubts.map(({ text }) => text);
  for (const warning of warnings) report.warn(warning);
  const { project, integration, groupRef } = scope;
  const columns = parsed.map((filter) => findName(INSTALLATION_NAMES, filter, "--filter"));
  const installations = all.map((one): FoundInstallation => {
    const { id, integrationId } = one;
    const values = columns.map(({ name, value }) => [name, value(one) ?? null]);
    const facts = { id, integrationId, group: groupName(one) };
    return { ...defined(facts), values: Object.fromEntries(values) };
  });
  const found = installations.length;
  const result: InstallationsCheck = defined({
    passed: found <= max,
    project,
    integration,
    groupRef,
    filters,
    max,
    searched,
    found,
    installations,
    warnings,
  });
  return changeDisplayCopy<ShownCheck>(result, (one) => ({ ...one, name: scope.name }));
}

/** Notes what the installations have that a check reads, those that it does not find included. */
function noteStates(wanted: readonly string[]) {
  const known = new Set<unknown>([...HEALTH, ...wanted]);
  const providers = new Set<string>();
  const ofUnknownHealth: string[] = [];
  const note = (one: Installation) => {
    if (!known.has(one.healthStatus)) ofUnknownHealth.push(one.id || "one without an ID");
    for (const name of [one.connection.provider, one.config.content?.provider])
      if (name) providers.add(name);
    return one;
  };
  return { note, providers, ofUnknownHealth };
}

/** A check with its integration as it was named. */
type ShownCheck = InstallationsCheck & Pick<InstallationScope, "name">;

/**
 * A check for a provider that there is not would always pass. Where the catalogue cannot be read,
 * a warning says what the installations have.
 */
async function assertProviders(api: Api, filters: readonly Filter[], seen: readonly string[]) {
  const { isPart } = await import("./conditions.ts");
  const unseen = filters.filter(({ operator }) => operator === "=" || operator === "~");
  const [first] = unseen.filter((filter) => !isPart(filter, seen));
  const known = first && (await providerNames(api));
  const missing = known && unseen.find((filter) => !isPart(filter, [...seen, ...known]));
  if (missing === undefined) return;
  const { text, wanted } = missing;
  throw inspectErrors.provider_unknown(text, wanted.text, nearest(wanted.text, known ?? []));
}

/**
 * A filter that nothing can meet would pass every check: a mistyped path is an error, unless its
 * name is quoted, which says that the field may be in none.
 */
function assertJudged(doubts: readonly FilterDoubt[]): void {
  const doubt = doubts.find(
    ({ reason, filter }) => reason !== "no-such-value" && !filter.isQuotedName,
  );
  if (doubt === undefined) return;
  throw inspectErrors.condition_unclear(doubt.problem, doubt.hint);
}

/** The rows that a terminal shows: more would hide what they are about. */
const ON_TERMINAL = 20;

const REST: Block = {
  kind: "text",
  text: `Only the first ${ON_TERMINAL} are shown; --json lists all.`,
  onTerminal: true,
};

/** The page of a check: the verdict, and the installations that it found. */
export function checkPage(check: ShownCheck): Page {
  const { passed, installations } = check;
  const grid = gridOf(installations);
  const [first] = installations;
  const blocks: Block[] = [
    ...(installations.length === 0 ? [] : [grid]),
    ...(installations.length > ON_TERMINAL ? [REST] : []),
    ...(first && !passed ? [nextBlock(suggest("installations get", [first.id]))] : []),
  ];
  const title = toned(passed ? "good" : "bad", verdictText(check));
  return { title, aside: searchedText(check.searched, scopeText(check)), blocks };
}

/** The verdict: `3 installations with health=unhealthy, more than the 2 allowed`. */
export function verdictText({ passed, found, max, filters }: InstallationsCheck): string {
  const what = counted(found, "installation");
  return `${what} with ${filtersText(filters)}, ${passed ? "at most" : "more than the"} ${max} allowed`;
}

function gridOf(installations: readonly FoundInstallation[]): Block {
  const [first] = installations;
  const names = Object.keys(first?.values ?? {});
  const all = installations.map((one): Cell[] => [
    one.group,
    ...names.map((name) => {
      const text = textOf(one.values[name]);
      return timeOf(text) === undefined ? text : time(text);
    }),
    id(one.id),
  ]);
  const columns = ["Group", ...names, "ID"];
  return { kind: "grid", columns, rows: all, onTerminal: all.slice(0, ON_TERMINAL), inRows: true };
}

function textOf(value: unknown): string | undefined {
  return value === null || value === undefined ? undefined : valueText(value);
}

/** The installations as rows, for CSV and a pipe. */
export function checkRows({ installations, filters }: InstallationsCheck): ViewRows {
  return rowsOfItems(
    installations,
    table<FoundInstallation>(["installation", "installations"], {
      Group: ({ group }) => group,
      [filters.join(" ")]: ({ values }) =>
        Object.values(values)
          .map((one) => textOf(one) ?? "")
          .join(" "),
      ID: (one) => id(one.id),
    }),
  );
}

/** One installation in a sentence: `Acme (ins_1): health unhealthy`. */
function findingText({ id, group, values }: FoundInstallation): string {
  const states = Object.entries(values).map(
    ([name, value]) => `${name} ${textOf(value) ?? "empty"}`,
  );
  const who = group === undefined ? id : `${group} (${id})`;
  return `${who}: ${states.join(", ")}`;
}

/** The kinds of reports of a check, each with its text. */
export const CHECK_REPORTS = {
  junit: junitText,
  sarif: sarifText,
} as const satisfies Readonly<Record<string, (check: InstallationsCheck) => Promise<string>>>;

const RULE = "installations.check";
/** GitHub shows ten annotations of a step. */
const MAX_ANNOTATIONS = 10;

/** The texts that are shown beside the job of a check that failed: the verdict first. */
export function annotationTexts(check: InstallationsCheck): string[] {
  if (check.passed) return [];
  return [verdictText(check), ...check.installations.map(findingText)].slice(0, MAX_ANNOTATIONS);
}

/** A test case for each installation that was found, or one that passes. */
function junitText(check: InstallationsCheck): Promise<string> {
  const { passed, project, installations } = check;
  const found = installations.map((one): JunitCase => {
    const text = findingText(one);
    const testCase = { className: `amp.${RULE}`, name: text };
    return passed ? { ...testCase, output: text } : { ...testCase, failure: { text, type: RULE } };
  });
  const whole: JunitCase = { className: `amp.${RULE}`, name: verdictText(check) };
  const cases = passed ? [whole, ...found] : found;
  return junitXml({ name: `amp installations check of ${project}`, cases });
}

/** SARIF 2.1.0, with a result for each installation that was found. */
function sarifText({
  passed,
  project,
  filters,
  max,
  installations,
}: InstallationsCheck): Promise<string> {
  const severity = "error";
  const title = `At most ${max} installations have ${filtersText(filters)}`;
  const remedy = "Inspect each with amp installations get.";
  const found = passed ? [] : installations;
  return sarifJson(
    [{ id: RULE, severity, title, remedy }],
    found.map((one) => ({ rule: RULE, severity, text: findingText(one) })),
    `projects/${project}/installations`,
  );
}
