import type { Api, CallInput, ListResult } from "../api/operations/endpoint.ts";
import {
  listInstallations,
  listIntegrations,
  listProjectInstallations,
} from "../api/operations/endpoints.ts";
import { ifAvailable, OperationMissingError } from "../api/operations/optional-operation.ts";
import type { Installation } from "../api/schemas/installation.ts";
import { UsageError } from "../errors.ts";
import { mapList } from "../values/batches.ts";
import { capitalised, counted } from "../values/counted.ts";
import { changeDisplayCopy } from "../values/odd-fields.ts";
import { combinedRemedy } from "./not-found.ts";

/** An installation with the name of its integration, where that is known; views alone see it. */
export type NamedInstallation = Installation & { readonly integrationName?: string };

/** The installations of a project, or a part of them. */
export interface InstallationScope {
  readonly project: string;
  /** The integration; undefined: every one. */
  readonly integration: string | undefined;
  readonly groupRef?: string | undefined;
  /** The argument or option that names the integration. */
  readonly flag: string;
}

/** The installations among which one is looked for. */
export interface SearchedInstallations {
  readonly installations: readonly NamedInstallation[];
  /** The sentence on what was searched. */
  readonly where: string;
}

/**
 * The installations of the whole project. Where the service lists them by integration only, those
 * of one integration.
 * @param scope `typed`: the integration as it was typed, by name or ID
 * @param byDefault the default integration, which limits lists and never a search
 * @throws {UsageError} where an integration must be named
 */
export async function searchedInstallations(
  api: Api,
  scope: InstallationScope & { readonly typed: string | undefined },
  byDefault: string | undefined,
): Promise<SearchedInstallations> {
  const { project, integration, typed } = scope;
  const all = async (of: string | undefined) =>
    requestInScope(
      { ...scope, integration: of },
      (input) => api.call(listInstallations, input),
      (input) => api.call(listProjectInstallations, input),
    );
  const searched = (installations: readonly Installation[], of: string | undefined, more = "") => {
    const place =
      of === undefined ? `project ${project}` : `integration ${typed ?? of} of project ${project}`;
    return { installations, where: `${searchedText(installations.length, place)}${more}.` };
  };
  if (integration !== undefined) {
    const more = `; without ${scope.flag}, all of the project is searched`;
    return searched(await all(integration), integration, more);
  }
  try {
    return searched(await all(undefined), undefined);
  } catch (error) {
    if (!(error instanceof UsageError) || byDefault === undefined) throw error;
    const more = ", the default: this service lists installations only by integration";
    return searched(await all(byDefault), byDefault, more);
  }
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
  return mapList(list, (one) =>
    changeDisplayCopy<NamedInstallation>(one, (shown) => ({
      ...shown,
      integrationName: names.get(shown.integrationId) ?? shown.integrationId,
    })),
  );
}

/** An installation whose views show the name of its integration. */
export function withName(
  installation: Installation,
  names: ReadonlyMap<string, string>,
): NamedInstallation {
  const name = names.get(installation.integrationId);
  if (name === undefined) return installation;
  return changeDisplayCopy<NamedInstallation>(installation, (one) => ({
    ...one,
    integrationName: name,
  }));
}

/** The names of a project's integrations by ID; empty where the service does not say them. */
export async function integrationNames(
  api: Api,
  project: string,
): Promise<ReadonlyMap<string, string>> {
  const path = { projectIdOrName: project };
  const all = (await ifAvailable(api.call(listIntegrations, { path }))) ?? [];
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
    if (!(error instanceof OperationMissingError)) throw error;
    const remedy = `Pass ${flag}, set AMP_INTEGRATION, or save it in the profile.`;
    throw new UsageError(`missing ${flag}: this service lists installations only by integration`, {
      remedy: combinedRemedy(error, remedy),
    });
  }
}
