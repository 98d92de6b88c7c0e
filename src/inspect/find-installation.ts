import { ifAvailable } from "../api/operations/optional-operation.ts";
import type { Installation } from "../api/schemas/installation.ts";
import type { CommandContext } from "../context/command-context.ts";
import { NotFoundError, type UsageError } from "../errors.ts";
import {
  type Asker,
  chooseOne,
  findByIdOrName,
  type Lookup,
  noMatch,
  quotedInput,
} from "../questions/find.ts";
import { once, tried, UUID } from "../values/basics.ts";
import type { CommandPath } from "../values/command-paths.ts";
import { capitalised, counted } from "../values/counted.ts";
import { inputErrors } from "../values/errors.ts";
import { defined, isJsonObject, parseJson } from "../values/json.ts";
import { fitsName, isSameName, matchesById, matching, mentionedIn } from "../values/matching.ts";
import { withoutAccents } from "../values/nearest.ts";
import { formatFacts } from "../values/setting.ts";
import { type SuggestedCommand, suggest } from "../values/suggested-command.ts";
import { diagnosisText } from "./diagnosis.ts";
import { inspectErrors } from "./errors.ts";
import {
  type Integrations,
  installationScope,
  integrationCalled,
  integrationIn,
  type NamedIntegration,
  withIntegration,
} from "./find-integration.ts";
import {
  findListed,
  groupName,
  groupRefs,
  type InstallationScope,
  integrationNames,
  MAY_BE_ID,
  type NamedInstallation,
  otherProjectWith,
  ownerNames,
  type SearchedInstallations,
  scopeText,
  searchedInstallations,
  singleInstallation,
  withName,
} from "./installations.ts";
import { mentionedOperation, operationIfShown } from "./operations.ts";

/** The identifiers in the payload of an event that lead to its installation. */
type EventIds = Readonly<Record<(typeof EVENT_IDS)[number], string | undefined>>;

const EVENT_IDS = [
  "installationId",
  "connectionId",
  "groupRef",
  "integrationId",
  "projectId",
] as const;

type Reporting = Asker & Pick<CommandContext, "report">;

interface Search extends Pick<Lookup<NamedInstallation>, "argument" | "exact"> {
  /** The names of the integrations, for a choice. */
  readonly names: () => Promise<ReadonlyMap<string, string>>;
  readonly again: InstallationLookup["again"];
  /** The command that finds more, where only one integration was searched. */
  readonly wider?: SuggestedCommand | undefined;
}

/** The IDs and names by which an installation is found. */
export const NAMES = {
  ids: ({ id, connection }: Installation) => [id, connection.id],
  names: ownerNames,
};

/**
 * The installation that a text means: an ID of it, of its connection or of one of its operations, a
 * name of its owner, or the payload of an event.
 */
export async function findInstallation(
  searched: SearchedInstallations,
  wanted: string,
  context: Reporting & Pick<CommandContext, "api"> & { readonly project: string },
  search: Search,
): Promise<NamedInstallation> {
  const { installations } = searched;
  const lookup = lookupOf(searched, wanted, search);
  const event = eventIds(wanted);
  if (event !== undefined) return findByEvent(searched, event, lookup, context);
  const isMentioned = mentionedIn(installations, wanted, lookup).length > 0;
  const mentioned = isMentioned ? undefined : mentionedOperation(wanted);
  // A command that changes the installation takes the whole ID alone.
  const isTaken = !search.exact || mentioned === wanted.toLowerCase();
  if (mentioned !== undefined && isTaken) {
    const operation = await operationIfShown(context, mentioned);
    return findByOperation(searched, mentioned, operation?.installationId, lookup);
  }
  if (isJsonLike(wanted) && !isMentioned) throw uselessEvent(wanted);
  return findByText(installations, wanted, { names: search.names, lookup }, context);
}

function lookupOf(
  { installations, where, only }: SearchedInstallations,
  wanted: string,
  { names, wider, ...search }: Search,
): InstallationLookup {
  const all = installations.length === 0 ? suggest("projects list") : listOf(only);
  return {
    noun: "installation",
    ...search,
    list: wider ?? all,
    ...NAMES,
    describe,
    // Whoever asks for a customer mostly has one with a problem.
    rank: ({ healthStatus }) => (healthStatus === "unhealthy" ? 0 : 1),
    listed: (found) => listedByGroup(found, wanted, only),
    complete: async (found) => {
      const known = await names();
      return found.map((one) => withName(one, known));
    },
    where,
  };
}

function findByOperation(
  { installations, where }: SearchedInstallations,
  operationId: string,
  of: string | null | undefined,
  { list }: InstallationLookup,
): NamedInstallation {
  const found = installations.find(({ id }) => id === of);
  if (found !== undefined) return found;
  throw inputErrors.record_not_found("installation matches", `the operation ${operationId}`, {
    detail: of ? `It belongs to installation ${of}. ${where}` : where,
    remedy: of ? "It may have been deleted since then." : "Check the ID.",
    suggestion: list,
  });
}

async function findByEvent(
  { installations, where, only }: SearchedInstallations,
  event: EventIds,
  lookup: InstallationLookup,
  context: Reporting,
): Promise<NamedInstallation> {
  const ways = [
    ["installation", event.installationId, ({ id }: NamedInstallation) => [id]],
    ["connection", event.connectionId, ({ connection }: NamedInstallation) => [connection.id]],
    ["group", event.groupRef, groupRefs],
  ] as const;
  let missed: string | undefined;
  for (const [what, value, idsOf] of ways) {
    if (value === undefined) continue;
    const all = installations.filter((one) => idsOf(one).includes(value));
    const ofIntegration = all.filter((one) => one.integrationId === event.integrationId);
    const found = ofIntegration.length > 0 ? ofIntegration : all;
    if (found.length > 0) {
      if (missed) {
        context.report.notice(
          `${missed} of the event is not listed; it may have been deleted. Found by ${what} ${value}.`,
        );
      }
      noticeOtherProject(event, found[0], context);
      return chooseOne(found, `the event's ${what} ${value}`, lookup, context);
    }
    // Of another project, only the very ID is not another customer's.
    if (isElsewhere(event, installations[0])) break;
    missed ??= `${capitalised(what)} ${value}`;
  }
  throw notListed(event, { installations, where, only });
}

/** The list of all that match, if the filter of its column finds the same ones. */
function listedByGroup(
  found: readonly NamedInstallation[],
  wanted: string,
  only: string | undefined,
) {
  const isListed = (one: NamedInstallation) =>
    withoutAccents(groupName(one) ?? "").includes(withoutAccents(wanted));
  if (!found.every(isListed)) return undefined;
  return listOf(only, [`group~${wanted}`]);
}

/** The list of all that can be listed at once: a service may list only those of one integration. */
function listOf(only: string | undefined, filter?: readonly string[]) {
  const more = defined({ filter });
  return only === undefined
    ? suggest("installations list", [], { allIntegrations: true, ...more })
    : suggest("installations list", [only], more);
}

/** The values that distinguish installations, with the likely cause of a stopped sync. */
function describe(installation: NamedInstallation) {
  const { id, config, connection, healthStatus } = installation;
  return {
    id,
    group: groupName(installation),
    integration: installation.integrationName ?? installation.integrationId,
    provider: config.content?.provider ?? connection.provider,
    health: healthStatus,
    diagnosis: diagnosisText(installation) || undefined,
  };
}

function isElsewhere({ projectId }: EventIds, one: Pick<Installation, "projectId"> | undefined) {
  return projectId !== undefined && one !== undefined && one.projectId !== projectId;
}

/** Says that what was found is not of the project that an event names. */
function noticeOtherProject(
  event: EventIds | undefined,
  found: Installation | undefined,
  { report }: Pick<CommandContext, "report">,
): void {
  if (event === undefined || !isElsewhere(event, found)) return;
  report.notice(`The event belongs to project ${event.projectId}, not to ${found?.projectId}.`);
}

function notListed(
  event: EventIds,
  { installations, where, only }: SearchedInstallations,
): NotFoundError {
  const { installationId, connectionId, groupRef, projectId } = event;
  const about = installationId ?? connectionId ?? groupRef;
  return inputErrors.record_not_found("installation matches", `the event of ${about}`, {
    detail: where,
    ...(projectId && isElsewhere(event, installations[0])
      ? {
          remedy: `The event belongs to project ${projectId}. Search there.`,
          suggestion: suggest("installations get", ["-"], { project: projectId }),
        }
      : {
          remedy: "It may have been deleted since then.",
          suggestion: listOf(only),
        }),
  });
}

function isJsonLike(text: string): boolean {
  return /^\s*[{[]/u.test(text);
}

/** The error for JSON, or a part of it, in which no installation is named. */
function uselessEvent(text: string): UsageError {
  try {
    parseJson(text);
  } catch (error) {
    return inspectErrors.event_not_json(error);
  }
  return inspectErrors.event_without_ids();
}

/** The identifiers of an event; undefined for a text that is not JSON, and where it has none. */
function eventIds(text: string): EventIds | undefined {
  if (!isJsonLike(text)) return undefined;
  const event: unknown = tried(() => parseJson(text));
  // A stream receives the data alone.
  const data = isJsonObject(event) && isJsonObject(event.data) ? event.data : event;
  const ids = Object.fromEntries(
    EVENT_IDS.map((name) => {
      const value = isJsonObject(data) ? data[name] : undefined;
      return [name, typeof value === "string" && value !== "" ? value : undefined];
    }),
  ) as EventIds;
  return (ids.installationId ?? ids.connectionId ?? ids.groupRef) ? ids : undefined;
}

/** The words for installations in a search; the next command may name an integration, too. */
interface InstallationLookup extends Lookup<NamedInstallation> {
  readonly again: (
    name: string,
    more?: { readonly integration?: string; readonly project?: string },
    argument?: string,
  ) => SuggestedCommand;
}

interface TextSearch {
  /** Asked for only where a text may contain one. */
  readonly names: () => Promise<Integrations>;
  readonly lookup: InstallationLookup;
}

/** The installation whose owner a text names, alone or with the integration. */
async function findByText(
  installations: readonly NamedInstallation[],
  wanted: string,
  { names, lookup }: TextSearch,
  capabilities: Asker & Pick<CommandContext, "report">,
): Promise<NamedInstallation> {
  const { where = "" } = lookup;
  const found = matching(installations, wanted, lookup);
  const [first] = found;
  // A ref may contain the name of an integration; whoever types that alone means no customer.
  if (first !== undefined && isFoundByRef(found, wanted, lookup)) {
    const called = integrationCalled(wanted, await names());
    if (called) throw isIntegration(wanted, called, where);
  }
  if (found.length > 1 && !lookup.exact) {
    const integration = integrationIn(wanted, await names());
    const narrowed = found.filter(({ integrationId }) => integrationId === integration?.id);
    const [one] = narrowed;
    if (one) {
      const by = JSON.stringify(groupName(one));
      capabilities.report.notice(`Found by ${by} in integration ${integration?.name}.`);
      return chooseOne(narrowed, quotedInput(wanted), lookup, capabilities);
    }
  }
  if (first !== undefined) return chooseOne(found, quotedInput(wanted), lookup, capabilities);
  const known = await names();
  const named = withIntegration(wanted, known);
  if (named === undefined) {
    const describe = (one: NamedInstallation) => lookup.describe(withName(one, known));
    const error = noMatch(installations, wanted, { ...lookup, describe });
    const integration = integrationIn(wanted, known);
    const isGuess = error.facts.remedy !== undefined || error.facts.suggestion !== lookup.list;
    throw integration && !isGuess ? isIntegration(wanted, integration, where) : error;
  }
  const [name, integration, id] = named;
  const of = installations.filter(({ integrationId }) => integrationId === id);
  const place = `Searched ${counted(of.length, "installation")} of integration ${integration}.`;
  return findByIdOrName(
    of,
    name,
    { ...lookup, again: (other) => lookup.again(other, { integration }), where: place },
    capabilities,
  );
}

/** Whether a text is a part of refs alone, and of no name or ID. */
function isFoundByRef(
  found: readonly NamedInstallation[],
  wanted: string,
  { ids }: Lookup<NamedInstallation>,
): boolean {
  if (matchesById(found, wanted, { ids }).length > 0) return false;
  return !found.some((one) => {
    const { group, connection } = one;
    const shown = [
      group?.groupName,
      connection.group?.groupName,
      connection.consumer?.consumerName,
    ];
    const isInName = shown.some((name) => name && fitsName(name, wanted));
    return isInName || ownerNames(one).some((name) => isSameName(name, wanted));
  });
}

function isIntegration(text: string, { name }: NamedIntegration, where: string): NotFoundError {
  return inputErrors.record_not_found("installation matches", quotedInput(text), {
    detail: where,
    remedy: `${name} is an integration.`,
    suggestion: suggest("installations list", [name]),
  });
}

/** The part of a command's context that searches the installations of a project. */
export type SearchContext = Asker &
  Pick<CommandContext, "api" | "settings" | "output" | "report"> & {
    readonly project: string;
    readonly options: { readonly integration: string | undefined };
  };

/** The installations of a project, among which a command looks for one or several. */
export interface InstallationSearch {
  /**
   * The installation that a text means; with the name of its integration where that is wanted.
   * @param argument the argument that holds the text, by default `<installation>`
   */
  find(wanted: string, argument?: string): Promise<NamedInstallation>;
  readonly installations: readonly NamedInstallation[];
  /** The same search among some of them. */
  of(wanted: (one: NamedInstallation) => boolean): InstallationSearch;
}

interface SearchOptions {
  /** Whether only a whole ID or name finds one: for a command that changes it. */
  readonly exact?: boolean;
  /** Whether the integration is named; by default where a person reads the result. */
  readonly isNamed?: boolean;
}

/** Whether a person reads the result: on a terminal, or in a ticket. */
export function isRead(output: SearchContext["output"]): boolean {
  return output.forReading() || formatFacts(output.format()).isRead === "always";
}

/**
 * Lists the installations among which a command searches.
 * @param typed the name that was typed
 * @param again the command with another name or integration
 */
export async function searchInstallations(
  context: SearchContext,
  typed: string,
  again: InstallationLookup["again"],
  { exact = false, isNamed = isRead(context.output) }: SearchOptions = {},
): Promise<InstallationSearch> {
  const { api, project, options, settings, report } = context;
  const names = once(() => integrationNames(api, project));
  // The names arrive while the list does; a failure is reported where they are awaited.
  if (isNamed) names().catch(() => {});
  const scope = await installationScope(context, {
    typed: options.integration,
    flag: "--integration",
    again: (name) => again(typed, { integration: name }),
  });
  if (scope.source !== undefined) report.notice(`Searching only ${scopeText(scope)}.`);
  const all = await searchedInstallations(api, scope, settings.get("integration")?.value);
  const search = (searched: SearchedInstallations): InstallationSearch => ({
    installations: searched.installations,
    of: (wanted) => search({ ...searched, installations: searched.installations.filter(wanted) }),
    async find(wanted, argument = "<installation>") {
      const own: InstallationLookup["again"] = (name, more) => again(name, more, argument);
      const look = (wider?: SuggestedCommand) =>
        findInstallation(searched, wanted, context, { argument, again: own, exact, names, wider });
      const found = await look().catch(async (failure: unknown) => {
        const error = await namedElsewhere(context, failure, wanted, own);
        const isPart = error instanceof NotFoundError && scope.integration !== undefined;
        if (!isPart || !(await ifAvailable(findListed(api, project, () => true)))) throw error;
        return look(widerSearch(scope, wanted, again));
      });
      return isNamed ? withName(found, await names()) : found;
    },
  });
  return search(all);
}

/** The error of a search, which leads to the project of this credential that has the installation. */
export async function namedElsewhere(
  { api, project }: Pick<SearchContext, "api" | "project">,
  error: unknown,
  wanted: string,
  again: InstallationLookup["again"],
): Promise<unknown> {
  if (!(error instanceof NotFoundError) || isJsonLike(wanted)) return error;
  const isWanted = (one: Installation) => matching([one], wanted, NAMES).length > 0;
  const other = await otherProjectWith(api, project, isWanted);
  if (other === undefined) return error;
  const remedy = `Project ${other} has one that matches.`;
  return error.setFacts({ remedy, suggestion: again(wanted, { project: other }) });
}

/** The command that searches all integrations, after a search in one. */
export function widerSearch(
  { source }: InstallationScope,
  wanted: string,
  again: InstallationLookup["again"],
): SuggestedCommand {
  // What a setting says holds for the same command without the option, too.
  if (source === undefined) return again(wanted);
  const isName = !isJsonLike(wanted) && !MAY_BE_ID.test(wanted) && !wanted.includes("\n");
  return listOf(undefined, isName ? [`group~${wanted}`] : undefined);
}

/**
 * The one installation that a command is about. Where a text names it with its integration,
 * requests it alone, instead of a list of thousands.
 * @param command the command itself, which an error suggests with another name or integration
 */
export async function oneInstallation(
  context: SearchContext,
  wanted: string,
  command: CommandPath,
  options: SearchOptions = {},
): Promise<NamedInstallation> {
  const { api, project } = context;
  const single = await namedWithIntegration(context, wanted);
  if (single === undefined) {
    const again = (name: string, more = {}) => suggest(command, [name], more);
    return (await searchInstallations(context, wanted, again, options)).find(wanted);
  }
  noticeOtherProject(eventIds(wanted), single, context);
  const { isNamed = isRead(context.output) } = options;
  return isNamed ? withName(single, await integrationNames(api, project)) : single;
}

/**
 * The installation that a text names with its integration: an event, or an ID beside the
 * integration's.
 * @returns undefined where the text does not name one so, and where the service shows none alone
 */
async function namedWithIntegration(
  { api, project, options }: SearchContext,
  wanted: string,
): Promise<Installation | undefined> {
  const event = eventIds(wanted);
  const ownId = MAY_BE_ID.test(wanted) ? wanted : undefined;
  const id = event === undefined ? ownId : event.installationId;
  const integration = options.integration ?? event?.integrationId ?? "";
  if (id === undefined || !UUID.test(integration)) return undefined;
  const found = await singleInstallation(api, project, { id, integrationId: integration });
  // Whatever a service answers there, it is shown only if it is the one.
  return found?.id === id ? found : undefined;
}
