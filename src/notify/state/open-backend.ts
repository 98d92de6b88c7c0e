import { relative, resolve, sep } from "node:path";
import type { CommandContext, RunEnvironment } from "../../context/command-context.ts";
import { isInterrupt } from "../../errors.ts";
import { DEADLINE } from "../../runtime/end-process.ts";
import { isLoopback } from "../../runtime/loopback.ts";
import { isWithin, once } from "../../values/basics.ts";
import { inputErrors } from "../../values/errors.ts";
import { durationText, readDuration } from "../../values/time.ts";
import { routingErrors } from "../errors.ts";
import { describedHolder, type LockHolder, type StateBackend, waitOverFacts } from "./backend.ts";
import {
  assertNotMistyped,
  assertProjectExists,
  assertSameProject,
  defaultStateFile,
  findStateFile,
  identifyIfAnswered,
  identifyTarget,
  setAsideEarlierSandbox,
} from "./find-state.ts";
import { parseState, splitJournal, stateText } from "./format.ts";
import { localBackend } from "./local/local-backend.ts";
import type { StateManagerOptions } from "./manager.ts";
import type { StateServerOptions } from "./remote/send.ts";
import { type RoutingState, type StateTarget, stateTarget } from "./state.ts";

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
export interface OpenedState
  extends Required<Pick<StateManagerOptions, "target" | "newTarget" | "assertOwn">> {
  readonly backend: StateBackend;
}

/** How long to wait for the lock, in milliseconds. */
export function lockWaitOf(
  { settings }: Pick<StateContext, "settings">,
  { lockWait = 0 }: StateOptions,
): number {
  const set = settings.get("lockWait");
  return set === undefined ? lockWait : readDuration(set.value, set.source);
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
  const [timeout, retries] = [settings.get("timeout"), settings.get("retries")];
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
          ...(timeout ? { timeoutMs: readDuration(timeout.value, timeout.source) } : {}),
          ...(retries ? { retries: Number(retries.value) } : {}),
        });
  if (use !== "unlock" && isSandbox && backend.local) {
    const wait = lockWaitOf(context, options);
    const request = { command: environment.commandLine, wait, signal };
    const aside = await setAsideEarlierSandbox(backend, request, newTarget);
    if (aside !== undefined) {
      report.notice(`The sandbox was restarted: the state of its earlier data is now ${aside}`);
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
      throw error.setFacts(waitOverFacts(backend.location, waitsFor, request));
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
  target,
  assertOwn,
}: Pick<OpenedState, "backend" | "target"> & Partial<Pick<OpenedState, "assertOwn">>): Promise<
  { readonly state: RoutingState; readonly text: string } | undefined
> {
  const text = await backend.read();
  if (text === undefined) return undefined;
  const state = parseState(text, backend.location, assertOwn ? undefined : target);
  await assertOwn?.(state);
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
