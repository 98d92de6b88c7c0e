import type { Api } from "../api/operations/endpoint.ts";
import { getInstallation, listInstallations } from "../api/operations/endpoints.ts";
import { ifAvailable } from "../api/operations/optional-operation.ts";
import type { Installation } from "../api/schemas/installation.ts";
import { NotFoundError } from "../errors.ts";
import { UUID } from "../values/uuid.ts";
import { eventIds } from "./find-installation.ts";
import { installationPath } from "./operations.ts";

/** The IDs that name one installation at the service. */
type InstallationIds = Pick<Installation, "id" | "integrationId">;

/**
 * One installation alone; undefined where the service does not find it, or shows none alone.
 * @throws the errors of the call, but for a 404, 405 and 501
 */
async function singleInstallation(
  api: Api,
  project: string,
  ids: InstallationIds,
  reveals = false,
): Promise<Installation | undefined> {
  try {
    return await api.call(
      { ...getInstallation, reveals },
      { path: installationPath(project, ids) },
    );
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
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

/** An installation as the list of its integration shows it; undefined where it does not. */
async function listedInstallation(
  api: Api,
  project: string,
  ids: InstallationIds,
  reveals = false,
): Promise<Installation | undefined> {
  const path = { projectIdOrName: project, integrationId: ids.integrationId };
  const all = await api.call({ ...listInstallations, reveals }, { path });
  return all.find(({ id }) => id === ids.id);
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

/** A text that may be a whole ID: names rarely have digits, and no spaces. */
const MAY_BE_ID = /^(?=.*\d)[\w-]{8,}$/u;

/**
 * The installation that a text names with its integration: an event, or an ID beside that of the
 * integration. It spares a list of thousands.
 * @param integration the ID or name of the integration, if one was given
 * @returns undefined where the text does not name one so, and where the service shows none alone
 */
export async function namedWithIntegration(
  api: Api,
  project: string,
  wanted: string,
  integration: string | undefined,
): Promise<Installation | undefined> {
  const event = eventIds(wanted);
  const ids =
    event === undefined
      ? { id: MAY_BE_ID.test(wanted) ? wanted : undefined, integrationId: integration }
      : { id: event.installationId, integrationId: integration ?? event.integrationId };
  const { id, integrationId } = ids;
  if (id === undefined || integrationId === undefined || !UUID.test(integrationId))
    return undefined;
  const found = await singleInstallation(api, project, { id, integrationId });
  // Whatever a service answers there, it is shown only if it is the one.
  return found?.id === id ? found : undefined;
}
