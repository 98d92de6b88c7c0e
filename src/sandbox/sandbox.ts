import { type AppParts, buildApp, type RequestLine } from "./app.ts";
import { SandboxClock } from "./clock.ts";
import type { EventEntry } from "./events/delivery.ts";
import { type EventOptions, PlatformEvents } from "./events/platform-events.ts";
import type { Operation } from "./operation.ts";
import { eventOperations } from "./operations/events.ts";
import { inspectingOperations } from "./operations/inspecting.ts";
import { projectOperations } from "./operations/projects.ts";
import { providerOperations, readCatalogue } from "./operations/providers.ts";
import { routingOperations } from "./operations/routing.ts";
import seedProviders from "./seed/providers.json" with { type: "json" };
import { SEED_WORLD } from "./seed/world.ts";
import { shortId } from "./short-id.ts";
import { Store } from "./store.ts";
import type { World } from "./world.ts";

const OPERATIONS: readonly Operation[] = [
  ...projectOperations,
  ...inspectingOperations,
  ...providerOperations,
  ...routingOperations,
  ...eventOperations,
];

/** The options of a sandbox. */
export interface SandboxOptions {
  /** Whether every operation that spec.md does not list returns 404, and only its rules apply. */
  readonly specOnly?: boolean | undefined;
  /**
   * Whether names are unique; false, as with `specOnly`: two resources may have one name, as at a
   * service that declares no conflict.
   */
  readonly uniqueNames?: boolean | undefined;
  /**
   * Names and event types that no rule applies to, since another service has them; default: none.
   */
  readonly foreignNames?: ReadonlySet<string> | undefined;
  /** A parsed provider catalogue in place of the seeded one. */
  readonly providers?: unknown;
  /** The clock for new records and problems; default: the real one. */
  readonly now?: (() => Date) | undefined;
  /** The time at which its clock begins; default: that of `now`. */
  readonly startsAt?: Date | undefined;
  /** The world to begin with, from `readSandboxState`; default: the seeded one. */
  readonly state?: World | undefined;
  readonly onRequest?: ((line: RequestLine) => void) | undefined;
  /**
   * Called with each new world before the response is sent, and with the events that the change
   * causes. If it fails, the change is not made, and the response is 503. The next call waits until
   * it has finished.
   */
  readonly onChange?:
    | ((world: World, caused: readonly EventEntry[]) => void | Promise<void>)
    | undefined;
  readonly events?: EventOptions | undefined;
}

/** The embedded platform. */
export interface Sandbox {
  /** Answers a request whose path begins with `/v1`; the origin does not matter. Never rejects. */
  fetch(request: Request): Promise<Response>;
  readonly world: World;
  readonly events: PlatformEvents;
  /** What the operations are made of, for those that are not part of the platform. */
  readonly parts: AppParts & { readonly clock: SandboxClock };
}

/**
 * Creates the platform of spec.md in this process. Equal requests, options and clocks give equal
 * responses, byte for byte.
 * @throws {UsageError} where the catalogue is not valid
 */
export function createSandbox(options: SandboxOptions = {}): Sandbox {
  const { specOnly = false, foreignNames = new Set(), providers = seedProviders } = options;
  const { uniqueNames = !specOnly } = options;
  const { onChange = () => {} } = options;
  const clock = new SandboxClock(options.now ?? (() => new Date()), options.startsAt);
  const store: Store = new Store(options.state ?? SEED_WORLD, {
    causedBy: (before, after) => events.causedBy(before, after),
    save: onChange,
    changed: (before, after, caused) => events.changed(before, after, caused),
  });
  const events = new PlatformEvents(() => store.world, clock, options.events);
  const began = store.world.sequence;
  let requests = 0;
  const parts = {
    store,
    events,
    clock,
    catalogue: readCatalogue(providers),
    now: clock.now,
    specOnly,
    uniqueNames,
    foreignNames,
    operations: OPERATIONS.filter(({ source }) => source === "spec" || !specOnly),
    // The ID contains a character that a shell must quote, as the live platform's does.
    nextRequestId: () => `${shortId("requests", began, ++requests)}#${requests}`,
    onRequest: options.onRequest,
  };
  const app = buildApp(parts);
  return {
    fetch: async (request) => app.fetch(request),
    events,
    parts,
    get world() {
      return store.world;
    },
  };
}
