import { listIntegrations } from "../api/operations/endpoints.ts";
import { ifAvailable } from "../api/operations/optional-operation.ts";
import type { Choice } from "../context/command-context.ts";
import { NotFoundError } from "../errors.ts";
import type { SettingName } from "../settings.ts";
import { defined } from "../values/json.ts";
import type { CheckedCredential } from "./ask-credential.ts";
import { type AskingContext, knownSetting, type Login, type LoginContext } from "./login.ts";
import { projectNames, visibleProject } from "./status.ts";

/** The settings that a profile may hold. */
type ProfileDefaults = Pick<Login, "project" | "org" | "integration">;

/** A record to choose from: all but its ID may be missing. */
interface Listed {
  readonly id: string;
  readonly name?: string | null | undefined;
}

/** The choice of no default. A value, so that a way back finds it again. */
const NONE = { value: "", label: "none", note: "pass it with each command" } as const;

/**
 * The defaults of the profile: from options, chosen from what the credential has access to, or
 * typed where the service lists nothing. The saved defaults of another service are not kept.
 */
export async function askDefaults(
  context: AskingContext,
  baseUrl: string,
  credential: CheckedCredential,
): Promise<ProfileDefaults> {
  const { options, interactive } = context;
  const preset = (name: SettingName) => defaultValue(context, name, baseUrl);
  const isOutOfReach = (project: string | undefined) => !seesProject(credential, project);
  if (!interactive) {
    const project = preset("project");
    if (isOutOfReach(project) && !context.yes) throw outOfReach(project, credential);
    return defined({
      project,
      ...keptDefaults(context, { baseUrl, credential, project }),
    });
  }
  const projects = credential.projects ?? [];
  const given = typedValue(context, "project");
  const isRefused = isOutOfReach(given) && !context.yes;
  if (isRefused) context.report.warn(outOfReach(given, credential).message);
  const typedProject = isRefused ? undefined : given;
  const project =
    typedProject ??
    (projects.length > 0
      ? await choose(context, "project", choicesOf("project", projects), preset("project"))
      : await type(context, "project", "project", preset("project")));
  const at = { baseUrl, credential, project };
  return defined({
    project,
    org: options.org ?? (await askOrg(context, at, presetOf(context, "org", at))),
    integration:
      options.integration ??
      (await askIntegration(context, at, presetOf(context, "integration", at))),
  });
}

/** The service, credential and project that the defaults are for. */
interface DefaultsTarget {
  readonly baseUrl: string;
  readonly credential: CheckedCredential;
  readonly project: string | undefined;
}

/** The defaults without questions; says which of the profile's were of another project. */
function keptDefaults(
  context: LoginContext,
  at: DefaultsTarget,
): Pick<Login, "org" | "integration"> {
  const { options, report } = context;
  const dropped: string[] = [];
  const keep = (name: "org" | "integration") => {
    const preset = presetOf(context, name, at);
    const saved = defaultValue(context, name, at.baseUrl);
    if (preset !== saved && options[name] === undefined) dropped.push(`${LABELS[name]} ${saved}`);
    return options[name] ?? preset;
  };
  const kept = defined({ org: keep("org"), integration: keep("integration") });
  if (dropped.length > 0) {
    const list = dropped.map((one) => `the ${one}`).join(" and ");
    report.warn(`The profile no longer has ${list}: its project was another one.`);
  }
  return kept;
}

/**
 * A default before the question; one of the profile is of no use in another project than its own.
 */
function presetOf(
  context: LoginContext,
  name: "org" | "integration",
  { baseUrl, credential, project }: DefaultsTarget,
): string | undefined {
  const preset = defaultValue(context, name, baseUrl);
  if (knownSetting(context, name)?.place !== "profile" || preset === undefined) return preset;
  const before = context.profiles.chosen()?.profile.project;
  const idOf = (one: string | undefined) => visibleProject(credential, one)?.id ?? one;
  return before === undefined || idOf(before) === idOf(project) ? preset : undefined;
}

/** Whether the project is among those the service lists; true where it lists none. */
function seesProject(credential: CheckedCredential, project: string | undefined): boolean {
  if (project === undefined || !credential.projects?.length) return true;
  return visibleProject(credential, project) !== undefined;
}

function outOfReach(project: string | undefined, credential: CheckedCredential): NotFoundError {
  return new NotFoundError(`This credential has no access to project ${project}`, {
    remedy: `It has access to ${projectNames(credential)}. Choose one with --project, or add --yes to keep ${project}.`,
  });
}

/**
 * The organisation of the chosen project, or those of the visible projects to choose from; typed
 * where they tell none.
 */
async function askOrg(
  context: LoginContext,
  { credential, project }: DefaultsTarget,
  preset: string | undefined,
): Promise<string | undefined> {
  const own = visibleProject(credential, project)?.orgId;
  const namesOf = new Map<string, string[]>();
  for (const { orgId, name, id } of credential.projects ?? []) {
    if (orgId && orgId === (own ?? orgId))
      namesOf.set(orgId, [...(namesOf.get(orgId) ?? []), name ?? id]);
  }
  if (namesOf.size === 0) return type(context, "org", "organisation ID", preset);
  const choices = [...namesOf].map(([id, names]) => {
    const note = `of ${names.length === 1 ? "project" : "projects"} ${names.join(", ")}`;
    return { value: id, label: id, note };
  });
  return choose(context, "org", choices, own ?? preset);
}

/** The integrations of the project to choose from; not asked for where the service lists none. */
async function askIntegration(
  context: AskingContext,
  { baseUrl, credential, project }: DefaultsTarget,
  preset: string | undefined,
): Promise<string | undefined> {
  if (project === undefined) return preset;
  const { kind, secret } = credential;
  const api = context.connect({ baseUrl, credential: { kind, secret: secret.reveal() } });
  const path = { projectIdOrName: project };
  const listed = await context.remember(() => ifAvailable(api.call(listIntegrations, { path })));
  if (listed === undefined) return preset;
  // A default that is left of another project is of no use in one without integrations.
  if (listed.length === 0) return undefined;
  return choose(context, "integration", choicesOf("integration", listed), preset);
}

const LABELS = { project: "project", org: "organisation", integration: "integration" } as const;

function choicesOf(name: keyof typeof LABELS, listed: readonly Listed[]): Choice<string>[] {
  return listed.map(({ id, name: label }) =>
    label ? { value: name === "project" ? label : id, label, note: id } : { value: id, label: id },
  );
}

/** Asks for one of the choices, the preset one first, or none. */
async function choose(
  { prompt }: LoginContext,
  name: keyof typeof LABELS,
  choices: readonly Choice<string>[],
  preset: string | undefined,
): Promise<string | undefined> {
  const isPreset = (choice: Choice<string>) =>
    preset !== undefined && (choice.value === preset || choice.note === preset);
  const others = choices.filter((choice) => !isPreset(choice));
  const chosen = await prompt.select({
    message: `Default ${LABELS[name]}`,
    flag: `--${name}`,
    // Support looks at the installations of all integrations: one is a default only by choice.
    choices: [
      ...choices.filter(isPreset),
      ...(name === "integration" ? [NONE, ...others] : [...others, NONE]),
    ],
  });
  return chosen || undefined;
}

async function type(
  { prompt }: LoginContext,
  name: "project" | "org",
  label: string,
  preset: string | undefined,
): Promise<string | undefined> {
  const none = preset === undefined ? "Enter" : "-";
  const typed = await prompt.input({
    message: `Default ${label} (${none} for none)`,
    flag: `--${name}`,
    ...(preset === undefined ? {} : { default: preset }),
  });
  return typed.trim().replace(/^-$/u, "") || undefined;
}

/** A setting of this call, not of a profile: it needs no question. */
function typedValue(context: LoginContext, name: SettingName): string | undefined {
  const found = knownSetting(context, name);
  return found?.place === "profile" ? undefined : found?.value;
}

function defaultValue(
  context: LoginContext,
  name: SettingName,
  baseUrl: string,
): string | undefined {
  const found = knownSetting(context, name);
  if (found?.place !== "profile") return found?.value;
  const before = context.profiles.chosen()?.profile.baseUrl;
  return before !== undefined && URL.parse(before)?.origin === URL.parse(baseUrl)?.origin
    ? found.value
    : undefined;
}
