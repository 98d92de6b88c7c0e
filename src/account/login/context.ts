import type { Api } from "../../api/operations/endpoint.ts";
import { listProjects, listProviderApps } from "../../api/operations/endpoints.ts";
import { isUnavailable } from "../../api/operations/optional-operation.ts";
import type { CommandContext } from "../../context/command-context.ts";
import { AmpError, type ErrorFacts, isInterrupt, NotFoundError } from "../../errors.ts";
import type { Returning } from "../../questions/with-back.ts";
import type { Secret } from "../../secrets/secret.ts";
import type { CredentialKind, SettingName } from "../../settings.ts";
import { nearest } from "../../values/nearest.ts";
import type { ProfileGuards } from "../../values/writes.ts";
import { accountErrors } from "../errors.ts";
import type { Sourced } from "../values.ts";

/** The part of a command's context that a login uses, and its typed options. */
export interface LoginContext
  extends Pick<
    CommandContext,
    | "connect"
    | "files"
    | "interactive"
    | "now"
    | "profiles"
    | "prompt"
    | "report"
    | "settings"
    | "yes"
  > {
  readonly options: Readonly<Record<"readBaseUrl" | "org" | "integration", string | undefined>>;
  /** Whether files that cannot be read are moved aside (`--reset`). */
  readonly reset: boolean;
  /** Whether the secret goes into the keyring (`--secure-storage`). */
  readonly secureStorage: boolean;
  /** The guards to add (`--protected`, `--read-only`); a login removes none. */
  readonly guards: ProfileGuards;
}

/** The same, for questions with a way back. */
export type AskingContext = LoginContext & Pick<Returning, "remember">;

/** A credential that the service has not refused. */
export interface CheckedCredential extends CredentialCheck {
  readonly kind: CredentialKind;
  readonly secret: Secret;
}

/** The answers of a login, and what the service said about the credential. */
export interface Login extends Omit<CheckedCredential, "remedy"> {
  readonly profile: string;
  readonly baseUrl: string;
  /** The URL of operations, logs and backfills, to which the credential may be sent, too. */
  readonly readBaseUrl?: string;
  /** Defaults of the profile; absent if there is none. */
  readonly project?: string;
  readonly org?: string;
  readonly integration?: string;
}

/** A setting; undefined if it would come from a profile that does not exist yet. */
export function knownSetting(
  { settings }: Pick<LoginContext, "settings">,
  name: SettingName,
): Sourced<string> | undefined {
  try {
    return settings.get(name);
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}

/** The result of a check in the form of a prompt: true, or how to correct the answer. */
export function validation(check: () => unknown): true | string {
  try {
    check();
    return true;
  } catch (error) {
    if (error instanceof AmpError) return error.facts.remedy ?? error.message;
    throw error;
  }
}

/** The answer of a service about a credential. */
interface CredentialCheck {
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
  /** The likely reason why it could not be checked, and what finds out. */
  readonly why?: ErrorFacts;
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
 * Refuses a default project that the credential does not see, if the service can be asked.
 * @throws {NotFoundError} with the nearest one
 */
export async function assertVisibleProject(
  { api, report }: Pick<CommandContext, "api" | "report">,
  project: string,
): Promise<void> {
  const projects = await api.call(listProjects, {}).catch((error: unknown) => {
    if (!(error instanceof AmpError) || isInterrupt(error)) throw error;
    report.warn(`Project ${project} was not checked: ${error.message}`);
    return undefined;
  });
  if (projects !== undefined) throwUnlessVisible({ projects }, project);
}

/** @throws {NotFoundError} for a project that is not among those that the credential has access to */
export function throwUnlessVisible(
  { projects = [] }: Pick<CredentialCheck, "projects">,
  project: string,
): void {
  if (visibleProject({ projects }, project)) return;
  const names = projects.map(({ id, name }) => name ?? id);
  const near = nearest(project, names);
  throw accountErrors.default_project_unknown(project, projectNames({ projects }), near);
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
    if (project === undefined) return { outcome: "unchecked", why: error.facts };
  }
  try {
    await api.call(listProviderApps, { path: { projectIdOrName: project } });
    return { outcome: "accepted" };
  } catch (error) {
    // An unknown project proves nothing about the credential.
    if (!(error instanceof NotFoundError)) throw error;
    return { outcome: "unchecked", why: error.facts };
  }
}
