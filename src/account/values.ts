import { UsageError } from "../errors.ts";
import { kebabCase, SETTINGS, type SettingName, settingOf } from "../settings.ts";
import { readParallel, readSize } from "../values/counted.ts";
import { readDuration } from "../values/time.ts";
import { accountErrors } from "./errors.ts";

/** The places that a value of a setting may come from; the first that has one counts. */
export const PLACES = ["option", "variable", "project file", "profile"] as const;
/** One of {@link PLACES}. */
export type SettingPlace = (typeof PLACES)[number];

/** A value with its origin in words: `--project`, `AMP_PROJECT`, `profile production`. */
export interface Sourced<Value> {
  readonly value: Value;
  readonly source: string;
  readonly place: SettingPlace;
}

/**
 * Adds to a value where it was set; returns undefined without a value.
 * @throws {UsageError} for an empty value: an empty variable in a script is an error
 */
export function sourced(
  value: string | undefined,
  source: string,
  place: SettingPlace,
): Sourced<string> | undefined {
  if (value === undefined) return undefined;
  if (value.trim() === "") throw accountErrors.setting_empty(source);
  return { value, source, place };
}

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

function readRetries(text: string): number {
  if (/^(?:\d|10)$/u.test(text.trim())) return Number(text);
  throw accountErrors.retries_invalid(text);
}

function readerOf(name: SettingName): (text: string) => unknown {
  return Object.hasOwn(SETTING_READERS, name)
    ? SETTING_READERS[name as keyof typeof SETTING_READERS]
    : String;
}

/**
 * Checks the value of a setting.
 * @throws {UsageError} without the place of the value
 */
export function checkValue(name: SettingName, value: string): void {
  const { choices = [value] } = settingOf(name);
  if (!choices.includes(value)) {
    const what = name === "output" ? "format" : kebabCase(name);
    throw accountErrors.setting_invalid(value, what, choices);
  }
  readerOf(name)(value);
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
    throw error instanceof UsageError ? error.at(given.source) : error;
  }
}

/**
 * Checks the typed options, even if the command does not use them: otherwise a typing error would
 * stay unnoticed until the first command of a script that sends a request.
 * @throws {UsageError} for an empty or invalid value
 */
export function checkTypedOptions(settings: GivenSettings, typed: object): void {
  for (const name of Object.keys(typed)) {
    if (!Object.hasOwn(SETTINGS, name)) continue;
    readTypedSetting(settings, name as SettingName, readerOf(name as SettingName));
  }
}
