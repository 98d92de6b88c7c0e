import { defined } from "../values/json.ts";
import { guardFields, type ProfileGuards } from "../values/writes.ts";
import type { CheckedLogin } from "./ask.ts";
import type { Login, LoginContext } from "./login.ts";
import { projectNames, visibleProject } from "./status.ts";

/** The saved login. */
export interface LoggedIn extends Omit<Login, "kind" | "secret">, ProfileGuards {
  readonly credential: Login["kind"];
  readonly storedIn: "file" | "keyring";
  /** Whether the credential was checked; false if the service has no operation for that. */
  readonly checked: boolean;
}

/** Saves a checked credential, and makes its profile the active one. */
export async function saveLogin(context: LoginContext, login: CheckedLogin): Promise<LoggedIn> {
  const { kind, secret, outcome, projects, ...kept } = login;
  const { profile: name, ...profile } = kept;
  const inPlace = overridingVariable(context);
  warnOfCheck(context, login);
  const store = await context.profiles.store();
  const saved = store.list().find((each) => each.name === name);
  const before = saved?.baseUrl;
  // A secret in the keyring does not move to a file just because an option was left out.
  const storedIn = context.secureStorage || saved?.keyring !== undefined ? "keyring" : "file";
  // What amp auth default saved that does not depend on the service.
  const { output, timeout, retries, maxWait, maxBody, auth } = saved ?? {};
  const defaults = defined({ output, timeout, retries, maxWait, maxBody, auth });
  // A guard is removed only by amp auth protect --off: another login must not lift it unnoticed.
  const guards = guardFields({
    protected: context.guards.protected || saved?.protected,
    readOnly: context.guards.readOnly || saved?.readOnly,
  });
  const left = await store.save(
    name,
    { ...defaults, ...profile, ...guards, credential: kind },
    secret,
    storedIn,
  );
  if (left !== undefined) {
    context.report.warn(`The keyring still has the old secret (${left}). Delete it there.`);
  }
  await store.activate(name);
  if (before !== undefined && before !== login.baseUrl) {
    context.report.warn(`Profile ${name} was for ${before} before.`);
  }
  if (saved?.readBaseUrl !== undefined && login.readBaseUrl === undefined) {
    context.report.warn(
      `Profile ${name} no longer has the read base URL ${saved.readBaseUrl}; to keep it, log in with --read-base-url.`,
    );
  }
  if (inPlace !== undefined) {
    context.report.warn(
      `${inPlace} is set and takes precedence over the profile until you unset it.`,
    );
  }
  return { ...kept, ...guards, credential: kind, storedIn, checked: outcome === "accepted" };
}

/** The variable whose credential takes precedence over that of the active profile. */
function overridingVariable({ settings }: LoginContext): string | undefined {
  return (settings.get("apiKey") ?? settings.get("accessToken"))?.source;
}

/**
 * Warns about a project out of reach, the organisation of another project, and about a service that
 * cannot check a credential.
 */
function warnOfCheck({ interactive, report }: LoginContext, login: CheckedLogin) {
  const { outcome, projects, project, org } = login;
  const visible = visibleProject(login, project);
  if (project === undefined && !interactive) {
    const names = projectNames(login);
    const access = names === "" ? "" : ` This credential has access to ${names}.`;
    report.notice(`No default project is saved.${access}`);
  }
  if (project !== undefined && projects !== undefined && visible === undefined) {
    report.warn(`This credential has no access to project ${project}; saved anyway.`);
  }
  if (visible?.orgId && org !== undefined && org !== visible.orgId) {
    report.warn(
      `Project ${project} belongs to organisation ${visible.orgId}, not to ${org}; saved anyway.`,
    );
  }
  if (outcome === "unchecked") {
    report.warn("This service cannot check a credential; saved without a check.");
  }
}
