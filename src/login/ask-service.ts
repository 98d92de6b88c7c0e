import type { Sourced } from "../context/command-context.ts";
import { AmpError, UsageError } from "../errors.ts";
import { isFromProfile, type LoginContext, validation } from "./login.ts";

/** The name of the profile that is about to be saved. */
interface ProfileName {
  readonly profile: string;
  /** Whether somebody chose it; otherwise it is what amp would call it. */
  readonly chosen: boolean;
}

/**
 * The name that was given or asked for, else that of the active profile, else `default`.
 * @throws {UsageError} for a name that no saved profile can have
 */
export async function askProfile(ports: LoginContext): Promise<ProfileName> {
  const { settings, profiles, prompt, interactive } = ports;
  const active = activeProfile(ports);
  const given = active === undefined ? settings.get("profile") : undefined;
  if (given !== undefined) {
    profiles.checkName(given.value);
    return { profile: given.value, chosen: true };
  }
  const usual = active !== undefined && canBeSaved(ports, active) ? active : "default";
  if (!interactive) return { profile: usual, chosen: false };
  const profile = await prompt.input({
    message: "Profile name",
    flag: "--profile",
    default: usual,
    check: (answer) => validation(() => profiles.checkName(answer)),
  });
  return { profile, chosen: true };
}

/**
 * Keeps a login that named no profile from taking the place of one for another service.
 * @throws {UsageError} that asks for the name
 */
export async function assertSameService(
  { profiles }: LoginContext,
  profile: string,
  baseUrl: string,
): Promise<void> {
  const saved = (await profiles.store()).list().find(({ name }) => name === profile);
  if (saved === undefined || saved.baseUrl === baseUrl) return;
  throw new UsageError(`missing option --profile: the profile ${profile} is for another service`, {
    detail: `It is for ${saved.baseUrl}.`,
    remedy: `Name the new profile; --profile ${profile} replaces that one.`,
    done: "Nothing was sent and nothing saved.",
  });
}

/** The profile in use where nobody named one. */
function activeProfile({ profiles }: LoginContext): string | undefined {
  try {
    const chosen = profiles.chosen();
    return chosen?.source === "active profile" ? chosen.name : undefined;
  } catch (error) {
    // One that is named and does not exist yet.
    if (error instanceof AmpError && error.exit === "not-found") return undefined;
    throw error;
  }
}

function canBeSaved({ profiles }: LoginContext, name: string): boolean {
  return validation(() => profiles.checkName(name)) === true;
}

/** The address of the service; one that comes from the profile itself is offered for a change. */
export async function askBaseUrl(
  { profiles, prompt, interactive }: LoginContext,
  known: Sourced<string> | undefined,
): Promise<string> {
  const settled = known !== undefined && (!interactive || !isFromProfile(known));
  const typed = settled
    ? known.value
    : await prompt.input({
        message: "Base URL, for example https://api.example.com/v1",
        flag: "--base-url",
        ...(known === undefined ? {} : { default: known.value }),
        check: (answer) => validation(() => profiles.readBaseUrl(answer, "This")),
      });
  return profiles.readBaseUrl(typed, settled ? known.source : "The base URL").href;
}

/**
 * Questions an address without a version: the specification's paths stand below one.
 * @throws {UsageError} where nobody can be asked and `--yes` does not say that it is meant
 */
export async function confirmVersion(ports: LoginContext, href: string): Promise<string> {
  const { profiles, prompt, interactive, yes, report } = ports;
  if (profiles.readBaseUrl(href, "The base URL").versioned) return href;
  const usual = `${href}/v1`;
  if (yes) {
    report.warn(`${href} names no version; the service's operations usually stand below ${usual}.`);
    return href;
  }
  if (!interactive) {
    throw new UsageError(`${href} names no version: the service's operations stand below /v1`, {
      remedy: `Give ${usual}, or add --yes if the address is meant as it is.`,
      done: "Nothing was sent and nothing saved.",
    });
  }
  return prompt.select({
    message: "The address names no version. Which one is meant?",
    flag: "--base-url",
    choices: [
      { value: usual, label: usual },
      { value: href, label: href, note: "as it was typed" },
    ],
  });
}
