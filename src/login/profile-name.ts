import { AmpError, UsageError } from "../errors.ts";
import type { LoginPorts } from "./ports.ts";
import { verdict } from "./verdict.ts";

/** The name of the profile that is about to be saved. */
interface Named {
  readonly profile: string;
  /** Whether somebody chose it; otherwise it is what amp would call it. */
  readonly chosen: boolean;
}

/**
 * The name that was given or asked for, else that of the active profile, else `default`.
 * @throws {UsageError} for a name that no saved profile can have
 */
export async function askProfile(ports: LoginPorts): Promise<Named> {
  const { settings, profiles, prompt, interactive } = ports;
  const active = activeProfile(ports);
  const given = active === undefined ? settings.get("profile") : undefined;
  if (given !== undefined) {
    profiles.checkName(given.value);
    return { profile: given.value, chosen: true };
  }
  const usual = active !== undefined && isFree(ports, active) ? active : "default";
  if (!interactive) return { profile: usual, chosen: false };
  const profile = await prompt.input({
    message: "Profile name",
    flag: "--profile",
    default: usual,
    check: (answer) => verdict(() => profiles.checkName(answer)),
  });
  return { profile, chosen: true };
}

/**
 * Keeps a login that named no profile from taking the place of one for another service.
 * @throws {UsageError} that asks for the name
 */
export async function refuseOtherService(
  { profiles }: LoginPorts,
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
function activeProfile({ profiles }: LoginPorts): string | undefined {
  try {
    const chosen = profiles.chosen();
    return chosen?.source === "active profile" ? chosen.name : undefined;
  } catch (error) {
    // One that is named and does not exist yet.
    if (error instanceof AmpError && error.exit === "not-found") return undefined;
    throw error;
  }
}

function isFree({ profiles }: LoginPorts, name: string): boolean {
  return verdict(() => profiles.checkName(name)) === true;
}
