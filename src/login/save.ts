import { AmpError, AuthError } from "../errors.ts";
import type { Login, LoginContext } from "./login.ts";
import { verifyCredential } from "./status.ts";

/** What a login saved. */
export interface LoggedIn extends Omit<Login, "kind" | "secret"> {
  readonly credential: Login["kind"];
  readonly keptIn: "file" | "keyring";
  /** False where the service had no operation to check with. */
  readonly checked: boolean;
}

/**
 * Checks the credential with the service, then saves it and makes its profile the active one.
 * @throws {AuthError} where the service does not take it; nothing is saved then
 */
export async function saveLogin(ports: LoginContext, login: Login): Promise<LoggedIn> {
  const { kind, secret, ...kept } = login;
  const { profile: name, ...profile } = kept;
  ports.profiles.checkName(name);
  const inPlace = overridingVariable(ports);
  const checked = await checkLogin(ports, login);
  const store = await ports.profiles.store();
  const saved = store.list().find((each) => each.name === name);
  const before = saved?.baseUrl;
  // Once in the keyring, it does not fall back to a file because a word was left out.
  const keptIn = ports.secureStorage || saved?.keyring !== undefined ? "keyring" : "file";
  const left = await store.save(name, { ...profile, credential: kind }, secret, keptIn);
  if (left !== undefined) {
    ports.report.warn(`The keyring still holds the former secret, as ${left}: remove it there.`);
  }
  await store.activate(name);
  if (before !== undefined && before !== login.baseUrl) {
    ports.report.warn(`Profile ${name} was for ${before} until now.`);
  }
  if (inPlace !== undefined) {
    ports.report.warn(`${inPlace} is set: it is used in place of the profile's until it is unset.`);
  }
  return { ...kept, credential: kind, keptIn, checked };
}

/** The variable whose credential goes before that of an active profile. */
function overridingVariable({ settings }: LoginContext): string | undefined {
  return (settings.get("apiKey") ?? settings.get("accessToken"))?.source;
}

async function checkLogin(ports: LoginContext, login: Login): Promise<boolean> {
  const { baseUrl, kind, secret, project } = login;
  const api = ports.connect({ baseUrl, credential: { kind, secret: secret.reveal() } });
  try {
    const { outcome, projects } = await verifyCredential(api, project);
    if (
      project &&
      projects &&
      !projects.some(({ id, name }) => id === project || name === project)
    ) {
      ports.report.warn(`The credential sees no project ${project}. It is saved all the same.`);
    }
    if (outcome === "unchecked") {
      ports.report.warn(
        "This service has no operation to check a credential with: it is saved unchecked.",
      );
    }
    return outcome === "accepted";
  } catch (error) {
    if (!(error instanceof AmpError)) throw error;
    // The advice of other commands, to look at the login, leads nowhere here.
    const next = error instanceof AuthError ? { suggestion: "amp auth login" } : {};
    throw error.with({ done: "Nothing was saved.", ...next });
  }
}
