import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { resolve } from "node:path";
import * as z from "zod";
import { withLock } from "../durable/lock.ts";
import { readOwnFile } from "../durable/read-file.ts";
import { removeLeftovers, writeFileDurably } from "../durable/write-file.ts";
import { UsageError } from "../errors.ts";
import { fsReason } from "../runtime/fs-reason.ts";
import type { LocalServer } from "../runtime/local-server.ts";
import { projectOrMain } from "./control/acts.ts";
import { CONTROL_PATH, type Composed, composeSandbox } from "./control/control.ts";
import { SANDBOX_ACCESS_TOKEN, SANDBOX_API_KEY, SANDBOX_DEFAULTS } from "./defaults.ts";
import { checkDocument, parseDocument, quotingNoLink } from "./document.ts";
import { sandboxErrors } from "./errors.ts";
import type { EventEntry } from "./events/delivery.ts";
import { openEventFiles } from "./events/journal.ts";
import type { EventOptions } from "./events/platform-events.ts";
import type { Exchange } from "./faults/faulty-sandbox.ts";
import type { FaultScript } from "./faults/script.ts";
import { catalogueRemarks } from "./operations/providers.ts";
import type { SandboxOptions } from "./sandbox.ts";
import { largeWorld } from "./seed/large-world.ts";
import { newWorld, readSeed, worldAt } from "./seed/seed-file.ts";
import { type ServeOptions, serveSandbox } from "./serve.ts";
import { type World, worldSchema } from "./world.ts";

/** The options of `amp sandbox start`, with the functions that it calls. */
interface SandboxRun
  extends Pick<SandboxOptions, "specOnly" | "now" | "onRequest">,
    Pick<EventOptions, "timeScale" | "deliverToAnyHost" | "onAttempt">,
    Pick<ServeOptions, "host" | "port"> {
  /** The folder that paths are relative to; default: that of the process. */
  readonly cwd?: string;
  readonly state?: string | undefined;
  /** The number of installations of a new world; default: those of the seeded one. */
  readonly installations?: number | undefined;
  /** A seed file, in place of the sample data. */
  readonly world?: string | undefined;
  readonly providers?: string | undefined;
  readonly faults?: string | undefined;
  /** What its control needs; default: a random one. */
  readonly token?: string | undefined;
  /** The options whose files were reached by a link. */
  readonly links?: ReadonlySet<string>;
  /** Called with each problem that no response reports. */
  readonly onRemark?: (remark: string) => void;
  /** The file that has the token while the sandbox runs; it goes with the sandbox, as does that of the page. */
  readonly tokenFile?: (port: number) => string;
  readonly signal: AbortSignal;
  readonly ready: (facts: SandboxFacts) => Promise<void>;
  /** Called for each request with a fault; `onRequest` shows another response of it. */
  readonly onFault?: (exchange: Exchange) => void;
}

/** The facts of a running sandbox that a client needs. */
export interface SandboxFacts
  extends Pick<LocalServer, "url" | "port">,
    Record<"project" | "org" | "integration", string> {
  readonly apiKey: string;
  readonly accessToken: string;
  /** What acts by HTTP need. */
  readonly token: string;
  /** The URL of its page, with the token after the `#`. */
  readonly page: string;
}

/**
 * Serves a sandbox until the signal aborts.
 * @throws {ConflictError} where the port is in use, or another sandbox uses the state file
 * @throws {UsageError} where the state, the catalogue or the script is not valid
 */
export async function runSandbox(run: SandboxRun): Promise<void> {
  if (run.state === undefined) return serve(run);
  const path = resolve(run.cwd ?? "", run.state);
  // A place that no file can be in is told as what is read there, and not as a lock that fails.
  await stateText(path);
  // Each sandbox has the world in memory: one of two would overwrite what the other has saved.
  await withLock(path, { command: "amp sandbox start" }, async () => {
    // The temporary copy of a killed sandbox holds the secrets of its destinations.
    await removeLeftovers(path);
    await serve(run, path);
  });
}

async function serve(run: SandboxRun, path?: string): Promise<void> {
  const { world: seed, faults, specOnly, now, onRequest, onFault, token } = run;
  const { timeScale, deliverToAnyHost, onAttempt, onRemark = () => {}, links } = run;
  const of = <Result>(file: string, option: string, read: () => Result | Promise<Result>) =>
    quotingNoLink(file, links?.has(option) ?? false, read);
  const providers = await of("The provider catalogue", "providers", () => catalogueOf(run));
  const given = await of("The world", "world", () =>
    seed === undefined ? seed : readSeed(parseDocument("The world", seed)),
  );
  const { world, caused } = await of(run.state ?? "", "state", () => stateOf(run, path, given));
  const files = path === undefined ? {} : await openEventFiles(path, onRemark, caused);
  const composed = await of("The fault script", "faults", () =>
    composeSandbox({
      specOnly,
      now,
      onRequest,
      onFault,
      token,
      providers,
      state: world,
      ...(path !== undefined && {
        onChange: (changed, causing) => writeSandboxState(path, changed, causing),
      }),
      events: { timeScale, deliverToAnyHost, onAttempt, onRemark, ...files },
      ...(faults !== undefined && {
        script: parseDocument("The fault script", faults) as FaultScript,
      }),
    }),
  );
  try {
    await serveUntilAborted(composed, run);
  } finally {
    await composed.sandbox.events.close();
  }
}

async function serveUntilAborted(
  { http, control, sandbox }: Composed,
  run: SandboxRun,
): Promise<void> {
  const written = Promise.withResolvers<void>();
  // Whoever gets an answer finds the token.
  const fetch: Composed["http"]["fetch"] = async (...request) => {
    await written.promise;
    return http.fetch(...request);
  };
  const server = await serveSandbox({ fetch }, run);
  const tokenFile = run.tokenFile?.(server.port);
  try {
    if (tokenFile !== undefined) {
      await writeFileDurably(tokenFile, control.token).catch((error: unknown) => {
        run.onRemark?.(`Commands cannot control this sandbox: ${tokenFile}: ${fsReason(error)}`);
      });
    }
    written.resolve();
    const { url, port } = server;
    const { token } = control;
    const credentials = { apiKey: SANDBOX_API_KEY, accessToken: SANDBOX_ACCESS_TOKEN, token };
    const page = `${new URL(CONTROL_PATH, url)}#${token}`;
    await run.ready({ url, port, ...credentials, ...mainRecords(sandbox), page });
    if (!run.signal.aborted) await once(run.signal, "abort");
  } finally {
    control.close();
    for (const end of tokenFile === undefined ? [] : ["", ".html"]) {
      await rm(`${tokenFile}${end}`, { force: true }).catch(() => {});
    }
    await server.close();
  }
}

/** What examples and clients begin with. */
function mainRecords({ parts }: Composed["sandbox"]) {
  const { name: project, id, orgId: org } = projectOrMain(parts);
  const own = parts.store.world.integrations.filter(({ projectId }) => projectId === id);
  const usual = own.find((one) => one.id === SANDBOX_DEFAULTS.integration) ?? own[0];
  return { project, org, integration: usual?.id ?? "" };
}

/**
 * The world of a file; without one a new world, which clients can tell from every other. Its
 * present is now, so that what happened in it is as long ago as in the sample data.
 * @throws {UsageError} for a number of installations where the file has data already
 */
async function stateOf(
  { installations, now = () => new Date() }: SandboxRun,
  path: string | undefined,
  given: Parameters<typeof newWorld>[0],
): Promise<SandboxState> {
  const saved = path === undefined ? undefined : await readSandboxState(path);
  const asked = given === undefined ? installations && "--installations" : "--world";
  if (saved && asked) throw sandboxErrors.sandbox_data_there(path, asked);
  if (saved?.world.id !== undefined) return saved;
  // Whole minutes, as a schedule has them.
  const present = new Date(Math.floor(now().getTime() / 60_000) * 60_000);
  const made =
    installations === undefined
      ? newWorld(given, present)
      : worldAt(largeWorld(installations), present);
  const world = { ...made, id: randomUUID(), ...saved?.world };
  const { caused = [] } = saved ?? {};
  if (path === undefined) return { world, caused };
  await writeSandboxState(path, world, caused).catch((error: unknown) => {
    throw sandboxErrors.sandbox_file_unusable(path, fsReason(error), error);
  });
  return { world, caused };
}

function catalogueOf({ providers, links, onRemark }: SandboxRun): unknown {
  if (providers === undefined) return undefined;
  const catalogue = parseDocument("The provider catalogue", providers);
  const remarks = catalogueRemarks(catalogue);
  if (!links?.has("providers")) for (const remark of remarks) onRemark?.(remark);
  return catalogue;
}

const FORMAT = "amp-sandbox-state";
const VERSION = 1;
const NOT_A_STATE = "it was not written by amp sandbox";

const eventEntry = z.looseObject({
  kind: z.literal("event"),
  event: z.looseObject({
    id: z.string(),
    projectId: z.string(),
    type: z.string(),
    time: z.string(),
    data: z.record(z.string(), z.unknown()),
  }),
  messages: z.array(z.looseObject({ id: z.string(), destinationId: z.string() })),
});

const stateSchema = z.object(
  {
    format: z.literal(FORMAT, NOT_A_STATE),
    version: z.literal(VERSION, {
      error: ({ input }) =>
        `is ${JSON.stringify(input)}, and this version of amp reads only ${VERSION}`,
    }),
    world: worldSchema,
    /** The events that the last change caused; absent if it caused none. */
    caused: z.array(eventEntry).optional(),
  },
  NOT_A_STATE,
);

const UNCHANGED = {
  done: "The file was not changed.",
  remedy: "Use another file, or move this one aside to start with sample data.",
};

/** A world, and the events of its last change, which the journal has unless a kill came between. */
interface SandboxState {
  readonly world: World;
  readonly caused: readonly EventEntry[];
}

/**
 * Reads a state file; `undefined` where there is no file yet.
 * @throws {UsageError} where it is not a state; the file is left unchanged
 */
export async function readSandboxState(path: string): Promise<SandboxState | undefined> {
  const text = await stateText(path);
  if (text === undefined) return undefined;
  const file = `The sandbox state ${path}`;
  const document = parseDocument(file, text, UNCHANGED);
  checkDocument(file, stateSchema, document, UNCHANGED);
  // The parsed input is returned: the schema's output has the fields in another order.
  const { world, caused = [] } = document as z.output<typeof stateSchema>;
  return { world, caused: caused as readonly EventEntry[] };
}

function stateText(path: string): Promise<string | undefined> {
  return readOwnFile(path).catch((error: unknown) => {
    if (error instanceof UsageError) throw error;
    throw sandboxErrors.sandbox_file_unreadable(path, fsReason(error), error);
  });
}

/** Saves a world with the events that its last change caused, completely or not at all. */
export function writeSandboxState(
  path: string,
  world: World,
  events: readonly EventEntry[] = [],
): Promise<void> {
  const caused = events.length === 0 ? undefined : events;
  // The mode of the file is 0600, since it has the secrets of destinations.
  const text = JSON.stringify({ format: FORMAT, version: VERSION, world, caused }, null, 1);
  return writeFileDurably(path, `${text}\n`);
}
