import type { Api } from "../api/api.ts";
import { listProjects, listProviderApps } from "../api/endpoints.ts";
import { AmpError, AuthError } from "../errors.ts";

/** What a service says of a credential. */
export interface CredentialCheck {
  /** `unchecked`: the service has no operation that tells. */
  readonly outcome: "accepted" | "unchecked";
  /** The projects that the credential can see, where the service lists them. */
  readonly projects?: readonly { id: string; name?: string | null | undefined }[];
}

/** Statuses of a service that has no list of projects, or keeps it from this kind of key. */
const NO_LIST = new Set([403, 404, 405, 501]);

/**
 * Asks the service whether it takes the credential: by the list of projects, and where there is
 * none, by an operation that every service has for a project.
 * @throws {AuthError} where it does not
 */
export async function checkCredential(
  api: Api,
  project: string | undefined,
): Promise<CredentialCheck> {
  try {
    return { outcome: "accepted", projects: await api.call(listProjects, {}) };
  } catch (error) {
    if (!(error instanceof AmpError) || !NO_LIST.has(error.facts.status ?? 0)) throw error;
  }
  if (project === undefined) return { outcome: "unchecked" };
  try {
    await api.call(listProviderApps, { path: { projectIdOrName: project } });
    return { outcome: "accepted" };
  } catch (error) {
    if (error instanceof AuthError) throw error;
    // A project that is unknown, or a service without this operation: neither speaks of the key.
    if (error instanceof AmpError && NO_LIST.has(error.facts.status ?? 0)) {
      return { outcome: "unchecked" };
    }
    throw error;
  }
}
