import {
  listInstallations,
  listIntegrations,
  listProjectInstallations,
} from "../api/operations/endpoints.ts";
import { ifAvailable } from "../api/operations/optional-operation.ts";
import type { Installation } from "../api/schemas/installation.ts";
import type { CommandContext } from "../context/command-context.ts";
import type { AlikeState } from "../documents/case.ts";
import { assertFailure, NotFoundError, UsageError } from "../errors.ts";
import { findInstallation, namedElsewhere, widerSearch } from "../inspect/find-installation.ts";
import { installationScope } from "../inspect/find-integration.ts";
import {
  groupOf,
  type InstallationScope,
  integrationNames,
  MAY_BE_ID,
  ownerNames,
  scopeText,
  searchedText,
  singleInstallation,
  streamInstallations,
} from "../inspect/installations.ts";
import { once } from "../values/basics.ts";
import { batchesOf, countedBatches } from "../values/batches.ts";
import { defined } from "../values/json.ts";
import { suggest } from "../values/suggested-command.ts";
import type { Recorder } from "./recorder.ts";

/** The installation that a case is about. */
export interface TargetOptions {
  /** An ID, a name of its owner, or the payload of an event. */
  readonly who: string;
  /** The integration to search, by name or ID. */
  readonly integration: string | undefined;
}

/** The part of a command's context that looks for an installation. */
export type TargetContext = Pick<
  CommandContext,
  "api" | "settings" | "report" | "interactive" | "prompt"
> & { readonly project: string };

/** The installation of a case, and those beside it in counts. */
export interface Target {
  readonly installation: Installation;
  readonly cohort: Cohort;
  /** The names, refs and IDs of the other customers, which no text of the case may have. */
  readonly others: ReadonlySet<string>;
}

/** The maximum number of installations that are held in memory whole while one is looked for. */
const MAX_HELD = 2_000;

/**
 * Finds the installation, counts the others as they arrive, and keeps the installations of its
 * group alone.
 */
export async function findTarget(
  context: TargetContext,
  { who, integration: wanted }: TargetOptions,
  recorder: Recorder,
): Promise<Target> {
  const { api, project } = context;
  const again = (name: string, more = {}) => suggest("case create", [name], more);
  const narrow = await installationScope(context, {
    typed: wanted,
    flag: "--integration",
    again: (name) => again(who, { integration: name }),
  });
  const { integration, source } = narrow;
  if (source !== undefined) context.report.notice(`Searching only ${scopeText(narrow)}.`);
  const all = await readAll(context, who, integration);
  const { scope, rows, isShort, counter, failure } = all;
  if (failure) recorder.miss("installations of the project", failure);
  // An integration narrows the search alone: a verdict counts the others of the whole project.
  const searched = integration ? rows.filter((one) => one.integrationId === integration) : rows;
  const isWhole = scope.integration === undefined;
  const where = searchedText(searched.length, scopeText(integration ? narrow : scope));
  const among = { installations: searched, where: `${where}.`, only: scope.integration };
  const found = await findInstallation(among, who, context, {
    argument: "<installation>",
    again,
    wider: integration && isWhole ? widerSearch(narrow, who, again) : undefined,
    names: once(() => integrationNames(api, project)),
  }).catch(async (error: unknown) => {
    // It may be in the part of the project that could not be listed.
    if (failure && !integration && error instanceof NotFoundError) throw failure;
    throw await namedElsewhere(context, error, who, again);
  });
  const isOwn = (one: Installation) => isOfGroup(one, found, groupOf(found)?.groupRef || undefined);
  const kept = isShort ? rows.filter(isOwn) : await groupOfTarget(context, scope, found);
  const [endpoint, path] = endpointOf(scope);
  const of = kept.length < rows.length ? rows.length : undefined;
  recorder.keep({ role: "installations" }, endpoint, { path }, { records: kept, of });
  const installation = kept.find(({ id }) => id === found.id) ?? found;
  const others = namesOf(rows.filter((one) => !isOwn(one)));
  for (const name of namesOf(kept)) others.delete(name);
  return { installation, cohort: counter.beside(installation), others };
}

function endpointOf({ project, integration }: InstallationScope) {
  const projectIdOrName = project;
  return integration === undefined
    ? ([listProjectInstallations, { projectIdOrName }] as const)
    : ([listInstallations, { projectIdOrName, integrationId: integration }] as const);
}

/**
 * The installations of the project; or of one integration, where the service lists only those, or
 * fails to list the others.
 */
async function readAll(context: TargetContext, who: string, wanted: string | undefined) {
  const { project, settings } = context;
  const scope: InstallationScope = { project, flag: "--integration" };
  try {
    return { ...(await readScope(context, scope)), failure: undefined };
  } catch (error) {
    assertFailure(error);
    const failure = error instanceof UsageError ? undefined : error;
    const named = wanted || (failure && (await ifAvailable(integrationOf(context, who))));
    const saved = named ? undefined : settings.get("integration");
    const integration = named || saved?.value;
    if (integration === undefined) throw error;
    const { source } = saved ?? {};
    return { ...(await readScope(context, { ...scope, integration, source })), failure };
  }
}

async function integrationOf({ api, project }: TargetContext, id: string) {
  if (!MAY_BE_ID.test(id)) return undefined;
  const path = { projectIdOrName: project };
  for (const { id: integrationId } of await api.call(listIntegrations, { path })) {
    const found = await singleInstallation(api, project, { id, integrationId });
    if (found?.id === id) return integrationId;
  }
  return undefined;
}

async function readScope({ api, report }: TargetContext, scope: InstallationScope) {
  const counter = createCounter();
  let rows: Installation[] = [];
  let isShort = true;
  const list = await streamInstallations(api, scope);
  for await (const batch of countedBatches(list, report, "Reading the installations")) {
    for (const one of batch) counter.add(one);
    if (isShort && rows.length + batch.length > MAX_HELD) {
      rows = rows.map(sketch);
      isShort = false;
    }
    for (const one of batch) rows.push(isShort ? one : sketch(one));
  }
  return { scope, rows, isShort, counter };
}

/** What a search needs of an installation: the configs of all would fill the memory. */
function sketch(installation: Installation): Installation {
  const { config, connection } = installation;
  const provider = config.content?.provider ?? connection.provider;
  // A content without its reads would seem to read nothing.
  return { ...installation, config: {}, connection: { ...connection, provider } };
}

/** The whole records of the group of an installation, itself included. */
async function groupOfTarget(
  { api }: TargetContext,
  scope: InstallationScope,
  found: Installation,
): Promise<Installation[]> {
  const groupRef = groupOf(found)?.groupRef || undefined;
  const read = async (ref: string | undefined) => {
    const kept: Installation[] = [];
    const list = await streamInstallations(api, { ...scope, groupRef: ref });
    // A service may ignore the filter.
    for await (const batch of batchesOf(list)) {
      kept.push(...batch.filter((one) => isOfGroup(one, found, groupRef)));
    }
    return kept;
  };
  const kept = await read(groupRef);
  // A service may filter by the installation's own group alone: its connection's finds nothing.
  if (groupRef === undefined || kept.some(({ id }) => id === found.id)) return kept;
  const others = new Set(kept.map(({ id }) => id));
  return [...kept, ...(await read(undefined)).filter(({ id }) => !others.has(id))];
}

/** The names, refs and IDs by which customers are known. */
function namesOf(installations: readonly Installation[]): Set<string> {
  const names = installations.flatMap((one) => [one.id, one.connection.id, ...ownerNames(one)]);
  return new Set(names.flatMap((name) => name?.trim() || []));
}

function isOfGroup(one: Installation, found: Installation, groupRef: string | undefined): boolean {
  return one.id === found.id || (groupRef !== undefined && groupOf(one)?.groupRef === groupRef);
}

/**
 * The state of an installation, as far as its record says. The first three are reported as failing:
 * by the connection; by the health, without a last operation that succeeded; by the health alone.
 */
type Way = AlikeState | "lastOperationFailed" | "fine" | "other";

/** The counts of a set of installations, by their records. The rest of the total is unknown. */
export interface Tally {
  /** All of them, that of the case included. */
  readonly total: number;
  /** The installations that are reported as failing, that of the case included. */
  readonly failing: number;
  /**
   * Those of them in the same {@link Way} as that of the case, itself included; 0 if it is not one
   * of them.
   */
  readonly alike: number;
  /** The others that are reported healthy, although their last operation failed. */
  readonly lastOperationFailed: number;
  /** The others that are reported healthy, and whose last operation did not fail. */
  readonly fine: number;
}

/** The installations beside the one that a case is about, in counts. */
export interface Cohort {
  readonly integration: Tally;
  readonly provider: Tally;
  /** What those have in common that fail alike; absent if that of the case is none of them. */
  readonly alikeState?: AlikeState;
  /** The integrations of the provider that have an installation which fails alike. */
  readonly integrationsAlike: number;
}

/** The installations of one integration with one provider, by their ways. */
interface Counts {
  readonly integrationId: string;
  readonly provider: string;
  readonly ways: Map<Way, number>;
}

/** Counts installations as they arrive, in memory that depends on the integrations alone. */
export function createCounter() {
  const counts = new Map<string, Counts>();
  return {
    add(installation: Installation): void {
      const { integrationId } = installation;
      const provider = providerOf(installation);
      const key = JSON.stringify([integrationId, provider]);
      const { ways } = counts.get(key) ?? { ways: new Map<Way, number>() };
      const way = wayOf(installation);
      ways.set(way, (ways.get(way) ?? 0) + 1);
      counts.set(key, { integrationId, provider, ways });
    },
    /** The counts beside an installation. */
    beside(installation: Installation): Cohort {
      const way = wayOf(installation);
      const all = [...counts.values()];
      const ofProvider = all.filter(({ provider }) => provider === providerOf(installation));
      const alikeState = isReported(way) ? way : undefined;
      const alike = ofProvider.filter(({ ways }) => alikeState && ways.has(way));
      const { integrationId: own } = installation;
      return {
        integration: tally(
          all.filter(({ integrationId }) => integrationId === own),
          way,
        ),
        provider: tally(ofProvider, way),
        ...defined({ alikeState }),
        integrationsAlike: new Set(alike.map(({ integrationId }) => integrationId)).size,
      };
    },
  };
}

function isReported(way: Way): way is AlikeState {
  return way === "credentials" || way === "failing" || way === "succeeding";
}

function tally(counts: readonly Counts[], own: Way): Tally {
  const all = counts.flatMap(({ ways }) => [...ways]);
  const sum = (of: (way: Way) => boolean) =>
    all.reduce((total, [way, count]) => total + (of(way) ? count : 0), 0);
  // Its operations, and not its record, say whether the installation of the case works.
  const others = (of: Way) => sum((way) => way === of) - (own === of ? 1 : 0);
  return {
    total: sum(() => true),
    failing: sum(isReported),
    alike: isReported(own) ? sum((way) => way === own) : 0,
    lastOperationFailed: others("lastOperationFailed"),
    fine: others("fine"),
  };
}

/**
 * A single failed operation does not make an installation fail; an unknown health is not judged.
 */
function wayOf({ healthStatus, lastOperationStatus, connection }: Installation): Way {
  if (connection.status === "bad_credentials") return "credentials";
  if (healthStatus === "unhealthy")
    return lastOperationStatus === "success" ? "succeeding" : "failing";
  if (healthStatus !== "healthy") return "other";
  return lastOperationStatus === "failure" ? "lastOperationFailed" : "fine";
}

function providerOf({ config, connection }: Installation): string {
  return config.content?.provider ?? connection.provider ?? "";
}
