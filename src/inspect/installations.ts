import type { Api, CallInput, ListResult } from "../api/operations/endpoint.ts";
import { listInstallations, listProjectInstallations } from "../api/operations/endpoints.ts";
import { OperationMissingError } from "../api/operations/optional-operation.ts";
import type { Installation } from "../api/schemas/installation.ts";
import { UsageError } from "../errors.ts";
import { withRemedyOf } from "./absent.ts";

/** The installations of a project, or a part of them. */
export interface InstallationScope {
  readonly project: string;
  /** The integration; undefined: every one. */
  readonly integration: string | undefined;
  readonly groupRef?: string | undefined;
  /** The argument or option that names the integration. */
  readonly flag: string;
}

/**
 * The installations of one integration, or of all where the service lists them.
 * @throws {UsageError} where an integration must be named
 */
export function allInstallations(api: Api, scope: InstallationScope): Promise<Installation[]> {
  return requestInScope(
    scope,
    (input) => api.call(listInstallations, input),
    (input) => api.call(listProjectInstallations, input),
  );
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
      remedy: withRemedyOf(error, remedy),
    });
  }
}
