import { UsageError } from "../errors.ts";
import { SETTINGS, type Setting, type SettingName } from "../settings.ts";

/** A value, and where it came from in words: `--project`, `AMP_PROJECT`, `profile production`, … */
export interface Sourced<Value> {
  readonly value: Value;
  readonly source: string;
}

/** The variables of the environment. */
export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

/**
 * A value that may have been given.
 * @throws {UsageError} for an empty one: an empty variable in a script is an error, not a value
 */
export function sourcedValue(
  value: string | undefined,
  source: string,
): Sourced<string> | undefined {
  if (value === undefined) return undefined;
  if (value.trim() === "")
    throw new UsageError(`${source} is empty: leave it out, or give a value`);
  return { value, source };
}

/** A setting's variable. The variables of others (NO_COLOR, CI) count as unset when empty. */
export function fromVariable(
  env: EnvironmentVariables,
  name: SettingName,
): Sourced<string> | undefined {
  const { env: variable = "" } = settingOf(name);
  const value = env[variable];
  return value === "" && !variable.startsWith("AMP_") ? undefined : sourcedValue(value, variable);
}

/** A setting's option as it was typed. */
export function fromOption(
  options: Readonly<Partial<Record<SettingName, string>>>,
  name: SettingName,
): Sourced<string> | undefined {
  return sourcedValue(options[name], settingOf(name).flags?.match(/--[a-z-]+/u)?.[0] ?? name);
}

/** The record of a setting, whatever it has. */
export function settingOf(name: SettingName): Setting {
  return SETTINGS[name];
}

/** A setting's name as it is written in options and in the project file: `base-url`. */
export function kebabCase(name: string): string {
  return name.replaceAll(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`);
}
