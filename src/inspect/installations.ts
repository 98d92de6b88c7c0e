import type { Api, CallInput, ListResult } from "../api/operations/endpoint.ts";
import {
  getInstallation,
  listInstallations,
  listIntegrations,
  listProjectInstallations,
  listProjects,
} from "../api/operations/endpoints.ts";
import { ifAvailable } from "../api/operations/optional-operation.ts";
import type { Group, Installation } from "../api/schemas/installation.ts";
import { isKind, NotFoundError, UsageError } from "../errors.ts";
import { combinedRemedy } from "../questions/find.ts";
import { batchesOf, mapList } from "../values/batches.ts";
import { capitalised, counted } from "../values/counted.ts";
import { defined } from "../values/json.ts";
import { changeDisplayCopy, oddFieldsOf } from "../values/odd-fields.ts";
import { RESULT_FIELDS } from "../values/result-fields.ts";
import { suggest } from "../values/suggested-command.ts";
import type { NamedList } from "../view/list-names.ts";
import {
  type Cell,
  type Column,
  id,
  sentence,
  type TableView,
  type Tone,
  table,
  time,
  valueText,
} from "../view/view.ts";
import { inspectErrors } from "./errors.ts";

/**
 * An installation with the name of its integration, and since when and why it fails, where that is
 * known; views alone see it.
 */
export type NamedInstallation = Installation & {
  readonly integrationName?: string | undefined;
  readonly failingSince?: string | undefined;
  readonly failureCause?: string | undefined;
  /** Whether it may have failed before `failingSince`. */
  readonly failingLonger?: true;
};

/** The installations of a project, or a part of them. */
export interface InstallationScope {
  readonly project: string;
  /** The ID of the integration; undefined: every one. */
  readonly integration?: string | undefined;
  /** The integration as it was named; absent: by its ID. */
  readonly name?: string | undefined;
  /** The variable, file or profile that named it; absent where it was typed. */
  readonly source?: string | undefined;
  readonly groupRef?: string | undefined;
  /** The argument or option that names the integration. */
  readonly flag: "<integration>" | "--integration";
}

/** The installations among which one is looked for. */
export interface SearchedInstallations {
  readonly installations: readonly NamedInstallation[];
  /** The sentence on what was searched. */
  readonly where: string;
  /** The integration, where only its installations were searched. */
  readonly only?: string | undefined;
}

/**
 * The installations of a scope. Where the service lists them by integration only, those of one
 * integration.
 * @param byDefault the default integration
 * @throws {UsageError} where an integration must be named
 */
export async function searchedInstallations(
  api: Api,
  scope: InstallationScope,
  byDefault: string | undefined,
): Promise<SearchedInstallations> {
  const search = async (of: InstallationScope, more = "") => {
    const installations = await requestInScope(
      of,
      (input) => api.call(listInstallations, input),
      (input) => api.call(listProjectInstallations, input),
    );
    const where = `${searchedText(installations.length, scopeText(of))}${more}.`;
    return { installations, where, only: of.integration && (of.name ?? of.integration) };
  };
  try {
    return await search(scope);
  } catch (error) {
    const isMissing = error instanceof UsageError && scope.integration === undefined;
    if (!isMissing || byDefault === undefined) throw error;
    const more = ", the default: this service lists installations only by integration";
    return search({ ...scope, integration: byDefault }, more);
  }
}

/**
 * Looks for an installation in the list of the whole project, up to the first.
 * @throws the errors of the call: the service may list installations only by integration
 */
export async function findListed(
  api: Api,
  project: string,
  isWanted: (one: Installation) => boolean,
): Promise<{ readonly isFound: boolean }> {
  const list = await streamInstallations(api, { project, flag: "--integration" });
  for await (const batch of batchesOf(list)) if (batch.some(isWanted)) return { isFound: true };
  return { isFound: false };
}

/** The most projects that are searched for a customer whom the named one does not have. */
const MAX_PROJECTS = 10;

/** The name of another project of this credential that lists an installation, if one does. */
export async function otherProjectWith(
  api: Api,
  project: string,
  isWanted: (one: Installation) => boolean,
): Promise<string | undefined> {
  const projects = (await ifAvailable(api.call(listProjects, {}))) ?? [];
  const others = projects.filter(({ id, name }) => id !== project && name !== project);
  for (const { id, name } of others.slice(0, MAX_PROJECTS)) {
    if ((await ifAvailable(findListed(api, id, isWanted)))?.isFound) return name || id;
  }
  return undefined;
}

/** Where the ID of an integration is found, also of a service that does not list them. */
export const INTEGRATION_PLACE =
  "The payload of an event has the ID of its integration, as integrationId.";

/** A scope in words: `integration crm-sync of project acme (AMP_INTEGRATION)`. */
export function scopeText(scope: Omit<InstallationScope, "flag">): string {
  const { project, integration, name, source, groupRef } = scope;
  const of = integration === undefined ? "" : `integration ${name ?? integration} of `;
  const [group, from] = [groupRef && `, group ref ${groupRef}`, source && ` (${source})`];
  return `${of}project ${project}${group || ""}${from || ""}`;
}

/** The ref of a group or consumer, beside its name. */
export function refText(ref: string | null | undefined): string | undefined {
  return ref ? `ref ${ref}` : undefined;
}

/** What was searched, without the stop at its end. */
export function searchedText(count: number, place: string): string {
  return count === 0
    ? `${capitalised(place)} has no installations`
    : `Searched the ${counted(count, "installation")} of ${place}`;
}

/** The installations of a scope as a list that may be longer than memory. */
export function streamInstallations(
  api: Api,
  scope: InstallationScope,
): Promise<ListResult<Installation>> {
  return requestInScope(
    scope,
    (input) => api.list(listInstallations, input),
    (input) => api.list(listProjectInstallations, input),
  );
}

/** A list whose views show the integration of each installation, by its ID if it has no name. */
export function withIntegrationNames(
  list: ListResult<Installation>,
  names: ReadonlyMap<string, string>,
): ListResult<NamedInstallation> {
  return mapList(list, (one) => named(one, names.get(one.integrationId) ?? one.integrationId));
}

/** An installation whose views show the name of its integration. */
export function withName(
  installation: Installation,
  names: ReadonlyMap<string, string>,
): NamedInstallation {
  const name = names.get(installation.integrationId);
  return name === undefined ? installation : named(installation, name);
}

function named(installation: Installation, integrationName: string): NamedInstallation {
  return changeDisplayCopy<NamedInstallation>(installation, (one) => ({ ...one, integrationName }));
}

/** The names of a project's integrations by ID; empty where the service does not say them. */
export async function integrationNames(
  api: Api,
  project: string,
): Promise<ReadonlyMap<string, string>> {
  const path = { projectIdOrName: project };
  const aside = { ...listIntegrations, isAside: true };
  const all = (await ifAvailable(api.call(aside, { path }))) ?? [];
  return new Map(all.flatMap(({ id, name }) => (name ? [[id, name] as const] : [])));
}

async function requestInScope<Answer>(
  { project, integration, groupRef, flag }: InstallationScope,
  ofIntegration: (input: CallInput<typeof listInstallations>) => Promise<Answer>,
  ofProject: (input: CallInput<typeof listProjectInstallations>) => Promise<Answer>,
): Promise<Answer> {
  const query = { groupRef };
  if (integration !== undefined) {
    return ofIntegration({ path: { projectIdOrName: project, integrationId: integration }, query });
  }
  try {
    return await ofProject({ path: { projectIdOrName: project }, query });
  } catch (error) {
    if (!isKind(error, "operation_missing")) throw error;
    const remedy = `Pass ${flag}, or set AMP_INTEGRATION. ${INTEGRATION_PLACE}`;
    throw inspectErrors.integration_required(flag, combinedRemedy(error, remedy));
  }
}

type InstallationIds = Pick<Installation, "id" | "integrationId">;

/** The path of an installation at the service. */
export function installationPath(project: string, { id, integrationId }: InstallationIds) {
  return { projectIdOrName: project, integrationId, installationId: id };
}

/**
 * One installation alone; undefined where the service does not find it, or shows none alone.
 * @throws the errors of the call, but for a 404, 405 and 501
 */
export async function singleInstallation(
  api: Api,
  project: string,
  ids: InstallationIds,
  reveals = false,
): Promise<Installation | undefined> {
  const path = installationPath(project, ids);
  return api.call({ ...getInstallation, reveals }, { path }).catch((error: unknown) => {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  });
}

/** An installation as the list of its integration shows it; undefined where it does not. */
async function listedInstallation(
  api: Api,
  project: string,
  { id: wanted, integrationId }: InstallationIds,
  reveals = false,
): Promise<Installation | undefined> {
  const path = { projectIdOrName: project, integrationId };
  const all = await api.call({ ...listInstallations, reveals }, { path });
  return all.find(({ id }) => id === wanted);
}

/**
 * An installation as it is now; undefined where it is gone.
 * @throws the errors of the call: a service that is away says nothing about the installation
 */
export async function currentInstallation(
  api: Api,
  project: string,
  ids: InstallationIds,
): Promise<Installation | undefined> {
  return (await singleInstallation(api, project, ids)) ?? listedInstallation(api, project, ids);
}

/**
 * An installation as it is now: alone, or from the list of its integration where the service shows
 * none alone, or fails to; undefined if neither can be had.
 * @param reveals whether its secrets are needed, for a request that repeats them
 */
export async function requestInstallation(
  api: Api,
  project: string,
  ids: InstallationIds,
  reveals = false,
): Promise<Installation | undefined> {
  const single = await ifAvailable(singleInstallation(api, project, ids, reveals));
  return single ?? ifAvailable(listedInstallation(api, project, ids, reveals));
}

/** A list of installations; the names of its columns are those of filters and conditions, too. */
export const INSTALLATIONS_TABLE = table<NamedInstallation>(
  ["installation", "installations"],
  {
    Group: groupCell,
    Health: ({ healthStatus }) => stateCell(healthStatus),
    Provider: ({ config, connection }) => config.content?.provider ?? connection.provider,
    "Last op": ({ lastOperationStatus }) => stateCell(lastOperationStatus),
    Connection: ({ connection }) => stateCell(connection.status),
    Updated: ({ updateTime }) => time(updateTime),
    ID: (installation) => id(installation.id),
    Integration: ({ integrationId, integrationName = "" }) => ({
      text: integrationName,
      ...(integrationName === "" ? { raw: integrationId } : { also: integrationId }),
    }),
  },
  {
    next: suggest("installations get", [{ placeholder: "id" }]),
    whenEmpty: suggest("integrations list"),
    tally: { unhealthy: ({ healthStatus }) => healthStatus === "unhealthy" },
  },
);

/** The columns of a list that only a filter or a sort asks for, because each takes requests. */
export const CAUSE_COLUMNS = ["Failing since", "Cause"] as const;

/** The list of installations as it is filtered and sorted: the columns on the right go first. */
export const LISTED_TABLE: TableView<readonly NamedInstallation[]> = {
  ...INSTALLATIONS_TABLE,
  columns: {
    ...Object.fromEntries(
      Object.entries(INSTALLATIONS_TABLE.columns).flatMap((column) =>
        column[0] === "Group" ? [column, ...causeColumns()] : [column],
      ),
    ),
    integrationId: "integrationId",
  },
  onRequest: CAUSE_COLUMNS,
  forPrograms: ["integrationId"],
};

function causeColumns(): [string, Column<NamedInstallation>][] {
  return [
    ["Cause", ({ failureCause }) => sentence(failureCause)],
    ["Failing since", ({ failingSince, failingLonger }) => time(failingSince, failingLonger)],
  ];
}

/** The names that a condition on an installation may use. */
export const INSTALLATION_NAMES: NamedList = {
  view: INSTALLATIONS_TABLE,
  fields: RESULT_FIELDS.installation,
};

/** The tones of the states that need attention, or are over; all others are plain. */
const STATE_TONES = new Map<string, Tone>([
  ["unhealthy", "bad"],
  ["failure", "bad"],
  ["bad_credentials", "bad"],
  ["created", "attention"],
  ["revoked", "dim"],
  ["expired", "dim"],
]);

/** A state as words on a terminal; a pipe gets the value of the service. */
export function stateCell(value: string | null | undefined): Cell {
  if (!value) return undefined;
  // An unknown value is shown as it is: an underscore may be a part of it.
  const isWords = value === "bad_credentials" || value === "in_progress";
  const text = isWords ? value.replace("_", " ") : value;
  return { text, raw: value, kind: "state", ...defined({ tone: STATE_TONES.get(value) }) };
}

type Owned = Pick<Installation, "group" | "connection">;

/** The group that owns an installation, or the group of its connection if only that has one. */
export function groupOf({ group, connection }: Owned): Group | undefined {
  return [group, connection.group].find((one) => one?.groupName || one?.groupRef) ?? undefined;
}

/** The name of the customer's group, or its ref; undefined where it has neither. */
export function groupName(installation: Owned): string | undefined {
  const group = groupOf(installation);
  return group?.groupName || group?.groupRef || undefined;
}

/** The name of the customer's group, or its ref. */
export function groupCell(installation: Owned): Cell {
  const name = groupName(installation) || oddGroupText(installation);
  return name ? name : { text: "(no group)", tone: "dim", raw: "" };
}

function oddGroupText(installation: object): string | undefined {
  const odd = oddFieldsOf(installation).find(({ path, value }) => path === "group" && value);
  return odd && valueText(odd.value);
}

/** Every name of the customer: groups and consumer, name and ref. */
export function ownerNames({ group, connection }: Installation): (string | null | undefined)[] {
  const { consumer } = connection;
  const groups = [group, connection.group].flatMap((one) => [one?.groupName, one?.groupRef]);
  return [...groups, consumer?.consumerName, consumer?.consumerRef];
}

/** The words for `consumer:<id>` or `builder:<id>`. */
export function creatorText(value: string): string {
  const [kind, ...id] = value.split(":");
  return id.length === 0 ? value : `${kind} ${id.join(":")}`;
}

/** The refs of the groups of an installation. */
export function groupRefs({ group, connection }: Owned) {
  return [group?.groupRef, connection.group?.groupRef];
}

/** A text that may be a whole ID: names rarely have digits, and no spaces. */
export const MAY_BE_ID = /^(?=.*\d)[\w-]{8,}$/u;
