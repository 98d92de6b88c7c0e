import { randomUUID } from "node:crypto";
import { parse } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { CommandContext } from "../context/command-context.ts";
import { thisOwner } from "../durable/owner.ts";
import type { UsageError } from "../errors.ts";
import { readParallel } from "../values/counted.ts";
import { defined } from "../values/json.ts";
import { DEFAULTS } from "../values/setting.ts";
import { durationText, readDuration } from "../values/time.ts";
import { assertFileRules } from "./checks/check.ts";
import { createEngine, type Engine } from "./engine/engine.ts";
import type { EngineEvent, EnginePorts } from "./engine/types.ts";
import { routingErrors } from "./errors.ts";
import {
  type FileContext,
  type FileOptions,
  type ReadRouting,
  readRouting,
  STANDARD_INPUT,
} from "./file/read.ts";
import { findReads } from "./in-use.ts";
import { type PlanChoices, planChoices } from "./plan/table.ts";
import {
  ciJob,
  durationOf,
  lockWaitOf,
  type OpenedState,
  type StateContext,
  type StateOptions,
} from "./state/open-backend.ts";

/** The part of a command's context that provisioning uses. */
export type SessionContext = StateContext &
  Pick<CommandContext, "api" | "guard" | "now" | "serviceTime" | "settings">;

/** The options of a command; times in milliseconds. An absent option has its default. */
export interface SessionOptions extends StateOptions, Partial<PlanChoices> {
  readonly parallel?: number | undefined;
  /** The name of temporary resources, which the history leaves out. */
  readonly temporary?: string | undefined;
  /** The longest wait for an unknown outcome, and for a list that is behind. */
  readonly patienceMs?: number | undefined;
  /** The run that is taken back, and what it created, by kind and ID. */
  readonly undo?: { readonly run: string; readonly remove: ReadonlySet<string> };
}

const ANSWER_MS = readDuration(DEFAULTS.timeout);
const COMMIT_HORIZON_MS = readDuration(DEFAULTS.commitHorizon);

/** Makes an engine over an opened state; nothing is read or sent yet. */
export function openEngine(...parts: Parameters<typeof enginePorts>): Engine {
  return createEngine(enginePorts(...parts));
}

/** The options of an engine, or of a single write through the state. */
export function enginePorts(
  { backend, newTarget, assertOwn }: OpenedState,
  ports: SessionContext,
  options: SessionOptions,
  onEvent: (event: EngineEvent) => void = () => {},
): EnginePorts {
  const { api, project, signal, urgentSignal, environment, settings } = ports;
  const parallel = settings.get("parallel") ?? { value: DEFAULTS.parallel, source: undefined };
  return {
    api,
    project,
    newTarget,
    assertOwn,
    backend,
    signal,
    urgentSignal,
    onEvent,
    command: environment.commandLine,
    assertMayWrite: () => ports.guard.assertMayWrite(),
    findReads: (names) => findReads(ports, names),
    history: {
      who: whoRuns(environment),
      ...(options.undo === undefined ? {} : { undoes: options.undo.run }),
    },
    temporary: options.temporary,
    options: {
      parallel: options.parallel ?? readParallel(parallel.value, parallel.source),
      commitHorizonMs: commitHorizonOf(ports),
      patienceMs: options.patienceMs,
      lockWaitMs: lockWaitOf(ports, options),
      ...choicesOf(options),
      undo: options.undo?.remove,
      ...patienceOf(ports),
    },
    now: () => ports.now(),
    serviceTime: () => ports.serviceTime(),
    // guard: the clock that only goes forward
    elapsed: () => performance.now(),
    sleep: (ms, until) => delay(ms, undefined, { signal: until }),
    uuid: randomUUID,
  };
}

/** The settings whose short commit horizon was said: a command may open several sessions. */
const warned = new WeakSet<object>();

/** The commit horizon; one below the default is said, because a late create could then be doubled. */
function commitHorizonOf({
  settings,
  report,
}: Pick<SessionContext, "settings" | "report">): number {
  const set = settings.get("commitHorizon");
  if (set === undefined) return COMMIT_HORIZON_MS;
  const horizon = readDuration(set.value, set.source);
  if (horizon < COMMIT_HORIZON_MS && !warned.has(settings)) {
    warned.add(settings);
    report.warn(
      `The commit horizon is ${durationText(horizon)} (${set.source}): a create that takes longer to appear in the lists may be sent twice.`,
    );
  }
  return horizon;
}

function choicesOf(options: Pick<SessionOptions, keyof PlanChoices | "undo">): PlanChoices {
  const choices = planChoices(options);
  return { ...choices, prune: choices.prune || options.undo !== undefined };
}

/** Who runs amp, for the history: the job's URL, or the user as the environment says, and the host. */
function whoRuns({ env, commandLine }: SessionContext["environment"]): string {
  const { host, job } = thisOwner(commandLine, undefined, ciJob(env));
  const user = env.USER || env.LOGNAME || env.USERNAME;
  return job ?? (user ? `${user} on ${host}` : host);
}

/**
 * Reads the routing file of a plan.
 * @throws {UsageError} where it breaks its own rules, or cannot prune
 */
export async function readPrunableRouting(
  ports: FileContext,
  options: FileOptions & SessionOptions,
): Promise<ReadRouting> {
  const routing = await readRouting(ports, options);
  assertFileRules(routing, options.file === "-" ? STANDARD_INPUT : options.file);
  if (options.prune && routing.model.name === undefined) throw needsName(options.file);
  return routing;
}

/** The error of a prune without a name, with the line to add. */
function needsName(file: string): UsageError {
  const isPath = file !== "-" && !/^\/(dev|proc)\//u.test(file);
  const name = isPath ? parse(file).name : "lifecycle";
  const line = `name: ${/^\w[\w.-]*$/u.test(name) ? name : JSON.stringify(name)}`;
  return routingErrors.prune_without_name(isPath ? file : STANDARD_INPUT, line);
}

/**
 * The engine's options from the settings of requests, because the engine itself retries creates.
 */
function patienceOf(context: Pick<CommandContext, "settings">) {
  return {
    answerMs: durationOf(context, "timeout") ?? ANSWER_MS,
    // The engine has a limit of its own for creates that were certainly not done: the rest of a
    // routing depends on them. Only 0 retries change it.
    ...(Number(context.settings.get("retries")?.value ?? 1) === 0 ? { attempts: 1 } : {}),
    ...defined({ longestWaitMs: durationOf(context, "maxWait") }),
  };
}
