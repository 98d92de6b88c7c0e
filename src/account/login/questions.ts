import { listIntegrations } from "../../api/operations/endpoints.ts";
import { ifAvailable } from "../../api/operations/optional-operation.ts";
import type { Choice } from "../../context/command-context.ts";
import { AuthError, UsageError } from "../../errors.ts";
import { confirm } from "../../questions/confirm.ts";
import { CREDENTIAL_NAMES, type CredentialKind, optionOf } from "../../settings.ts";
import { derived } from "../../values/basics.ts";
import { defined } from "../../values/json.ts";
import { credentialFile, FILE_SETTINGS, parseSecret } from "../credential.ts";
import { accountErrors } from "../errors.ts";
import { checkNewName } from "../profiles.ts";
import {
  type AskingContext,
  type CheckedCredential,
  knownSetting,
  type Login,
  type LoginContext,
  projectNames,
  validation,
  verifyCredential,
  visibleProject,
} from "./context.ts";

interface ProfileName {
  readonly profile: string;
  /**
   * Whether an option or a variable has the name; otherwise it is of the folder, or the default.
   */
  readonly chosen: boolean;
}

/**
 * The profile name of an option, or without questions of the active profile or else `default`;
 * undefined if it must be prompted for.
 * @throws {UsageError} for a name that no saved profile can have
 */
export function profileWithoutQuestion(context: LoginContext): ProfileName | undefined {
  const given = context.settings.get("profile");
  if (given !== undefined && given.place !== "profile") {
    checkNewName(given.value);
    return { profile: given.value, chosen: given.place !== "project file" };
  }
  return context.interactive ? undefined : { profile: usualName(context), chosen: false };
}

/** The active profile, if a login may replace it. */
function usualName({ settings }: LoginContext): string {
  const { value = "", place } = settings.get("profile") ?? {};
  const canBeSaved = place === "profile" && validation(() => checkNewName(value)) === true;
  return canBeSaved ? value : "default";
}

/** Asks for the profile name, again where that profile is for another service and should stay. */
export async function askProfile(context: LoginContext, baseUrl: string): Promise<string> {
  const { prompt } = context;
  for (;;) {
    const profile = await prompt.input({
      message: "Profile name",
      flag: "--profile",
      default: usualName(context),
      check: (answer) => validation(() => checkNewName(answer)),
    });
    const other = await otherService(context, profile, baseUrl);
    if (other === undefined) return profile;
    const question = { message: `${other} Replace it?`, flag: "--profile", default: false };
    if (await prompt.confirm(question)) return profile;
  }
}

/**
 * Asks before a login replaces a profile of another service, unless both its name and the base URL
 * were given for this call: a folder or the active profile may have supplied the other one.
 * @throws {UsageError} that requires both, if the terminal is not interactive
 * @throws {InterruptedError} if the profile should stay
 */
export async function confirmReplacement(
  context: LoginContext,
  { profile, chosen }: ProfileName,
  baseUrl: string,
): Promise<void> {
  const known = knownSetting(context, "baseUrl");
  const isGiven = known?.place === "option" || known?.place === "variable";
  const other = chosen && isGiven ? undefined : await otherService(context, profile, baseUrl);
  if (other === undefined) return;
  await confirm(
    // --yes confirms what the command line says, and that says nothing of this.
    derived(context, { yes: false }),
    {
      message: `${other} Replace it?`,
      needed: other,
      remedy: `Choose another name with --profile, or replace it with --profile ${profile} --base-url ${baseUrl}.`,
      done: "Nothing was sent or saved.",
    },
  );
}

/** A sentence about the service of a saved profile, if that is another one. */
async function otherService({ profiles }: LoginContext, profile: string, baseUrl: string) {
  const saved = (await profiles.store()).list().find(({ name }) => name === profile);
  if (saved === undefined || saved.baseUrl === baseUrl) return undefined;
  return `Profile ${profile} is for ${saved.baseUrl}.`;
}

/** The base URL of the service; the base URL of the profile is the default answer. */
export async function askBaseUrl(context: LoginContext): Promise<string> {
  const { profiles, prompt, interactive } = context;
  const known = knownSetting(context, "baseUrl");
  const settled = known !== undefined && (!interactive || known.place !== "profile");
  const typed = settled
    ? known.value
    : await prompt.input({
        message: "Base URL, for example https://api.example.com/v1",
        flag: "--base-url",
        ...(known === undefined ? {} : { default: known.value }),
        check: (answer) => validation(() => profiles.readBaseUrl(answer, "The base URL")),
      });
  return profiles.readBaseUrl(typed, settled ? known.source : "The base URL").href;
}

/**
 * Asks about a base URL without a version, which the paths of all operations need.
 * @throws {UsageError} if the terminal is not interactive and `--yes` is absent
 */
export async function confirmVersion(context: LoginContext, href: string): Promise<string> {
  if (context.profiles.readBaseUrl(href, "The base URL").versioned) return href;
  const usual = `${href}/v1`;
  if (context.yes) {
    context.report.warn(`${href} has no version; the API is usually at ${usual}.`);
    return href;
  }
  return chooseUrl(context, "The URL has no version. Which one do you want?", [usual, href], () => {
    throw accountErrors.base_url_version_missing(href, usual);
  });
}

/**
 * Asks about a base URL where the check of a credential found nothing, and whose path is not the
 * usual one: it may be mistyped, also where the user has chosen a URL without a version before.
 * @throws {UsageError} if the terminal is not interactive and `--yes` is absent
 */
export async function confirmPath(context: LoginContext, href: string): Promise<string> {
  if (href.endsWith("/v1") || context.yes) return href;
  const { versioned } = context.profiles.readBaseUrl(href, "The base URL");
  const usual = versioned ? href.replace(/\/v\d+(?:\/.*)?$/u, "/v1") : `${href}/v1`;
  const message = `404 Not Found at ${href}/projects: the base URL may be wrong`;
  const question = `${message}. Which one do you want?`;
  return chooseUrl(context, question, [usual, href], () => {
    throw accountErrors.base_url_doubtful(message, href, usual);
  });
}

function chooseUrl(
  { prompt, interactive }: LoginContext,
  message: string,
  [usual, typed]: readonly [string, string],
  refuse: () => never,
): Promise<string> {
  if (!interactive) refuse();
  return prompt.select({
    message,
    flag: "--base-url",
    choices: [
      { value: usual, label: usual },
      { value: typed, label: typed, note: "as typed" },
    ],
  });
}

/**
 * Gets the credential from a file or a question, and checks it with the service at once. Prompts
 * again for a typed one that is refused.
 * @param project the project to check with where the service does not list the projects
 * @throws {AuthError} for one of a file that the service refuses
 */
export async function askCredential(
  context: AskingContext,
  baseUrl: string,
  project: string | undefined,
): Promise<CheckedCredential> {
  const file = credentialFile(context.settings);
  if (file !== undefined) {
    const secret = await readSecretFile(context, file);
    return checkAt(context, baseUrl, { kind: file.kind, secret }, project);
  }
  const kind = await askKind(context);
  for (;;) {
    const secret = await askSecret(context, kind);
    try {
      return await checkAt(context, baseUrl, { kind, secret }, project);
    } catch (error) {
      if (!(error instanceof AuthError)) throw error;
      context.report.warn(`${error.message}. Paste it again, or press Esc to go back.`);
    }
  }
}

/** Checks a credential at a base URL. */
export async function checkAt(
  context: AskingContext,
  baseUrl: string,
  { kind, secret }: Pick<CheckedCredential, "kind" | "secret">,
  project: string | undefined,
): Promise<CheckedCredential> {
  const api = context.connect({ baseUrl, credential: { kind, secret: secret.reveal() } });
  const check = await context.remember(() => verifyCredential(api, project));
  return { kind, secret, ...check };
}

async function askKind({ prompt }: LoginContext): Promise<CredentialKind> {
  return prompt.select({
    message: "Credential type",
    flag: "--api-key-file or --access-token-file",
    choices: [
      { value: "api-key", label: "API key", note: "sent as X-Api-Key" },
      { value: "access-token", label: "Access token", note: "a JWT, sent as a bearer token" },
    ],
  });
}

async function askSecret({ profiles, prompt }: LoginContext, kind: CredentialKind) {
  const name = CREDENTIAL_NAMES[kind];
  const typed = await prompt.secret({
    message: `Paste the ${name}`,
    flag: optionOf(FILE_SETTINGS[kind]) ?? "",
    // The question stays open: what is pasted next must not go to the shell.
    check: (answer) =>
      answer.trim() === "" ? "Required" : validation(() => parseSecret(answer, "The secret")),
  });
  return profiles.readSecret(typed, `The ${name}`);
}

async function readSecretFile(
  { files, profiles }: LoginContext,
  { value: file, source }: { readonly value: string; readonly source: string },
) {
  let text: string;
  try {
    text = await files.read(file);
  } catch (error) {
    if (!(error instanceof UsageError) || file === "-") throw error;
    // The message does not repeat the file name: it may be the key itself.
    const { code } = Object(error.cause) as NodeJS.ErrnoException;
    throw accountErrors.secret_file_unreadable(source, code === "ENOENT");
  }
  return profiles.readSecret(text, `The input of ${source}`);
}

const LABELS = { project: "project", org: "organisation", integration: "integration" } as const;
type DefaultName = keyof typeof LABELS;

/** A record to choose from: all but its ID may be missing. */
interface Listed {
  readonly id: string;
  readonly name?: string | null | undefined;
}

/** The choice of no default. A value, so that a way back finds it again. */
const NONE = { value: "", label: "none", note: "pass it with each command" } as const;

/** The service and credential that the defaults are for. */
interface Target {
  readonly baseUrl: string;
  readonly credential: CheckedCredential;
}

/**
 * The defaults of the profile: from options, chosen from what the credential has access to, or
 * typed where the service lists nothing. The saved defaults of another service are not kept.
 */
export async function askDefaults(
  context: AskingContext,
  baseUrl: string,
  credential: CheckedCredential,
): Promise<Pick<Login, DefaultName>> {
  const at = { baseUrl, credential };
  if (!context.interactive) return withoutQuestions(context, at);
  const project = await askProject(context, at);
  const org = context.options.org ?? (await askOrg(context, at, project));
  const integration = context.options.integration ?? (await askIntegration(context, at, project));
  return defined({ project, org, integration });
}

/** The defaults of options and settings; says which of the profile's were of another project. */
function withoutQuestions(context: LoginContext, at: Target): Pick<Login, DefaultName> {
  const project = preset(context, "project", at);
  const refusal = outOfReach(at, project);
  if (refusal && !context.yes) throw refusal;
  const dropped: string[] = [];
  const keep = (name: "org" | "integration") => {
    const given = context.options[name];
    if (given !== undefined) return given;
    const [kept, saved] = [presetOf(context, name, at, project), preset(context, name, at)];
    if (kept !== saved) dropped.push(`the ${LABELS[name]} ${saved}`);
    return kept;
  };
  const kept = defined({ project, org: keep("org"), integration: keep("integration") });
  if (dropped.length > 0) {
    const list = dropped.join(" and ");
    context.report.warn(`The profile no longer has ${list}: its project was another one.`);
  }
  return kept;
}

/** The value of the settings for a default; one of a profile is of no use at another service. */
function preset(context: LoginContext, name: DefaultName, { baseUrl }: Target) {
  const found = knownSetting(context, name);
  if (found?.place !== "profile") return found?.value;
  const before = context.profiles.chosen()?.profile.baseUrl ?? "";
  return URL.parse(before)?.origin === URL.parse(baseUrl)?.origin ? found.value : undefined;
}

/** The same for a default of a project: one of a profile is of no use in another project. */
function presetOf(
  context: LoginContext,
  name: "org" | "integration",
  at: Target,
  project: string | undefined,
): string | undefined {
  const value = preset(context, name, at);
  if (value === undefined || knownSetting(context, name)?.place !== "profile") return value;
  const before = context.profiles.chosen()?.profile.project;
  const idOf = (one: string | undefined) => visibleProject(at.credential, one)?.id ?? one;
  return before === undefined || idOf(before) === idOf(project) ? value : undefined;
}

/** The error of a project that is not among those that the service lists. */
function outOfReach({ credential }: Target, project: string | undefined) {
  if (project === undefined || !credential.projects?.length) return undefined;
  if (visibleProject(credential, project)) return undefined;
  return accountErrors.project_out_of_reach(project, projectNames(credential));
}

async function askProject(context: AskingContext, at: Target): Promise<string | undefined> {
  const found = knownSetting(context, "project");
  const given = found?.place === "profile" ? undefined : found?.value;
  const refusal = outOfReach(at, given);
  if (given !== undefined && (context.yes || !refusal)) return given;
  if (refusal) context.report.warn(refusal.message);
  const { projects = [] } = at.credential;
  return projects.length > 0
    ? choose(context, "project", choicesOf("project", projects), preset(context, "project", at))
    : type(context, "project", "project", preset(context, "project", at));
}

/**
 * The organisation of the chosen project, or those of the visible projects to choose from; typed
 * where they tell none.
 */
async function askOrg(context: AskingContext, at: Target, project: string | undefined) {
  const saved = presetOf(context, "org", at, project);
  const own = visibleProject(at.credential, project)?.orgId;
  const namesOf = new Map<string, string[]>();
  for (const { orgId, name, id } of at.credential.projects ?? []) {
    if (orgId && orgId === (own ?? orgId))
      namesOf.set(orgId, [...(namesOf.get(orgId) ?? []), name ?? id]);
  }
  if (namesOf.size === 0) return type(context, "org", "organisation ID", saved);
  const choices = [...namesOf].map(([id, names]) => {
    const note = `of ${names.length === 1 ? "project" : "projects"} ${names.join(", ")}`;
    return { value: id, label: id, note };
  });
  return choose(context, "org", choices, own ?? saved);
}

/** The integrations of the project to choose from; not asked for where the service lists none. */
async function askIntegration(
  context: AskingContext,
  at: Target,
  project: string | undefined,
): Promise<string | undefined> {
  const saved = presetOf(context, "integration", at, project);
  if (project === undefined) return saved;
  const { kind, secret } = at.credential;
  const credential = { kind, secret: secret.reveal() };
  const api = context.connect({ baseUrl: at.baseUrl, credential });
  const path = { projectIdOrName: project };
  const listed = await context.remember(() => ifAvailable(api.call(listIntegrations, { path })));
  if (listed === undefined) return saved;
  // A default that is left of another project is of no use in one without integrations.
  if (listed.length === 0) return undefined;
  return choose(context, "integration", choicesOf("integration", listed), saved);
}

function choicesOf(name: DefaultName, listed: readonly Listed[]): Choice<string>[] {
  return listed.map(({ id, name: label }) =>
    label ? { value: name === "project" ? label : id, label, note: id } : { value: id, label: id },
  );
}

/** Asks for one of the choices, the preset one first, or none. */
async function choose(
  { prompt }: LoginContext,
  name: DefaultName,
  choices: readonly Choice<string>[],
  saved: string | undefined,
): Promise<string | undefined> {
  const isSaved = (choice: Choice<string>) =>
    saved !== undefined && (choice.value === saved || choice.note === saved);
  const others = choices.filter((choice) => !isSaved(choice));
  const chosen = await prompt.select({
    message: `Default ${LABELS[name]}`,
    flag: `--${name}`,
    // Support looks at the installations of all integrations: one is a default only by choice.
    choices: [
      ...choices.filter(isSaved),
      ...(name === "integration" ? [NONE, ...others] : [...others, NONE]),
    ],
  });
  return chosen || undefined;
}

async function type(
  { prompt }: LoginContext,
  name: "project" | "org",
  label: string,
  saved: string | undefined,
): Promise<string | undefined> {
  const none = saved === undefined ? "Enter" : "-";
  const typed = await prompt.input({
    message: `Default ${label} (${none} for none)`,
    flag: `--${name}`,
    ...(saved === undefined ? {} : { default: saved }),
  });
  return typed.trim().replace(/^-$/u, "") || undefined;
}
