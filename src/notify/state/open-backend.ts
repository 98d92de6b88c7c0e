import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, rename, unlink } from "node:fs/promises";
import { join, relative, resolve, sep } from "node:path";
import type { CommandContext, RunEnvironment } from "../../context/command-context.ts";
import { readHead } from "../../durable/read-file.ts";
import { writeFileDurably } from "../../durable/write-file.ts";
import { assertFailure, isInterrupt, NotFoundError } from "../../errors.ts";
import { DEADLINE } from "../../runtime/end-process.ts";
import { isLoopback } from "../../runtime/loopback.ts";
import { isWithin, once } from "../../values/basics.ts";
import { inputErrors } from "../../values/errors.ts";
import { defined } from "../../values/json.ts";
import { nearest } from "../../values/nearest.ts";
import { suggest } from "../../values/suggested-command.ts";
import { durationText, readDuration } from "../../values/time.ts";
import { routingErrors } from "../errors.ts";
import {
  describedHolder,
  type LockHolder,
  type LockRequest,
  lockedError,
  type StateBackend,
} from "./backend.ts";
import { parseState, splitJournal, stateText } from "./format.ts";
import { localBackend } from "./local/local-backend.ts";
import type { StateManagerOptions } from "./manager.ts";
import type { StateServerOptions } from "./remote/server.ts";
import {
  assertSameTarget,
  describeTarget,
  isSameTarget,
  type RoutingState,
  type StateTarget,
  stateTarget,
} from "./state.ts";

/**
 * Opens the location of a target's state. Nothing is read, made or sent yet. What only a server
 * needs is loaded for one.
 * @throws {UsageError} if the location is not valid, or a variable that it needs is not set
 */
export async function openBackend(
  state: StateOptions["state"],
  target: StateTarget,
  { env, cwd, stateFolder }: Pick<RunEnvironment, "env" | "cwd" | "stateFolder">,
  options: StateServerOptions = {},
): Promise<StateBackend> {
  const named = state ?? env.AMP_STATE;
  if (named === undefined) return localBackend(defaultStateFile(stateFolder, target));
  const source = state === undefined ? "AMP_STATE" : "--state";
  if (named.trim() === "") throw inputErrors.value_empty(source);
  const gitlab = /^gitlab(?::(.*))?$/su.exec(named);
  if (gitlab) {
    const { gitlabLocation, httpBackend } = await import("./remote/http.ts");
    return httpBackend(gitlabLocation(gitlab[1] || undefined, env, target), options);
  }
  const [scheme] = /^[a-z][a-z\d+.-]*(?=:\/\/)/iu.exec(named) ?? [];
  if (scheme === "s3") {
    const { s3Backend, s3Location } = await import("./remote/s3.ts");
    return s3Backend(s3Location(named, env), options);
  }
  if (scheme !== undefined && /^https?$/iu.test(scheme)) {
    const { httpBackend, httpLocation } = await import("./remote/http.ts");
    return httpBackend(httpLocation(named, source, env), options);
  }
  if (scheme !== undefined) throw routingErrors.state_location_unknown(source, scheme);
  const path = resolve(cwd, named);
  assertNotInCache(path, env);
  assertNotMistyped(named, path, source);
  return localBackend(path, undefined, isWithin(cwd, path) ? cwd : undefined);
}

/** The part of a command's context that opening its saved state takes. */
export interface StateContext
  extends Pick<
    CommandContext,
    | "api"
    | "environment"
    | "protect"
    | "report"
    | "settings"
    | "signal"
    | "target"
    | "urgentSignal"
    | "world"
  > {
  readonly project: string;
}

/** The options of every command that reads or changes a saved state. */
export interface StateOptions {
  /**
   * A file, a URL, `gitlab`, `gitlab:NAME` or `s3://…`; absent: AMP_STATE, then the default file.
   */
  readonly state?: string | undefined;
  /** The longest wait for the lock where none is set, in milliseconds; absent: do not wait. */
  readonly lockWait?: number | undefined;
}

/** The saved state of one project of one service. */
export interface OpenedState extends Pick<StateManagerOptions, "newTarget" | "assertOwn"> {
  /** The project as it was given; of a GitLab state with its ID and name. */
  readonly target: StateTarget;
  readonly backend: StateBackend;
}

/** The milliseconds of a setting; undefined where it is not set. */
export function durationOf(
  { settings }: Pick<StateContext, "settings">,
  name: Parameters<StateContext["settings"]["get"]>[0],
): number | undefined {
  const set = settings.get(name);
  return set && readDuration(set.value, set.source);
}

/** How long to wait for the lock, in milliseconds. */
export function lockWaitOf(
  context: Pick<StateContext, "settings">,
  { lockWait = 0 }: StateOptions,
): number {
  return durationOf(context, "lockWait") ?? lockWait;
}

/**
 * Opens the state that the options name; it is not read or locked yet. Where its place depends on
 * the project and there is none yet, looks up the project's ID and name at the service.
 * @param use `offline` for a command that does not need the service, and queries only a sandbox,
 * for its world; `unlock` for one that asks nothing and takes no lock
 */
export async function openState(
  context: StateContext,
  options: StateOptions,
  use: "online" | "offline" | "unlock" = "online",
): Promise<OpenedState> {
  const { environment, settings, signal, urgentSignal, report, project } = context;
  const { state } = options;
  const retries = settings.get("retries");
  const given = stateTarget(context.target().baseUrl, project);
  const ask = once(() => identifyTarget(context, given));
  const isSandbox = isLoopback(new URL(given.origin).hostname);
  const asGiven = async () => given;
  const identify = use === "online" ? ask : asGiven;
  const newTarget =
    use === "offline" && isSandbox ? () => identifyIfAnswered(ask, given) : identify;
  const named = state ?? environment.env.AMP_STATE;
  // A GitLab state without a name is named after the project.
  const target = named === "gitlab" ? await ask() : given;
  const backend =
    named === undefined
      ? localBackend(await findStateFile(environment.stateFolder, given, identify))
      : await openBackend(state, target, environment, {
          signal,
          urgentSignal,
          network: environment.network,
          warn: (text, ...commands) => report.warn(text, ...commands),
          onWait: (wait) => report.waiting(wait),
          ...defined({ timeoutMs: durationOf(context, "timeout") }),
          ...(retries ? { retries: Number(retries.value) } : {}),
        });
  if (use !== "unlock" && isSandbox && backend.local) {
    const wait = lockWaitOf(context, options);
    const request = { command: environment.commandLine, wait, signal };
    const aside = await setAsideEarlierSandbox(backend, request, newTarget);
    if (aside !== undefined) {
      report.notice(
        `The sandbox was reset or restarted: the state of its earlier data is now ${aside}`,
      );
    }
  }
  const isChosen = named !== undefined;
  if (backend.local) report.debug(`state ${backend.location}`);
  return {
    backend: { ...backend, withLock: reportingLock(backend, context) },
    target,
    newTarget,
    assertOwn: (saved) =>
      assertSameProject(saved, {
        given,
        location: backend.location,
        isChosen,
        identify,
        assertExists: async () =>
          use === "online" ? assertProjectExists(context, project) : undefined,
      }),
  };
}

/** Takes the lock of a state, and says whom it waits for. */
function reportingLock(
  backend: StateBackend,
  { environment, report, protect }: StateContext,
): StateBackend["withLock"] {
  const job = ciJob(environment.env);
  return (request, work) => {
    let waitsFor: LockHolder | undefined;
    const onWait = (holder: LockHolder) => {
      waitsFor = holder;
      const { detail = "another run" } = describedHolder(holder);
      const most = durationText(request.wait);
      report.notice(`Waiting up to ${most} for the lock of the state: ${detail}`);
    };
    const begin: typeof work = (held) => {
      waitsFor = undefined;
      return work(held);
    };
    const nameHolder = (error: unknown): never => {
      const isOver = isInterrupt(error) && request.signal.reason === DEADLINE;
      if (!isOver || waitsFor === undefined) throw error;
      const { message, facts } = lockedError(backend.location, waitsFor, request);
      const detail = [message, facts.detail].filter(Boolean).join(": ");
      throw error.setFacts({ ...facts, detail });
    };
    return protect(backend.withLock({ ...request, job, onWait }, begin).catch(nameHolder));
  };
}

/**
 * The CI job that runs amp, as its log is found: of a runner that is gone, the process and machine
 * say nothing. Undefined outside GitLab and GitHub.
 */
export function ciJob(env: RunEnvironment["env"]): string | undefined {
  const { CI_JOB_URL, CI_JOB_ID, GITHUB_SERVER_URL, GITHUB_REPOSITORY, GITHUB_RUN_ID } = env;
  if (CI_JOB_URL) return CI_JOB_URL;
  if (CI_JOB_ID) return `CI job ${CI_JOB_ID}`;
  if (!GITHUB_REPOSITORY || !GITHUB_RUN_ID) return undefined;
  const server = GITHUB_SERVER_URL || "https://github.com";
  return `${server}/${GITHUB_REPOSITORY}/actions/runs/${GITHUB_RUN_ID}`;
}

/**
 * The saved state, read without its lock, and its text without journal; undefined if nothing was
 * saved yet.
 */
export async function readState({
  backend,
  assertOwn,
}: Pick<OpenedState, "backend" | "assertOwn">): Promise<
  { readonly state: RoutingState; readonly text: string } | undefined
> {
  const text = await backend.read();
  if (text === undefined) return undefined;
  const state = parseState(text, backend.location);
  await assertOwn(state);
  return { state, text: splitJournal(text).length === 1 ? text : stateText(state) };
}

const CACHE_NAMES = new Set([".cache", "node_modules"]);
const CACHE_VARIABLES = ["XDG_CACHE_HOME", "RUNNER_TOOL_CACHE"];

/**
 * Refuses a state in a cache folder: a cache may be restored to an older version, for several runs
 * at once, or disappear. Other folders that a CI system caches cannot be known.
 * @throws {UsageError} for a path in a cache folder
 */
function assertNotInCache(path: string, env: RunEnvironment["env"]): void {
  const folders = CACHE_VARIABLES.flatMap((name) => env[name] || []);
  const inCache =
    path.split(sep).some((name) => CACHE_NAMES.has(name)) ||
    folders.some((folder) => !relative(folder, path).startsWith(".."));
  if (inCache) throw routingErrors.state_in_cache(path);
}

/** What a request for a project is about in messages: not the list that it happens to read. */
const LOOK_UP = "look up the project";

/**
 * Asks the service for the ID and the name of a project: a state belongs to the ID, whichever of
 * the two was typed.
 * @returns the target as it was given, where the service does not report the project
 */
async function identifyTarget(
  { api, world }: Pick<CommandContext, "api" | "world">,
  given: StateTarget,
): Promise<StateTarget> {
  // Imported when a state is made: most runs have one.
  const [{ listProjects }, { isUnavailable }] = await Promise.all([
    import("../../api/operations/endpoints.ts"),
    import("../../api/operations/optional-operation.ts"),
  ]);
  const lookUp = { ...listProjects, does: LOOK_UP };
  const projects = await api.call(lookUp, {}).catch((error: unknown) => {
    // A credential may be allowed to use one project, and not to list any.
    if (isUnavailable(error)) return [];
    throw error;
  });
  const byId = projects.filter(({ id }) => id === given.project);
  const found = byId.length > 0 ? byId : projects.filter(({ name }) => name === given.project);
  const [project] = found;
  const named = world();
  const target = named === undefined ? given : { ...given, world: named };
  // An odd answer may have no ID.
  if (!project?.id || found.length > 1) return target;
  const { id, name } = project;
  return { ...target, project: id, ...(typeof name === "string" && name !== "" ? { name } : {}) };
}

/**
 * The result of {@link identifyTarget} where the service answers, and otherwise the target as it
 * was given: for what can do without.
 */
async function identifyIfAnswered(
  identify: () => Promise<StateTarget>,
  given: StateTarget,
): Promise<StateTarget> {
  try {
    return await identify();
  } catch (error) {
    assertFailure(error);
    return given;
  }
}

/** The state to check, and how the project was named. */
interface NamedProject {
  readonly given: StateTarget;
  /** The location of the state for messages. */
  readonly location: string;
  /** Whether the user chose the location, so that another project does not get another one. */
  readonly isChosen: boolean;
  readonly identify: () => Promise<StateTarget>;
  /** See {@link assertProjectExists}. */
  readonly assertExists: () => Promise<void>;
}

/**
 * Asks the service whether it has a project: a mistyped one is not the fault of the state. What
 * else fails says nothing.
 * @throws {NotFoundError} for a project, or an operation of it, that the service does not have
 */
async function assertProjectExists(
  { api }: Pick<CommandContext, "api">,
  projectIdOrName: string,
): Promise<void> {
  const { listProviderApps } = await import("../../api/operations/endpoints.ts");
  try {
    await api.call({ ...listProviderApps, does: LOOK_UP }, { path: { projectIdOrName } });
  } catch (error) {
    assertFailure(error);
    if (error instanceof NotFoundError) throw error.setFacts({ done: "Nothing was sent." });
  }
}

/**
 * Refuses the state of another target, and that of a project whose name is another project's by
 * now: what it knows does not exist there. A project that is given by its ID cannot change, and
 * needs no request.
 * @throws {NotFoundError} if the service does not have the given project
 * @throws {ConflictError} with both IDs
 */
async function assertSameProject(
  saved: RoutingState,
  { given, location, isChosen, identify, assertExists }: NamedProject,
): Promise<void> {
  const own = saved.target;
  if (!isSameTarget(own, given)) await assertExists();
  assertSameTarget(saved, given);
  if (own.name === undefined || own.project === given.project) return;
  const now = await identifyIfAnswered(identify, given);
  // A service that does not report the project says nothing of its ID.
  if (now.name === undefined || now.project === own.project) return;
  const state = isChosen ? { state: { placeholder: "location" } } : {};
  throw routingErrors.project_name_moved(
    given.project,
    `The state ${location} belongs to the project with ID ${own.project}; ${describeTarget(now)} now has the name.`,
    isChosen
      ? "Pass the ID of the new project, and choose another location for its state."
      : `Pass the ID of the new project: it then has its own state. To use the name again, move ${location} away: it is the state of the old project.`,
    suggest("notify plan", [], { project: now.project, ...state }),
    { state: own, target: now },
  );
}

/**
 * Sets the state of an earlier world of a sandbox aside: what it knows does not exist in this one.
 * A state without a world stays.
 * @param identify asks the service which world it is
 * @returns the new place of the state; undefined if it stays
 */
async function setAsideEarlierSandbox(
  { location: path, withLock }: Pick<StateBackend, "location" | "withLock">,
  request: LockRequest,
  identify: () => Promise<StateTarget>,
): Promise<string | undefined> {
  const targetNow = () => targetOf(path).catch(() => undefined);
  const own = await targetNow();
  if (own?.world === undefined) return undefined;
  const now = await identify();
  // Another address is another sandbox, not the same one later: its state is refused, not moved.
  if (now.world === undefined || now.world === own.world || now.origin !== own.origin)
    return undefined;
  const aside = `${path}.earlier-world`;
  return withLock(request, async (held) => {
    // Another run may have done it in the meantime.
    if ((await targetNow())?.world !== own.world) return undefined;
    const text = await held.read();
    if (text === undefined || splitJournal(text).length === 1) await rename(path, aside);
    else {
      // Its journal stays behind, and so it must not need one.
      await writeFileDurably(aside, stateText(parseState(text, path)));
      await unlink(path);
    }
    return aside;
  });
}

/**
 * Finds the default file of a project's state: the one that a run has made for it by ID or name,
 * and for a new one a path by ID.
 * @param identify finds the project's ID and name; called where no file, or more than one, has what
 *   was given
 * @throws {ConflictError} if the project has several
 */
async function findStateFile(
  folder: string,
  given: StateTarget,
  identify: () => Promise<StateTarget>,
): Promise<string> {
  const found = await stateFilesOf(folder, given);
  const [file] = found;
  if (file !== undefined && found.length === 1) return file.path;
  const known = await identify();
  // The name may have been that of other projects before.
  const isOthers = ({ name, project }: StateTarget) =>
    name !== undefined && known.name !== undefined && project !== known.project;
  const files = found.length > 0 ? found : await stateFilesOf(folder, known);
  const own = onlyOne(
    files.filter(({ target }) => !isOthers(target)),
    given,
  );
  return own?.path ?? defaultStateFile(folder, known);
}

/** A default file, and the target that it says. */
interface StateFile {
  readonly path: string;
  readonly target: StateTarget;
}

function onlyOne([file, other]: readonly StateFile[], { project }: StateTarget) {
  if (file === undefined || other === undefined) return file;
  throw routingErrors.project_with_two_states(project, file.path, other.path);
}

async function stateFilesOf(folder: string, target: StateTarget): Promise<StateFile[]> {
  const names = await readdir(folder).catch((): string[] => []);
  const files = names.filter((name) => name.endsWith(".json")).sort();
  const paths = files.map((name) => join(folder, name));
  const targets = await Promise.all(paths.map((path) => targetOf(path).catch(() => undefined)));
  return paths.flatMap((path, at) => {
    const own = targets[at];
    if (own === undefined || !isSameTarget(own, target)) return [];
    // A copy under another name is the user's own affair.
    return defaultStateFile(folder, own) === path ? [{ path, target: own }] : [];
  });
}

/** The head of a state has its target; the whole may have megabytes. */
const HEAD_BYTES = 4096;

async function targetOf(path: string): Promise<StateTarget | undefined> {
  const head = (await readHead(path, HEAD_BYTES)) ?? "";
  const [, target] = /"target": (\{[^{}]*\})/u.exec(head) ?? [];
  return target === undefined ? undefined : (JSON.parse(target) as StateTarget);
}

/** The default file of a target's state. The name is readable, and unique by its hash. */
function defaultStateFile(folder: string, target: StateTarget): string {
  const { origin, basePath, project } = target;
  const { hostname, port, protocol } = new URL(origin);
  const usualPort = protocol === "http:" ? "80" : "443";
  const words = [hostname, port || usualPort, basePath.replace(/^\/+/u, ""), project]
    .map((word) => word.replaceAll(/[^A-Za-z\d.-]+/gu, "-"))
    .filter((word) => word !== "")
    .join("_")
    .slice(0, 120);
  const hash = createHash("sha256").update(JSON.stringify([origin, basePath, project]));
  return join(folder, `${words}_${hash.digest("hex").slice(0, 8)}.json`);
}

/**
 * Refuses a single word that does not name a file yet: it may be a mistyped `gitlab`, whose state would then
 * be a new file that a CI job loses.
 * @throws {UsageError} for such a word
 */
function assertNotMistyped(named: string, path: string, source: string): void {
  if (!/^[^./\\:]+$/u.test(named) || existsSync(path)) return;
  throw routingErrors.state_location_mistyped(source, named, nearest(named, ["gitlab"]));
}
