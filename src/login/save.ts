import { AmpError, AuthError } from "../errors.ts";
import { suggest } from "../values/suggested-command.ts";
import type { Login, LoginContext } from "./login.ts";
import { verifyCredential } from "./status.ts";

/** The saved login. */
export interface LoggedIn extends Omit<Login, "kind" | "secret"> {
  readonly credential: Login["kind"];
  readonly keptIn: "file" | "keyring";
  /** Whether the credential was checked; false if the service has no operation for that. */
  readonly checked: boolean;
}

/**
 * Checks the credential with the service, then saves it and makes its profile the active one.
 * @throws {AuthError} if the service rejects it; nothing is saved then
 */
export async function saveLogin(context: LoginContext, login: Login): Promise<LoggedIn> {
  const { kind, secret, ...kept } = login;
  const { profile: name, ...profile } = kept;
  const inPlace = overridingVariable(context);
  const checked = await checkLogin(context, login);
  const store = await context.profiles.store();
  const saved = store.list().find((each) => each.name === name);
  const before = saved?.baseUrl;
  // A secret in the keyring does not move to a file just because an option was left out.
  const keptIn = context.secureStorage || saved?.keyring !== undefined ? "keyring" : "file";
  const left = await store.save(name, { ...profile, credential: kind }, secret, keptIn);
  if (left !== undefined) {
    context.report.warn(`The keyring still has the old secret (${left}). Delete it there.`);
  }
  await store.activate(name);
  if (before !== undefined && before !== login.baseUrl) {
    context.report.warn(`Profile ${name} was for ${before} before.`);
  }
  if (inPlace !== undefined) {
    context.report.warn(
      `${inPlace} is set and takes precedence over the profile until you unset it.`,
    );
  }
  return { ...kept, credential: kind, keptIn, checked };
}

/** The variable whose credential takes precedence over that of the active profile. */
function overridingVariable({ settings }: LoginContext): string | undefined {
  return (settings.get("apiKey") ?? settings.get("accessToken"))?.source;
}

async function checkLogin(context: LoginContext, login: Login): Promise<boolean> {
  const { baseUrl, kind, secret, project } = login;
  const api = context.connect({ baseUrl, credential: { kind, secret: secret.reveal() } });
  try {
    const { outcome, projects } = await verifyCredential(api, project);
    if (
      project &&
      projects &&
      !projects.some(({ id, name }) => id === project || name === project)
    ) {
      context.report.warn(`This credential has no access to project ${project}; saved anyway.`);
    }
    if (outcome === "unchecked") {
      context.report.warn("This service cannot check a credential; saved without a check.");
    }
    return outcome === "accepted";
  } catch (error) {
    if (!(error instanceof AmpError)) throw error;
    // The suggestion of other commands, amp auth status, does not help here.
    const next = error instanceof AuthError ? { suggestion: suggest("auth login") } : {};
    throw error.addFacts({ done: "Nothing was saved.", ...next });
  }
}
