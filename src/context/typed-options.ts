import type { ResolvedSettings } from "../config/resolve.ts";
import { readDuration } from "../duration.ts";
import { UsageError } from "../errors.ts";
import { SETTINGS, type SettingName } from "../settings.ts";
import { readSize } from "../size.ts";

/** How the settings that are more than a text are read. */
export const READERS = {
  timeout: readDuration,
  maxWait: readDuration,
  maxBody: readSize,
  retries: readRetries,
} as const satisfies Partial<Record<SettingName, (text: string) => unknown>>;

/**
 * The value of a setting, read.
 * @throws {UsageError} that names where the value comes from
 */
export function readSetting<Value>(
  settings: Pick<ResolvedSettings, "get">,
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
 * Checks what was typed whether this command comes to use it or not: a typing error is told when it
 * is made, and not by the one command of a script that is the first to ask the service.
 * @param names of the options that were typed with a value
 * @throws {UsageError} for an empty value, and for one that cannot be read
 */
export function checkTyped(settings: Pick<ResolvedSettings, "get">, names: readonly string[]) {
  const readers: Readonly<Partial<Record<SettingName, (text: string) => unknown>>> = READERS;
  for (const name of names.filter(isSetting)) {
    readSetting(settings, name, readers[name] ?? String);
  }
}

function readRetries(text: string): number {
  if (/^(?:\d|10)$/u.test(text.trim())) return Number(text);
  throw new UsageError(`${JSON.stringify(text)} is no number from 0 to 10`);
}

function isSetting(name: string): name is SettingName {
  return Object.hasOwn(SETTINGS, name);
}
