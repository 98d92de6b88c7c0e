import { buildApp, type RequestLine } from "./app.ts";
import type { Operation } from "./operation.ts";
import { inviteOperations } from "./operations/invites.ts";
import { projectOperations } from "./operations/projects.ts";
import { providerOperations, readCatalogue } from "./operations/providers.ts";
import { routingOperations } from "./operations/routing.ts";
import { SEED_PROVIDERS } from "./seed/providers.ts";
import { SEED_WORLD } from "./seed/world.ts";
import { shortId } from "./short-id.ts";
import { Store } from "./store.ts";
import type { World } from "./world.ts";

/** All operations of the platform. */
const OPERATIONS: readonly Operation[] = [
  ...projectOperations,
  ...providerOperations,
  ...inviteOperations,
  ...routingOperations,
];

/** What a sandbox may be told. */
export interface SandboxOptions {
  /** True: 404 to whatever spec.md does not list. */
  readonly specOnly?: boolean | undefined;
  /** False: a name may be given twice, as by a service that declares no conflict. */
  readonly uniqueNames?: boolean | undefined;
  /** A parsed provider catalogue in place of the seeded one. */
  readonly providers?: unknown;
  /** Tells the times of new records and problems; the real clock where absent. */
  readonly now?: (() => Date) | undefined;
  /** A world to go on with, as `readState` gives it; the seeded one where absent. */
  readonly state?: World | undefined;
  /** Told about each request when its answer is ready. */
  readonly onRequest?: ((line: RequestLine) => void) | undefined;
  /**
   * Told about each world before its change is answered. Where it fails, the change is not made and
   * the request is answered 503. Never called again before it is done.
   */
  readonly onChange?: ((world: World) => void | Promise<void>) | undefined;
}

/** The embedded platform. */
export interface Sandbox {
  /** Answers a request whose path begins with `/v1`; the origin does not matter. Never rejects. */
  fetch(request: Request): Promise<Response>;
  /** The world as it is now. */
  readonly world: World;
}

/**
 * The platform of spec.md in this process. The same requests, options and clock give the same
 * answers, byte for byte.
 * @throws {UsageError} where the catalogue is none
 */
export function createSandbox(options: SandboxOptions = {}): Sandbox {
  const { specOnly = false, uniqueNames = true } = options;
  const { now = () => new Date(), onChange = () => {} } = options;
  const store = new Store(options.state ?? SEED_WORLD, onChange);
  const began = store.world.sequence;
  let requests = 0;
  const app = buildApp({
    store,
    catalogue: readCatalogue(options.providers ?? SEED_PROVIDERS),
    now,
    specOnly,
    uniqueNames,
    operations: OPERATIONS.filter(({ source }) => source === "spec" || !specOnly),
    // As the live platform's, it holds a character that a shell would trip over.
    nextRequestId: () => `${shortId("requests", began, ++requests)}#${requests}`,
    onRequest: options.onRequest,
  });
  return {
    fetch: async (request) => app.fetch(request),
    get world() {
      return store.world;
    },
  };
}
