import { randomUUID } from "node:crypto";
import { NotFoundError } from "../errors.ts";
import { openSession, type SessionContext, type SessionOptions } from "./session.ts";
import { parseState, stateText } from "./state/format.ts";
import { assertSameTarget, newState, type RoutingState } from "./state/state.ts";

/**
 * Changes what the state says, by hand and under its lock; nothing is sent to the service.
 * @param change from what is saved; a state that is new where nothing is
 */
export async function editState(
  ports: SessionContext,
  options: SessionOptions,
  change: (state: RoutingState, now: Date) => RoutingState,
): Promise<RoutingState> {
  const { backend, target } = openSession(ports, options);
  const { signal, environment } = ports;
  const request = { command: environment.commandLine, wait: options.lockWait ?? 0, signal };
  return backend.withLock(request, async (held) => {
    const text = await held.read();
    const saved =
      text === undefined
        ? newState(target, randomUUID(), randomUUID())
        : parseState(text, backend.place);
    assertSameTarget(saved, target);
    const changed = change(saved, ports.now());
    const next = { ...changed, serial: Math.max(changed.serial, saved.serial + 1) };
    await held.check();
    await held.write(stateText(next), "result");
    return next;
  });
}

/** What is saved, read without the lock; undefined where nothing is. */
export async function readState(
  ports: SessionContext,
  options: SessionOptions,
): Promise<{ state: RoutingState; text: string } | undefined> {
  const { backend, target } = openSession(ports, options);
  const text = await backend.read();
  if (text === undefined) return undefined;
  const state = parseState(text, backend.place);
  assertSameTarget(state, target);
  return { state, text };
}

/**
 * The same where there must be one.
 * @throws {NotFoundError} where nothing is saved
 */
export async function requireState(ports: SessionContext, options: SessionOptions) {
  const saved = await readState(ports, options);
  if (saved) return saved;
  throw new NotFoundError(`There is no state yet at ${openSession(ports, options).backend.place}`, {
    suggestion: "amp notify apply -f routing.yaml",
  });
}
