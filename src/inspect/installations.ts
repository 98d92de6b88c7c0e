import type { Api, CallInput, ListResult } from "../api/operations/endpoint.ts";
import { listInstallations, listProjectInstallations } from "../api/operations/endpoints.ts";
import { OperationMissingError } from "../api/operations/optional-operation.ts";
import type { Installation } from "../api/schemas/installation.ts";
import { UsageError } from "../errors.ts";

/** The installations of a project, or a part of them. */
export interface InstallationScope {
  readonly project: string;
  /** Undefined: every integration. */
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
  return requestInScope(scope, {
    one: (input) => api.call(listInstallations, input),
    all: (input) => api.call(listProjectInstallations, input),
  });
}

/** The same installations as a list that may be longer than memory. */
export function streamInstallations(
  api: Api,
  scope: InstallationScope,
): Promise<ListResult<Installation>> {
  return requestInScope(scope, {
    one: (input) => api.list(listInstallations, input),
    all: (input) => api.list(listProjectInstallations, input),
  });
}

interface ScopeRequests<Answer> {
  readonly one: (input: CallInput<typeof listInstallations>) => Promise<Answer>;
  readonly all: (input: CallInput<typeof listProjectInstallations>) => Promise<Answer>;
}

async function requestInScope<Answer>(
  { project, integration, groupRef, flag }: InstallationScope,
  ask: ScopeRequests<Answer>,
): Promise<Answer> {
  const query = { groupRef };
  if (integration !== undefined) {
    return ask.one({ path: { projectIdOrName: project, integrationId: integration }, query });
  }
  try {
    return await ask.all({ path: { projectIdOrName: project }, query });
  } catch (error) {
    if (!(error instanceof OperationMissingError)) throw error;
    throw new UsageError(`missing ${flag}: this service lists installations only by integration`, {
      remedy: `Pass ${flag}, set AMP_INTEGRATION, or save it in the profile.`,
    });
  }
}
