import type { Api } from "../api/api.ts";
import { listInstallations, listProjectInstallations } from "../api/endpoints.ts";
import { lacksOperation } from "../api/lacks-operation.ts";
import type { Installation } from "../api/schemas/installation.ts";
import { UsageError } from "../errors.ts";

/** Which installations are wanted. */
export interface InstallationScope {
  readonly project: string;
  /** Absent: those of every integration. */
  readonly integration: string | undefined;
  readonly groupRef?: string | undefined;
  /** What names the integration on the command line. */
  readonly flag: string;
}

/**
 * The installations of one integration, or of all where the service lists them.
 * @throws {UsageError} where an integration must be named
 */
export async function listAll(api: Api, scope: InstallationScope): Promise<Installation[]> {
  const { project, integration, groupRef, flag } = scope;
  const query = { groupRef };
  if (integration !== undefined) {
    return api.call(listInstallations, {
      path: { projectIdOrName: project, integrationId: integration },
      query,
    });
  }
  try {
    return await api.call(listProjectInstallations, { path: { projectIdOrName: project }, query });
  } catch (error) {
    if (!(await lacksOperation(api, error, project))) throw error;
    throw new UsageError(`missing ${flag}: this service lists installations by integration only`, {
      remedy: `Give ${flag}, set AMP_INTEGRATION, or save it in the profile.`,
    });
  }
}
