import type { SettingsReader } from "../context.ts";
import { UsageError } from "../errors.ts";
import { SETTINGS, type SettingName } from "../settings.ts";
import type { Invocation } from "./execute.ts";
import type { Param, Params } from "./param.ts";
import { kebab } from "./tree.ts";

/** The values of one invocation, by key. */
export interface ReadParams {
  readonly args: Record<string, unknown>;
  readonly options: Record<string, unknown>;
}

/**
 * What was typed, understood; settings stand in for what was not.
 * @throws {UsageError} that names the argument or option
 */
export function readParams(invocation: Invocation, settings: SettingsReader): ReadParams {
  const { command, typedArguments, typedOptions } = invocation;
  const args: Params = command.args ?? {};
  const options: Params = command.options ?? {};
  const read: ReadParams = { args: {}, options: {} };
  for (const [index, [key, param]] of Object.entries(args).entries()) {
    read.args[key] = readParam(`<${kebab(key)}>`, param, typedArguments[index] ?? [], settings);
  }
  for (const [key, param] of Object.entries(options)) {
    const typed = typedOptions[key];
    const words = typed === true ? [""] : Array.isArray(typed) ? typed : [];
    read.options[key] = readParam(`--${kebab(key)}`, param, words, settings);
  }
  return read;
}

function readParam(
  name: string,
  param: Param<unknown>,
  typed: readonly string[],
  settings: SettingsReader,
): unknown {
  if (typed.length > 0) return parsed(name, param, typed);
  const setting = param.setting === undefined ? undefined : settings.get(param.setting);
  if (setting !== undefined) return parsed(setting.source, param, [setting.value]);
  if (param.mandatory) throw missing(name, param.setting);
  // A flag is false and a list empty; anything else is absent.
  return param.repeats || !param.takesValue ? param.parse([]) : undefined;
}

function parsed(name: string, param: Param<unknown>, typed: readonly string[]): unknown {
  try {
    return param.parse(typed);
  } catch (error) {
    if (error instanceof UsageError) throw new UsageError(`${name}: ${error.message}`, error.facts);
    throw error;
  }
}

function missing(name: string, setting: SettingName | undefined): UsageError {
  const kind = name.startsWith("-") ? "option" : "argument";
  const facts = setting === undefined ? undefined : SETTINGS[setting];
  const elsewhere =
    facts && "env" in facts ? `Or set ${facts.env}, or save it in the profile.` : "";
  return new UsageError(`missing ${kind} ${name}`, elsewhere === "" ? {} : { remedy: elsewhere });
}
