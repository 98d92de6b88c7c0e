import { EVENT_TYPES } from "../../api/catalogue/events.ts";
import { UsageError } from "../../errors.ts";
import { expandEvents } from "../../notify/model/names.ts";
import { isLoopback } from "../../runtime/loopback.ts";
import { isDataMessage } from "../message/payloads.ts";
import { readHttpUrl } from "../secrets.ts";

/** The options that decide whether a temporary routing is made. */
export interface RoutingChoice {
  /** The URL of a tunnel. */
  readonly publicUrl?: string | undefined;
  readonly local: boolean;
  /** True to only remove the routing that killed listeners left. */
  readonly clean: boolean;
}

/** @throws {UsageError} where two options ask for different things */
export function assertOneTask({ publicUrl, local }: RoutingChoice): void {
  if (publicUrl === undefined || !local) return;
  throw new UsageError("--public-url and --local conflict", {
    remedy: "Use one of them, not both.",
    done: "Nothing was sent.",
  });
}

/**
 * @throws {UsageError} where a secret is given although the messages are signed with that of the
 * temporary routing: a check of it would have no meaning
 */
export function assertNoOwnSecret(
  secrets: readonly unknown[],
  routed: ReturnType<typeof routedTo>,
): void {
  if (secrets.length === 0 || routed === undefined) return;
  throw new UsageError("The temporary routing has its own signing secret, not that of --secret", {
    remedy:
      "Omit --secret (--print-secret shows the secret of the routing), or add --local to listen without routing.",
    done: "Nothing was sent.",
  });
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

/** Reads the URL of a tunnel. */
export function readPublicUrl(typed: string): string {
  const { protocol, hostname, href } = readHttpUrl(typed);
  if (protocol === "https:" || isLoopback(hostname)) return href;
  throw new UsageError("the URL must begin with https://: the platform delivers only to https");
}

/** The event types that a topic can have; all, if none are requested. */
export function routedEvents(events: readonly string[]): readonly string[] {
  if (events.length === 0) return EVENT_TYPES;
  return expandEvents(events.filter((event) => !isDataMessage(event)));
}

/** The notice on data messages, which no topic routes. */
export function dataNotice(data: readonly string[], destination: string): string {
  return `${data.join(" and ")}: arrives only if the reads of an installation use ${destination} as their destination. To receive what they send now, set the URL of their current destination to this listener, and run amp listen --local with its secret.`;
}
