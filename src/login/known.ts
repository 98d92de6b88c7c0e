import type { Sourced } from "../context.ts";
import { NotFoundError } from "../errors.ts";
import type { SettingName } from "../settings.ts";
import type { LoginPorts } from "./ports.ts";

/** A setting, where the profile that is about to be made need not exist yet. */
export function known({ settings }: LoginPorts, name: SettingName): Sourced<string> | undefined {
  try {
    return settings.get(name);
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}

/** Whether a value is what the profile says already, and nobody gave it for this call. */
export function isOfProfile({ source }: Sourced<string>): boolean {
  return source.startsWith("profile ");
}
