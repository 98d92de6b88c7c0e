import type { CommandContext } from "../../context/command-context.ts";
import { tried } from "../../values/basics.ts";
import { parseState } from "./format.ts";
import { openBackend } from "./open-backend.ts";
import type { StateServerOptions } from "./remote/server.ts";
import { stateTarget } from "./state.ts";

/**
 * Reads the state of the settings, without its lock and without a write.
 * @returns what was found, in words; undefined where none is named, and none was saved
 * @throws the errors of a command that reads it
 */
export async function describeState(
  {
    environment,
    settings,
    signal,
    target,
  }: Pick<CommandContext, "environment" | "settings" | "signal" | "target">,
  limits: StateServerOptions,
): Promise<string | undefined> {
  const named = settings.get("state");
  const baseUrl = tried(() => target().baseUrl);
  // Which one is meant is not known; what keeps that from being known is a problem of its own.
  if (baseUrl === undefined) return undefined;
  const at = stateTarget(baseUrl, tried(() => settings.get("project")?.value) ?? "");
  const state = named?.place === "variable" ? undefined : named?.value;
  const options = { signal, network: environment.network, ...limits };
  const backend = await openBackend(state, at, environment, options);
  await backend.assertWritable?.();
  const text = await backend.read();
  if (text !== undefined) parseState(text, backend.location);
  if (named === undefined && text === undefined) return undefined;
  return `${backend.location}, ${text === undefined ? "nothing saved yet" : "readable"}`;
}
