import type { Api } from "../api/operations/endpoint.ts";
import { getInstallation, listInstallations } from "../api/operations/endpoints.ts";
import { ifAvailable } from "../api/operations/optional-operation.ts";
import type { Installation } from "../api/schemas/installation.ts";
import { NotFoundError } from "../errors.ts";
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
): Promise<Installation | undefined> {
  try {
    return await api.call(getInstallation, { path: installationPath(project, ids) });
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
  const single = await singleInstallation(api, project, ids);
  if (single !== undefined) return single;
  const path = { projectIdOrName: project, integrationId: ids.integrationId };
  const all = await api.call(listInstallations, { path });
  return all.find(({ id }) => id === ids.id);
}

/**
 * An installation as it is now: alone, or from the list of its integration where the service shows
 * none alone; undefined if the service cannot be reached.
 */
export async function requestInstallation(
  api: Api,
  project: string,
  ids: InstallationIds,
): Promise<Installation | undefined> {
  const single = await ifAvailable(singleInstallation(api, project, ids));
  if (single !== undefined) return single;
  const path = { projectIdOrName: project, integrationId: ids.integrationId };
  const all = (await ifAvailable(api.call(listInstallations, { path }))) ?? [];
  return all.find(({ id }) => id === ids.id);
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/iu;
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
