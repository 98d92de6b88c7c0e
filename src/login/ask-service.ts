import type { Sourced } from "../context/command-context.ts";
import { AmpError, UsageError } from "../errors.ts";
import { confirm } from "../questions/confirm.ts";
import { derived } from "../values/basics.ts";
import { knownSetting, type LoginContext, validation } from "./login.ts";

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
  const { settings, profiles, interactive } = context;
  const given = activeProfile(context) === undefined ? settings.get("profile") : undefined;
  if (given !== undefined) {
    profiles.checkName(given.value);
    return { profile: given.value, chosen: given.place !== "project file" };
  }
  return interactive ? undefined : { profile: usualName(context), chosen: false };
}

function usualName(context: LoginContext): string {
  const active = activeProfile(context);
  return active !== undefined && canBeSaved(context, active) ? active : "default";
}

/** Asks for the profile name, again where that profile is for another service and should stay. */
export async function askProfile(context: LoginContext, baseUrl: string): Promise<string> {
  const { profiles, prompt } = context;
  for (;;) {
    const profile = await prompt.input({
      message: "Profile name",
      flag: "--profile",
      default: usualName(context),
      check: (answer) => validation(() => profiles.checkName(answer)),
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

/** The active profile, if no setting names another. */
function activeProfile({ profiles }: LoginContext): string | undefined {
  try {
    const chosen = profiles.chosen();
    return chosen?.isNamed ? undefined : chosen?.name;
  } catch (error) {
    // A setting may name a profile that does not exist yet.
    if (error instanceof AmpError && error.exit === "not-found") return undefined;
    throw error;
  }
}

function canBeSaved({ profiles }: LoginContext, name: string): boolean {
  return validation(() => profiles.checkName(name)) === true;
}

/** The base URL of the service; the base URL of the profile is the default answer. */
export async function askBaseUrl(
  { profiles, prompt, interactive }: LoginContext,
  known: Sourced<string> | undefined,
): Promise<string> {
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
  const { profiles, interactive, yes, report } = context;
  if (profiles.readBaseUrl(href, "The base URL").versioned) return href;
  const usual = `${href}/v1`;
  if (yes) {
    report.warn(`${href} has no version; the API is usually at ${usual}.`);
    return href;
  }
  if (!interactive) {
    throw new UsageError(`The base URL ${href} has no version`, {
      remedy: `Use ${usual}, or add --yes to keep ${href}.`,
      done: "Nothing was sent or saved.",
    });
  }
  return chooseUrl(context, "The URL has no version. Which one do you want?", [usual, href]);
}

/**
 * Asks about a base URL where the check of a credential found nothing, and whose path is not the
 * usual one: it may be mistyped, also where the user has chosen a URL without a version before.
 * @throws {UsageError} if the terminal is not interactive and `--yes` is absent
 */
export async function confirmPath(context: LoginContext, href: string): Promise<string> {
  const { profiles, interactive, yes } = context;
  if (href.endsWith("/v1") || yes) return href;
  const { versioned } = profiles.readBaseUrl(href, "The base URL");
  const usual = versioned ? href.replace(/\/v\d+(?:\/.*)?$/u, "/v1") : `${href}/v1`;
  const message = `404 Not Found at ${href}/projects: the base URL may be wrong`;
  if (!interactive) {
    throw new UsageError(message, {
      remedy: `The API is usually at ${usual}; add --yes to keep ${href}.`,
    });
  }
  return chooseUrl(context, `${message}. Which one do you want?`, [usual, href]);
}

function chooseUrl(
  { prompt }: LoginContext,
  message: string,
  [usual, typed]: readonly [string, string],
): Promise<string> {
  return prompt.select({
    message,
    flag: "--base-url",
    choices: [
      { value: usual, label: usual },
      { value: typed, label: typed, note: "as typed" },
    ],
  });
}
