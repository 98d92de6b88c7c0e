import type { LoggedIn } from "../../documents/account.ts";
import { AmpError, AuthError } from "../../errors.ts";
import { withBack } from "../../questions/with-back.ts";
import { PROFILE_SETTINGS, SETTINGS } from "../../settings.ts";
import { derived } from "../../values/basics.ts";
import { defined } from "../../values/json.ts";
import { suggest } from "../../values/suggested-command.ts";
import { guardFields } from "../../values/writes.ts";
import { credentialFile } from "../credential.ts";
import { accountErrors } from "../errors.ts";
import {
  type AskingContext,
  knownSetting,
  type Login,
  type LoginContext,
  projectNames,
  visibleProject,
} from "./context.ts";
import {
  askBaseUrl,
  askCredential,
  askDefaults,
  askProfile,
  checkAt,
  confirmPath,
  confirmReplacement,
  confirmVersion,
  profileWithoutQuestion,
} from "./questions.ts";

/**
 * Gets the answers of a login, from options or questions, checks the credential, saves it, and makes
 * its profile the active one.
 * @throws {UsageError} that lists every missing option, before any prompt or request
 */
export async function logIn(context: LoginContext): Promise<LoggedIn> {
  return saveLogin(context, await askLogin(context));
}

async function askLogin(context: LoginContext): Promise<Login> {
  try {
    if (!context.interactive) requireLoginOptions(context);
    credentialFile(context.settings);
    await prepareFiles(context);
    return await withBack(context, ({ report, ...returning }) =>
      askAnswers(derived(context, { ...returning, report: derived(context.report, report) })),
    );
  } catch (error) {
    if (!(error instanceof AmpError) || error.facts.done !== undefined) throw error;
    // Other commands suggest amp auth status. A login with the same file would be refused again.
    const suggestion = credentialFile(context.settings) === undefined ? suggest("auth login") : [];
    const next = error instanceof AuthError ? { suggestion } : {};
    throw error.setFacts({ done: "Nothing was saved.", ...next });
  }
}

async function askAnswers(context: AskingContext): Promise<Login> {
  const reads = readHostOf(context);
  const known = profileWithoutQuestion(context);
  const typedUrl = await confirmVersion(context, await askBaseUrl(context));
  if (known !== undefined) await confirmReplacement(context, known, typedUrl);
  const knownProject = knownSetting(context, "project")?.value;
  const typed = await askCredential(context, typedUrl, knownProject);
  const baseUrl = typed.outcome === "unchecked" ? await confirmPath(context, typedUrl) : typedUrl;
  const credential =
    baseUrl === typedUrl ? typed : await checkAt(context, baseUrl, typed, knownProject);
  const defaults = await askDefaults(context, baseUrl, credential);
  const { why: _, ...checked } = credential;
  const profile = known?.profile ?? (await askProfile(context, baseUrl));
  return { profile, baseUrl, ...reads, ...checked, ...defaults };
}

/** The read host of this login: never that of an earlier one, for the secret is bound to it. */
function readHostOf(context: LoginContext): Pick<Login, "readBaseUrl"> {
  const { profiles, options } = context;
  const known = knownSetting(context, "readBaseUrl");
  const given = options.readBaseUrl
    ? { value: options.readBaseUrl, source: "--read-base-url" }
    : known?.place !== "profile" && known;
  return given ? { readBaseUrl: profiles.readBaseUrl(given.value, given.source).href } : {};
}

/** Checks the files before the first question: the answers must not be lost to an invalid file. */
async function prepareFiles({ profiles, now, reset, report }: LoginContext): Promise<void> {
  const store = await profiles.store();
  if (!reset) return store.assertReadable();
  const moved = await store.moveUnreadableAside(now());
  for (const { from, to } of moved) report.warn(`Moved ${from} to ${to}.`);
  if (moved.length === 0) report.warn("--reset: all files are valid; nothing was moved.");
}

function requireLoginOptions(context: LoginContext): void {
  const missing = [
    knownSetting(context, "baseUrl") ? undefined : "--base-url",
    credentialFile(context.settings) ? undefined : "--api-key-file (or --access-token-file)",
  ].filter((flag) => flag !== undefined);
  if (missing.length === 0) return;
  throw accountErrors.login_options_missing(missing);
}

async function saveLogin(context: LoginContext, login: Login): Promise<LoggedIn> {
  const { kind, secret, outcome, projects: _, ...kept } = login;
  const { profile: name, ...profile } = kept;
  const { settings, report } = context;
  const variable = (settings.get("apiKey") ?? settings.get("accessToken"))?.source;
  warnOfCheck(context, login);
  const store = await context.profiles.store();
  const saved = store.list().find((each) => each.name === name);
  // A secret in the keyring does not move to a file just because an option was left out.
  const storedIn = context.secureStorage || saved?.keyring !== undefined ? "keyring" : "file";
  const preferences = PROFILE_SETTINGS.filter((each) => SETTINGS[each].inProfile === "preference");
  const defaults = defined(Object.fromEntries(preferences.map((each) => [each, saved?.[each]])));
  // A guard is removed only by amp auth protect --off: another login must not lift it unnoticed.
  const guards = guardFields({
    protected: context.guards.protected || saved?.protected,
    readOnly: context.guards.readOnly || saved?.readOnly,
  });
  const whole = { ...defaults, ...profile, ...guards, credential: kind };
  const left = await store.save(name, whole, secret, storedIn);
  await store.activate(name);
  context.profiles.forgetNames(name);
  const warnings = [
    left && `The keyring still has the old secret (${left}). Delete it there.`,
    saved && saved.baseUrl !== login.baseUrl && `Profile ${name} was for ${saved.baseUrl} before.`,
    saved?.readBaseUrl &&
      !login.readBaseUrl &&
      `Profile ${name} no longer has the read base URL ${saved.readBaseUrl}; to keep it, log in with --read-base-url.`,
    variable && `${variable} is set and takes precedence over the profile until you unset it.`,
  ];
  for (const warning of warnings) if (warning) report.warn(warning);
  return { ...kept, ...guards, credential: kind, storedIn, checked: outcome === "accepted" };
}

/**
 * Warns about a project out of reach, the organisation of another project, and about a service that
 * cannot check a credential.
 */
function warnOfCheck({ interactive, report }: LoginContext, login: Login): void {
  const { outcome, projects, project, org } = login;
  const visible = visibleProject(login, project);
  if (project === undefined && !interactive) {
    const names = projectNames(login);
    const access = names === "" ? "" : ` This credential has access to ${names}.`;
    report.notice(`No default project is saved.${access}`);
  }
  const warnings = [
    project !== undefined &&
      projects !== undefined &&
      visible === undefined &&
      `This credential has no access to project ${project}; saved anyway.`,
    visible?.orgId &&
      org !== undefined &&
      org !== visible.orgId &&
      `Project ${project} belongs to organisation ${visible.orgId}, not to ${org}; saved anyway.`,
    outcome === "unchecked" && "This service cannot check a credential; saved without a check.",
  ];
  for (const warning of warnings) if (warning) report.warn(warning);
}
