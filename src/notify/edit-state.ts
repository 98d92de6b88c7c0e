import { randomUUID } from "node:crypto";
import type { CommandContext } from "../context/command-context.ts";
import { NotFoundError } from "../errors.ts";
import { safeJson } from "../values/safe-data.ts";
import { suggest } from "../values/suggested-command.ts";
import { parseState, stateText } from "./state/format.ts";
import {
  openState,
  readState,
  type StateContext,
  type StateOptions,
} from "./state/open-backend.ts";
import { newState, type RoutingState, type StateTarget } from "./state/state.ts";

/**
 * Changes the saved state under its lock, as `forget`, `import`, `resolve` and `state push` do.
 * @param change gets the saved state, or a new one if nothing was saved yet, and the current target
 * @param use `online` for a command that uses the service; otherwise only a sandbox is asked which
 *   world it is
 */
export async function editState(
  context: StateContext & Pick<CommandContext, "now">,
  options: StateOptions,
  change: (state: RoutingState, now: Date, here: StateTarget) => RoutingState,
  use: "online" | "offline" = "offline",
): Promise<RoutingState> {
  const { backend, target, newTarget, assertOwn } = await openState(context, options, use);
  const { signal, environment } = context;
  const request = { command: environment.commandLine, wait: options.lockWait ?? 0, signal };
  return backend.withLock(request, async (held) => {
    const text = await held.read();
    const saved =
      text === undefined
        ? newState(await newTarget(), randomUUID(), randomUUID())
        : parseState(text, backend.location);
    if (text !== undefined) await assertOwn(saved);
    // A file of earlier data of a sandbox was set aside.
    const here = text === undefined || backend.local ? saved.target : target;
    const changed = change(saved, context.now(), here);
    const next = { ...changed, serial: Math.max(changed.serial, saved.serial + 1) };
    await held.check();
    await held.write(stateText(next), "result");
    return next;
  });
}

/**
 * The text of the saved state, as `state pull` prints it. Its names come from outside, so
 * characters that a CI log would interpret are escaped.
 * @throws {NotFoundError} if nothing was saved yet
 */
export async function savedStateText(
  context: StateContext,
  options: StateOptions,
): Promise<string> {
  const opened = await openState(context, options, "offline");
  const saved = await readState(opened);
  if (saved) return safeJson(saved.text);
  throw new NotFoundError(`No state found at ${opened.backend.location}`, {
    suggestion: suggest("notify apply", [], { f: "routing.yaml" }),
  });
}
