import { type Control, createControl } from "./control/control.ts";
import { createFaultySandbox, type Exchange, overHttp } from "./faults/faulty-sandbox.ts";
import type { FaultScript } from "./faults/script.ts";
import type { Sandbox, SandboxOptions } from "./sandbox.ts";
import type { Served } from "./serve.ts";

/** A sandbox with its faults and its control. */
export interface Composed {
  readonly sandbox: Sandbox;
  readonly control: Control;
  readonly http: Served;
}

/** The options of a sandbox that is served. */
export interface ComposedOptions extends SandboxOptions {
  readonly script?: FaultScript | undefined;
  /** Called for each request with a fault. */
  readonly onFault?: ((exchange: Exchange) => void) | undefined;
}

/**
 * Puts a sandbox together as it is served.
 * @throws {UsageError} where the script or the catalogue is not valid
 */
export function composeSandbox({ script, onFault, ...options }: ComposedOptions): Composed {
  const sandbox = createFaultySandbox({
    ...options,
    ...(script && { script }),
    observe: (moment, exchange) => {
      if (moment === "answered" && exchange.fault) onFault?.(exchange);
    },
  });
  const control = createControl(sandbox.parts, { follow: (rules) => sandbox.follow(rules) });
  const faulty = overHttp(sandbox);
  const http: Served = {
    fetch: (request, outgoing) =>
      control.fetch(request) ?? (sandbox.plain ?? faulty).fetch(request, outgoing),
  };
  return { sandbox, control, http };
}
