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

/** The service that the settings name; throws where they name none. */
type Target = () => { readonly baseUrl: string };

/**
 * Where a temporary routing leads: to a tunnel, or to this machine's own URL where the service runs
 * on it too; undefined where no routing is made.
 */
export function routedTo(
  { publicUrl, local }: RoutingChoice,
  target: Target,
): "own" | URL | undefined {
  if (publicUrl !== undefined) return new URL(publicUrl);
  return !local && isOnThisMachine(target) ? "own" : undefined;
}

function isOnThisMachine(target: Target): boolean {
  let baseUrl: string;
  try {
    ({ baseUrl } = target());
  } catch (error) {
    // Without a service amp listens all the same.
    if (error instanceof UsageError) return false;
    throw error;
  }
  return isLoopback(new URL(baseUrl).hostname);
}
