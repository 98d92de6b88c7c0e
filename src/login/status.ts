import type { Api } from "../api/operations/endpoint.ts";
import { listProjects, listProviderApps } from "../api/operations/endpoints.ts";
import { isUnavailable } from "../api/operations/optional-operation.ts";
import type { CommandContext } from "../context/command-context.ts";
import { AuthError, type ErrorFacts, NotFoundError } from "../errors.ts";
import type { CredentialKind } from "../settings.ts";
import { defined } from "../values/json.ts";
import { suggest } from "../values/suggested-command.ts";
import { guardFields, type ProfileGuards } from "../values/writes.ts";
import { type PageRow, row, toned } from "../view/view.ts";

/** The login that this call uses, and whether the service accepts it. Absent fields are not set. */
export interface LoginStatus extends ProfileGuards {
  readonly profile?: string;
  /** The setting that chose the profile. */
  readonly profileSource?: string;
  readonly baseUrl: string;
  /** The URL of operations, logs and backfills, if they are on a separate host. */
  readonly readBaseUrl?: string;
  readonly credential: CredentialKind;
  readonly credentialSource: string;
  /** The place of a saved credential: `keyring`, or the path of the file of secrets. */
  readonly storedIn?: string;
  /** The expiry, RFC 3339; only for a token with one. */
  readonly expires?: string;
  /** Whether the credential was checked; false if the service has no operation for that. */
  readonly checked: boolean;
  readonly projects?: CredentialCheck["projects"];
  readonly project?: string;
  readonly org?: string;
  readonly integration?: string;
  /** The project that writes are restricted to. */
  readonly expectProject?: string;
}

/**
 * Reads the settings, and checks the credential with the service.
 * @throws {AuthError} if there is no credential, or the service rejects it
 */
export async function readLoginStatus(
  context: Pick<CommandContext, "api" | "profiles" | "report" | "settings" | "target">,
): Promise<LoginStatus> {
  const { api, profiles, settings } = context;
  const chosen = profiles.chosen();
  const credential = await profiles.credentials.ofService();
  if (credential.kind === "none") throw credential.why;
  const project = settings.get("project")?.value;
  const check = await verifyCredential(api, project).catch((error: unknown) => {
    throw error instanceof AuthError ? error.setFacts(loginAgain(credential.profile)) : error;
  });
  if (check.remedy !== undefined) context.report.warn(check.remedy);
  const known = defined({
    profile: chosen?.name,
    profileSource: chosen?.source,
    storedIn: credential.storedIn === "file" ? profiles.secretsPath : credential.storedIn,
    expires: credential.expires?.toISOString(),
    projects: check.projects,
    readBaseUrl: settings.get("readBaseUrl")?.value,
    project,
    org: settings.get("org")?.value,
    integration: settings.get("integration")?.value,
    expectProject: settings.get("expectProject")?.value,
    ...guardFields(chosen?.profile ?? {}),
  });
  return {
    ...known,
    baseUrl: context.target().baseUrl,
    credential: credential.kind,
    credentialSource: credential.source,
    checked: check.outcome === "accepted",
  };
}

/** The rows of a login's check at the service, and of its defaults. */
export function loginRows({
  checked,
  project,
  org,
  integration,
}: Pick<LoginStatus, "checked" | "project" | "org" | "integration">): PageRow[] {
  const check = checked
    ? "accepted by the service"
    : toned("attention", "no: the service has no operation to check it");
  return [
    ...row("Checked", check),
    ...row("Project", project),
    ...row("Org", org),
    ...row("Integration", integration),
  ];
}

/** Other commands suggest `amp auth status`; this one must suggest the step after it. */
function loginAgain(profile: string | undefined): ErrorFacts {
  return { suggestion: suggest("auth login", [], { profile }) };
}

/** The answer of a service about a credential. */
export interface CredentialCheck {
  /** The outcome; `unchecked`: the service has no operation to check it with. */
  readonly outcome: "accepted" | "unchecked";
  /** The projects that the credential has access to, if the service lists them. */
  readonly projects?:
    | readonly {
        id: string;
        name?: string | null | undefined;
        orgId?: string | null | undefined;
      }[]
    | undefined;
  /** The likely reason why it could not be checked, if there is one. */
  readonly remedy?: string | undefined;
}

/** The first names of the projects that a credential has access to; empty where none is known. */
export function projectNames({ projects = [] }: Pick<CredentialCheck, "projects">): string {
  const names = projects.flatMap(({ id, name }) => name ?? id ?? []);
  const more = names.length > 10 ? ` and ${names.length - 10} more` : "";
  return `${names.slice(0, 10).join(", ")}${more}`;
}

/** The project of a name or ID among those that a credential has access to. */
export function visibleProject(
  { projects }: Pick<CredentialCheck, "projects">,
  project: string | undefined,
) {
  return projects?.find(({ id, name }) => id === project || name === project);
}

/**
 * Asks the service whether it accepts the credential: by the list of projects, or else by an
 * operation that every service has for a project.
 * @throws {AuthError} if it does not
 */
export async function verifyCredential(
  api: Api,
  project: string | undefined,
): Promise<CredentialCheck> {
  try {
    return { outcome: "accepted", projects: await api.call(listProjects, {}) };
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    if (project === undefined) return { outcome: "unchecked", remedy: error.facts.remedy };
  }
  try {
    await api.call(listProviderApps, { path: { projectIdOrName: project } });
    return { outcome: "accepted" };
  } catch (error) {
    // An unknown project proves nothing about the credential.
    if (!(error instanceof NotFoundError)) throw error;
    return { outcome: "unchecked", remedy: error.facts.remedy };
  }
}
