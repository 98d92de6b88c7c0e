import { unlink } from "node:fs/promises";
import { resolve } from "node:path";
import { readOwnFile } from "../../durable/read-file.ts";
import { removeLeftovers, writeFileDurably } from "../../durable/write-file.ts";
import { NotFoundError, UsageError } from "../../errors.ts";
import { Secret } from "../../secrets/secret.ts";
import { suggest } from "../../values/suggested-command.ts";
import { readRouting } from "../file/read.ts";
import { trustingPolicy } from "../file/secrets.ts";
import { routingFileText } from "../file/write.ts";
import { notEmpty } from "../model/names.ts";
import { mapSecretPaths, mapSecrets, type RoutingModel } from "../model/routing.ts";
import { optionalVariables } from "../model/secrets.ts";
import { defaultStateFile } from "../state/local/find-state.ts";
import { diskError } from "../state/local/state-file.ts";
import { openBackend, type StateContext, type StateOptions } from "../state/open-backend.ts";
import { stateTarget } from "../state/state.ts";
import { hashOf, type SetupContext, setupCommand } from "./answers.ts";
import { notInteractive } from "./decide.ts";

/** The answers of a running setup, as a routing file: they outlive a kill. */
export interface UnfinishedFile {
  readonly path: string;
  /** Reads the file; undefined where there is no unfinished setup. */
  read(): Promise<string | undefined>;
  /** Saves the answers. Only the holder of the state's lock may call it. */
  save(text: string): Promise<void>;
  /** Removes the file if it holds one of these texts: another setup may have written its own. */
  remove(texts: readonly (string | undefined)[]): Promise<void>;
}

/**
 * The file beside a local state; for a remote one, in the default folder. It is named after the
 * project as it was typed: its ID is not known before the first request.
 */
export function unfinishedFileOf(
  { environment, project, target }: Pick<StateContext, "environment" | "project" | "target">,
  { state }: StateOptions,
): UnfinishedFile {
  const typed = stateTarget(target().baseUrl, project);
  const { local, location } = openBackend(state, typed, environment);
  const path = local
    ? `${location}.setup.yaml`
    : // The hash is of this location: an unfinished setup belongs to one state.
      `${defaultStateFile(environment.stateFolder, typed)}.${hashOf(location)}.setup.yaml`;
  const read = () =>
    readOwnFile(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOTDIR") return undefined;
      throw diskError("read", path, error);
    });
  return {
    path,
    read,
    save: async (text) => {
      await removeLeftovers(path);
      await writeFileDurably(path, text).catch((error: unknown) => {
        throw diskError("save", path, error);
      });
    },
    remove: async (texts) => {
      const text = await read().catch(() => undefined);
      // A file that cannot be removed is offered again, and its routing found in place.
      if (text !== undefined && texts.includes(text)) await unlink(path).catch(() => {});
    },
  };
}

/**
 * The text of the file: it has the references of secrets, never their values; credentials in the
 * metadata it has as they are, so that nothing must be typed again.
 */
export function unfinishedText(
  model: RoutingModel,
  { project, environment: { cwd } }: Pick<StateContext, "project" | "environment">,
): Promise<string> {
  return routingFileText(
    mapSecretPaths(model, (path) => resolve(cwd, path)),
    project,
    [],
    { literal: true },
  );
}

/** Asks whether to resume the earlier setup, or to start over. */
export function askToResume({ prompt }: SetupContext): Promise<boolean> {
  return prompt.select({
    message: "An earlier setup did not finish. What do you want to do?",
    flag: "--resume",
    choices: [
      { value: true, label: "Resume it" },
      { value: false, label: "Start over", note: "the resources that it created are kept" },
    ],
  });
}

/**
 * The routing of an earlier setup that did not finish.
 * @throws {NotFoundError} where there is none
 * @throws {UsageError} where a secret is missing and the terminal is not interactive
 */
export async function readUnfinished(
  ports: SetupContext,
  file: UnfinishedFile,
): Promise<{ readonly model: RoutingModel; readonly earlier: string }> {
  const earlier = await file.read();
  if (earlier === undefined) {
    throw new NotFoundError("No unfinished setup found", {
      detail:
        "Unfinished setups are saved for each project and state location. A setup whose values the " +
        "service refused is not saved: run it again with other values.",
      suggestion: suggest("notify setup"),
    });
  }
  if (!ports.interactive && !ports.yes && !ports.dryRun) throw notInteractive([], false);
  const model = await readModel(ports, { path: file.path, text: earlier });
  if (setupCommand(model) === undefined) {
    throw new UsageError(`${file.path} is not a setup file`, {
      suggestion: suggest("notify apply", [], { f: file.path }),
    });
  }
  return { model, earlier };
}

interface SetupSource {
  readonly path: string;
  readonly text: string;
}

/** Reads the routing. Typed secrets are not on disk: the user is asked for them again. */
async function readModel(ports: SetupContext, source: SetupSource): Promise<RoutingModel> {
  const { files } = ports;
  const { variable, unset } = optionalVariables(files);
  await readText(ports, source, variable);
  const typed = await typedSecrets(ports, [...unset]);
  const model = await readText(ports, source, (name) => typed.get(name) ?? files.variable(name));
  // A typed secret is gone when amp ends: the receipt must say to set its variable.
  return mapSecrets(model, (secret) =>
    secret.reference?.from === "env" && typed.has(secret.reference.name)
      ? new Secret(secret.reveal())
      : secret,
  );
}

async function readText(
  { project, files, settings }: SetupContext,
  { path, text }: SetupSource,
  variable: (name: string) => string | undefined,
): Promise<RoutingModel> {
  const own = (name: string) => (name === path ? Promise.resolve(text) : files.read(name));
  const report = { warn: () => {}, warnAll: () => {} };
  const ports = { project, settings, report, files: { ...files, read: own, variable } };
  const options = { file: path, allowLiteralSecrets: false, allowEnv: [], allowFile: [] };
  // amp wrote this file from options that were typed.
  return (await readRouting(ports, options, trustingPolicy())).model;
}

async function typedSecrets(
  { prompt, interactive }: SetupContext,
  missing: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (missing.length > 0 && !interactive) {
    throw new UsageError(`${missing.join(", ")} must be set`, {
      remedy: "These variables hold secrets, which amp does not save to disk.",
      done: "Nothing was sent.",
    });
  }
  const typed = new Map<string, string>();
  for (const name of missing) {
    const message = `Value of ${name}`;
    typed.set(name, await prompt.secret({ message, flag: name, check: notEmpty }));
  }
  return typed;
}
