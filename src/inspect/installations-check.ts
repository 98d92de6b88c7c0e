import type { ListResult } from "../api/operations/endpoint.ts";
import { HEALTH, type Installation } from "../api/schemas/installation.ts";
import type { CommandContext } from "../context/command-context.ts";
import { ServiceError, UsageError } from "../errors.ts";
import { batchesOf, mapList } from "../values/batches.ts";
import { counted } from "../values/counted.ts";
import { type Filter, parseFilter } from "../values/filter.ts";
import { defined } from "../values/json.ts";
import { suggest } from "../values/suggested-command.ts";
import { findName } from "../view/list-names.ts";
import { createSelection } from "../view/selection.ts";
import { groupName } from "./cells.ts";
import {
  type InstallationScope,
  integrationNames,
  streamInstallations,
  withIntegrationNames,
} from "./installations.ts";
import { INSTALLATION_NAMES } from "./installations-table.ts";

/** An installation that a check found. */
export interface FoundInstallation {
  readonly id: string;
  readonly integrationId: string;
  readonly group?: string;
  /** The fields of the filters, by name. */
  readonly values: Readonly<Record<string, unknown>>;
}

/** The result of a check. */
export interface InstallationsCheck {
  readonly passed: boolean;
  readonly project: string;
  readonly integration?: string;
  readonly groupRef?: string;
  readonly filters: readonly string[];
  readonly max: number;
  readonly searched: number;
  readonly found: number;
  readonly installations: readonly FoundInstallation[];
  readonly warnings: readonly string[];
}

interface CheckRequest {
  readonly filters: readonly string[];
  readonly max: number;
}

type Checking = Pick<CommandContext, "api" | "report" | "now">;

/** Counts the installations for which all filters hold, and compares the count with the maximum. */
export async function checkInstallations(
  { api, report, now }: Checking,
  scope: InstallationScope,
  { filters, max }: CheckRequest,
): Promise<InstallationsCheck> {
  const time = now();
  const query = { filters, sortBy: [], limit: undefined };
  const selection = createSelection(INSTALLATION_NAMES, query, { now: time, onLongSort: () => {} });
  // The descriptions of fields are loaded for a run alone, and not for help.
  const { assertPossible, isOfHealth, statesOf } = await import("./conditions.ts");
  const parsed = filters.map((text) => parseFilter(text, time));
  for (const filter of parsed) assertPossible(filter, "--filter");
  const isNamed = selection.uses("Integration");
  const list = await streamInstallations(api, scope);
  const names = isNamed ? await integrationNames(api, scope.project) : undefined;
  const isAboutHealth = parsed.some(({ name }) => isOfHealth(name));
  const health = isAboutHealth ? healthTally(parsed.map(({ wanted }) => wanted.text)) : undefined;
  const seen = health ? health.over(list) : list;
  const selected = selection.of(names ? withIntegrationNames(seen, names) : seen);
  const all: Installation[] = [];
  for await (const batch of batchesOf(selected as ListResult<Installation>)) all.push(...batch);
  health?.assertKnown(selection.searched() ?? 0);
  // A known state that no installation has is the expected result of a check, and causes no
  // warning.
  const known = parsed.filter(({ name }) => statesOf(name) !== undefined);
  const warnings = selection
    .warnings()
    .filter((one) => !known.some(({ text }) => one.includes(` has ${text}; seen:`)));
  assertJudged(parsed, warnings);
  for (const warning of warnings) report.warn(warning);
  const { project, integration, groupRef } = scope;
  const columns = parsed.map(({ name, isQuotedName: isQuoted }) =>
    findName(INSTALLATION_NAMES, { name, isQuoted, option: "--filter" }),
  );
  const installations = all.map((one): FoundInstallation => {
    const { id, integrationId } = one;
    const values = columns.map(({ name, value }) => [name, value(one) ?? null]);
    const facts = { id, integrationId, group: groupName(one) };
    return { ...defined(facts), values: Object.fromEntries(values) };
  });
  const found = installations.length;
  return defined({
    passed: found <= max,
    project,
    integration,
    groupRef,
    filters,
    max,
    searched: selection.searched() ?? 0,
    found,
    installations,
    warnings,
  });
}

/**
 * A filter that nothing can meet would pass every check: a mistyped path is an error, unless its
 * name is quoted, which says that the field may be in none.
 */
function assertJudged(filters: readonly Filter[], warnings: readonly string[]): void {
  const sure = filters.filter(({ isQuotedName }) => !isQuotedName);
  const doubt = warnings.find((warning) => sure.some(({ text }) => warning.includes(` ${text}: `)));
  if (doubt === undefined) return;
  throw new UsageError(doubt.replace(/\.$/u, ""), {
    remedy:
      "If the name is correct but no installation has the field yet, quote it: '\"a.b\"=value'.",
    suggestion: suggest("explain", ["installation"], { recursive: true }),
    done: "Nothing was checked.",
  });
}

/**
 * Finds installations whose health is missing or unknown: they would pass every check.
 * @param more values that the filters name, beside the specified ones
 */
function healthTally(more: readonly string[]) {
  const known: ReadonlySet<unknown> = new Set([...HEALTH, ...more]);
  const first: string[] = [];
  let count = 0;
  const see = (installation: Installation) => {
    const { id, healthStatus } = installation;
    if (known.has(healthStatus)) return installation;
    count += 1;
    if (first.length < NAMED) first.push(id || "one without an ID");
    return installation;
  };
  return {
    /** The same list, counted as it is read. */
    over: (list: ListResult<Installation>): ListResult<Installation> => mapList(list, see),
    /** @throws {ServiceError} naming the first of them */
    assertKnown: (searched: number): void => {
      if (count === 0) return;
      const named = [...first, ...(count > first.length ? ["…"] : [])].join(", ");
      throw new ServiceError(
        `The health of ${count} of ${counted(searched, "installation")} is missing or unknown: ${named}`,
        {
          remedy:
            "Report this to the service. To accept another value, add a filter that names it in quotes.",
          done: "Nothing was checked.",
        },
      );
    },
  };
}

const NAMED = 5;
