import { UsageError } from "../errors.ts";
import { kebabCase, SETTINGS, type Setting, type SettingName } from "../settings.ts";
import { readParallel, readSize } from "../values/counted.ts";
import { readDuration } from "../values/time.ts";

/** The readers of settings that are not plain text. */
export const SETTING_READERS = {
  timeout: readDuration,
  deadline: readDuration,
  maxWait: readDuration,
  maxBody: readSize,
  commitHorizon: readDuration,
  lockWait: readDuration,
  parallel: readParallel,
  retries: readRetries,
} as const satisfies Partial<Record<SettingName, (text: string) => unknown>>;

/**
 * Checks the value of a setting.
 * @throws {UsageError} without the place of the value
 */
export function checkValue(name: SettingName, value: string): void {
  const { choices = [value] }: Setting = SETTINGS[name];
  if (!choices.includes(value)) {
    const message = `${JSON.stringify(value)} is not a valid ${name === "output" ? "format" : kebabCase(name)}`;
    throw new UsageError(message, { detail: `Choose one of: ${choices.join(", ")}.` });
  }
  readerOf(name)(value);
}

function readerOf(name: SettingName): (text: string) => unknown {
  return Object.hasOwn(SETTING_READERS, name)
    ? SETTING_READERS[name as keyof typeof SETTING_READERS]
    : String;
}

/** The settings of a call, with the source of each value. */
interface GivenSettings {
  get(name: SettingName): { readonly value: string; readonly source: string } | undefined;
}

/**
 * Reads the value of a setting.
 * @throws {UsageError} that names the source of the value
 */
export function readTypedSetting<Value>(
  settings: GivenSettings,
  name: SettingName,
  read: (text: string) => Value,
): Value | undefined {
  const given = settings.get(name);
  if (given === undefined) return undefined;
  try {
    return read(given.value);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new UsageError(`${given.source}: ${error.message}`, error.facts);
  }
}

/**
 * Checks the typed options, even if the command does not use them: otherwise a typing error would
 * stay unnoticed until the first command of a script that sends a request.
 * @param names the options that were typed with a value
 * @throws {UsageError} for an empty or invalid value
 */
export function checkTypedOptions(settings: GivenSettings, names: readonly string[]): void {
  for (const name of names.filter(isSetting)) readTypedSetting(settings, name, readerOf(name));
}

function isSetting(name: string): name is SettingName {
  return Object.hasOwn(SETTINGS, name);
}

function readRetries(text: string): number {
  if (/^(?:\d|10)$/u.test(text.trim())) return Number(text);
  throw new UsageError(`${JSON.stringify(text)} is not a number from 0 to 10`);
}
