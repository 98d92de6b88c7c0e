import { UsageError } from "../../errors.ts";
import { isLoopback } from "../../runtime/loopback.ts";

/** The options that decide whether a temporary routing is made. */
export interface RoutingChoice {
  /** The URL of a tunnel. */
  readonly publicUrl?: string | undefined;
  readonly local: boolean;
  /** True to only remove the routing that killed listeners left. */
  readonly clean: boolean;
}

/**
 * Where a temporary routing leads: to a tunnel, or to this machine's own URL where the service runs
 * on it too; undefined where no routing is made.
 */
export function routedTo(
  { publicUrl, local }: RoutingChoice,
  target: () => { readonly baseUrl: string },
): "own" | URL | undefined {
  if (publicUrl !== undefined) return new URL(publicUrl);
  const service = local ? undefined : serviceOf(target);
  return service && isLoopback(new URL(service.baseUrl).hostname) ? "own" : undefined;
}

/** The service that the settings name; undefined where they name none: amp listens all the same. */
export function serviceOf<Service>(target: () => Service): Service | undefined {
  try {
    return target();
  } catch (error) {
    if (error instanceof UsageError) return undefined;
    throw error;
  }
}
