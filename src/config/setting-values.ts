import { UsageError } from "../errors.ts";
import { kebabCase, SETTINGS, type Setting, type SettingName } from "../settings.ts";
import { readDuration } from "../values/duration.ts";
import { readSize } from "../values/size.ts";

/** The readers of settings that are not plain text. */
export const SETTING_READERS = {
  timeout: readDuration,
  deadline: readDuration,
  maxWait: readDuration,
  maxBody: readSize,
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
  const readers: Readonly<Partial<Record<SettingName, (text: string) => unknown>>> =
    SETTING_READERS;
  readers[name]?.(value);
}

function readRetries(text: string): number {
  if (/^(?:\d|10)$/u.test(text.trim())) return Number(text);
  throw new UsageError(`${JSON.stringify(text)} is not a number from 0 to 10`);
}
