import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { CommandContext } from "../context/command-context.ts";
import { UsageError } from "../errors.ts";
import { readDuration } from "../values/duration.ts";
import { suggest } from "../values/suggested-command.ts";
import { createEngine } from "./engine/engine.ts";
import type { Engine, EngineEvent, EngineOptions } from "./engine/types.ts";
import { type ReadRouting, readRoutingFile } from "./file/read.ts";
import { type AllowedSecrets, type SecretPolicy, secretPolicy } from "./file/secret-policy.ts";
import type { OpenedState, StateContext, StateOptions } from "./state/open-backend.ts";

/** The part of a command's context that provisioning uses. */
export type SessionContext = StateContext &
  Pick<CommandContext, "api" | "now" | "serviceTime" | "settings">;

/** The options of a command; times in milliseconds. An absent option has its default. */
export interface SessionOptions extends StateOptions {
  readonly parallel?: number | undefined;
  readonly commitHorizon?: number | undefined;
  readonly prune?: boolean;
  readonly recreate?: boolean;
}

/** More would fill the screen, and hide the plan. */
const MAX_WARNINGS = 10;
const PARALLEL = 4;
const ANSWER_MS = 30_000;
const COMMIT_DEADLINE_MS = 60_000;

/** Makes an engine over an opened state; nothing is read or sent yet. */
export function openEngine(
  { backend, target }: OpenedState,
  ports: SessionContext,
  options: SessionOptions,
  observe: (event: EngineEvent) => void = () => {},
): Engine {
  const { api, project, signal, urgentSignal, environment } = ports;
  return createEngine({
    api,
    project,
    target,
    backend,
    signal,
    urgentSignal,
    observe,
    command: environment.commandLine,
    options: {
      parallel: options.parallel ?? PARALLEL,
      commitDeadlineMs: options.commitHorizon ?? COMMIT_DEADLINE_MS,
      lockWaitMs: options.lockWait ?? 0,
      prune: options.prune ?? false,
      ...patienceOf(ports),
      recreate: options.recreate ?? false,
    },
    now: () => ports.now(),
    serviceTime: () => ports.serviceTime(),
    elapsed: () => performance.now(),
    sleep: (ms, until) => delay(ms, undefined, { signal: until }),
    uuid: randomUUID,
  });
}

/**
 * The engine's options from --timeout, --retries and --max-wait, because the engine itself retries
 * creates.
 */
function patienceOf({
  settings,
}: Pick<CommandContext, "settings">): Pick<
  EngineOptions,
  "answerMs" | "attempts" | "longestWaitMs"
> {
  const [timeout, maxWait] = [settings.get("timeout"), settings.get("maxWait")];
  return {
    answerMs: timeout === undefined ? ANSWER_MS : readDuration(timeout.value, timeout.source),
    // The engine has a limit of its own for creates that were certainly not done: the rest of a
    // routing depends on them. Only --retries 0 changes it.
    ...(Number(settings.get("retries")?.value ?? 1) === 0 ? { attempts: 1 } : {}),
    ...(maxWait === undefined
      ? {}
      : { longestWaitMs: readDuration(maxWait.value, maxWait.source) }),
  };
}

/** The part of a command's context that reading a routing file uses. */
export interface FileContext {
  readonly project: string;
  readonly files: Pick<CommandContext["files"], "read" | "realPath" | "variable">;
  readonly settings: CommandContext["settings"];
  readonly report: Pick<CommandContext["report"], "warn">;
}

/** A routing file, and the secrets that it may read. */
export interface FileOptions extends AllowedSecrets {
  readonly file: string;
  readonly allowLiteralSecrets: boolean;
}

/**
 * Reads the routing file of a command, shows its warnings, and checks that it belongs to the
 * project.
 * @throws {UsageError} where it is not valid, or names another project
 */
export async function readRouting(
  ports: FileContext,
  options: FileOptions,
  policy: SecretPolicy = secretPolicy(ports, options),
): Promise<ReadRouting> {
  const { project, files, report } = ports;
  const { file, allowLiteralSecrets } = options;
  const path = file === "-" ? "standard input" : file;
  const text = await files.read(file, {
    remedy: "Check the path, or write a new routing file.",
    suggestion: suggest("notify setup", [], { save: file }),
  });
  const routing = await readRoutingFile(text, path, {
    read: (name) => files.read(name),
    variable: (name) => files.variable(name),
    policy,
    allowLiteralSecrets,
  });
  for (const warning of routing.warnings.slice(0, MAX_WARNINGS)) report.warn(warning);
  const more = routing.warnings.length - MAX_WARNINGS;
  if (more > 0) report.warn(`${path} has ${more} more ${more === 1 ? "warning" : "warnings"}.`);
  if (routing.project !== undefined && routing.project !== project) {
    throw new UsageError(`${path} belongs to project ${routing.project}, not ${project}`, {
      remedy: `Add --project ${routing.project}, or remove the line from the file.`,
      done: "Nothing was sent.",
    });
  }
  return routing;
}
