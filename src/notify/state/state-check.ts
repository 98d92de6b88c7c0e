import type { CommandContext } from "../../context/command-context.ts";
import { tried } from "../../values/basics.ts";
import { joined } from "../../view/view.ts";
import { describedHolder } from "./backend.ts";
import { parseState } from "./format.ts";
import { openBackend } from "./open-backend.ts";
import type { StateServerOptions } from "./remote/server.ts";
import { stateTarget } from "./state.ts";

/** A place that no service has: the target of a state that is not asked for by its target. */
const NOWHERE = "https://service.invalid/v1";

/**
 * Reads the state of the settings, without its lock and without a write.
 * @returns what was found, in words; undefined where none is named and none was saved
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
  const baseUrl = tried(() => target().baseUrl) ?? NOWHERE;
  const at = stateTarget(baseUrl, tried(() => settings.get("project")?.value) ?? "");
  const state = named?.place === "variable" ? undefined : named?.value;
  const options = { signal, network: environment.network, ...limits };
  const backend = await openBackend(state, at, environment, options);
  await backend.assertWritable?.();
  const text = await backend.read();
  if (text !== undefined) parseState(text, backend.location);
  if (named === undefined && text === undefined) return undefined;
  const holder = await backend.holder?.();
  const { detail = "another run" } = holder ? describedHolder(holder) : {};
  const found = text === undefined ? "nothing saved yet" : "readable";
  return joined([backend.location, found, holder && `locked by ${detail}`], ", ");
}
