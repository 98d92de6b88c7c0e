import { readdir, stat, unlink } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { readOwnFile } from "../../durable/read-file.ts";
import { removeLeftovers, writeFileDurably } from "../../durable/write-file.ts";
import { ConflictError, NotFoundError, UsageError } from "../../errors.ts";
import { Secret } from "../../secrets/secret.ts";
import { counted, firstNames } from "../../values/counted.ts";
import { durationText } from "../../values/duration.ts";
import { suggest } from "../../values/suggested-command.ts";
import { readRouting } from "../file/read.ts";
import { trustingPolicy } from "../file/secrets.ts";
import { routingFileText } from "../file/write.ts";
import { notEmpty } from "../model/names.ts";
import { mapSecretPaths, mapSecrets, type RoutingModel } from "../model/routing.ts";
import { optionalVariables } from "../model/secrets.ts";
import type { StateBackend } from "../state/backend.ts";
import { diskError } from "../state/local/state-file.ts";
import { answersOfModel, hashOf } from "./answers.ts";
import { notInteractive, type SetupContext } from "./options.ts";
import { setupCommand } from "./result.ts";

/** The answers of a setup that did not finish, as a routing file: they outlive a kill. */
export interface Unfinished {
  readonly path: string;
  readonly text: string;
}

/** An unfinished setup that was found. */
export interface FoundSetup extends Unfinished {
  /** When it was started, in ms. */
  readonly started: number;
}

/** The unfinished setups of one state. */
export interface UnfinishedSetups {
  /** The last one first. */
  list(): Promise<readonly FoundSetup[]>;
  /** The place of a setup's answers; nothing is written. */
  of(model: RoutingModel, text: string): Unfinished;
  /** Saves the answers. Only the holder of the state's lock may call it. */
  save(one: Unfinished): Promise<void>;
  /** Removes these, unless another run has changed them. */
  remove(these: readonly Unfinished[]): Promise<void>;
}

/** The files beside a local state; of a remote one, in the default folder. */
export function unfinishedSetups(
  { local, location }: Pick<StateBackend, "local" | "location">,
  { stateFolder }: Pick<SetupContext["environment"], "stateFolder">,
): UnfinishedSetups {
  const base = local ? location : join(stateFolder, `remote_${hashOf(location)}`);
  const folder = dirname(base);
  const read = (path: string) =>
    readOwnFile(path).catch((error: unknown) => {
      throw diskError("read", path, error);
    });
  return {
    list: async () => {
      const names = await readdir(folder).catch((): string[] => []);
      const paths = names.flatMap((name) =>
        name.startsWith(`${basename(base)}.`) && /\.[\da-f]{8}\.setup\.yaml$/u.test(name)
          ? join(folder, name)
          : [],
      );
      const found = await Promise.all(
        paths.map(async (path) => {
          const text = await read(path);
          const started = (await stat(path).catch(() => undefined))?.mtimeMs ?? 0;
          return text === undefined ? [] : [{ path, text, started }];
        }),
      );
      return found.flat().sort((one, other) => other.started - one.started);
    },
    // A setup of the same name has the same resources: its file replaces the earlier one.
    of: ({ name = "" }, text) => ({ path: `${base}.${hashOf(name)}.setup.yaml`, text }),
    save: async ({ path, text }) => {
      await removeLeftovers(path);
      await writeFileDurably(path, text).catch((error: unknown) => {
        throw diskError("save", path, error);
      });
    },
    remove: async (these) => {
      for (const { path, text } of these) {
        // A file that cannot be removed is offered again, and its routing found in place.
        const now = await read(path).catch(() => undefined);
        if (now === text) await unlink(path).catch(() => {});
      }
    },
  };
}

/**
 * The text of the file: it has the references of secrets, never their values; credentials in the
 * metadata it has as they are, so that nothing must be typed again. The state beside it belongs to one
 * project, which may be given by ID or name.
 */
export function unfinishedText(
  model: RoutingModel,
  { cwd }: Pick<SetupContext["environment"], "cwd">,
): Promise<string> {
  const placed = mapSecretPaths(model, (path) => resolve(cwd, path));
  return routingFileText(placed, undefined, [], { literal: true });
}

/**
 * Warns of setups that did not finish: their answers are kept.
 * @returns the warning for the result
 */
export async function warnOfOthers(
  ports: SetupContext,
  others: readonly Unfinished[],
): Promise<readonly string[]> {
  if (others.length === 0) return [];
  const titles = await Promise.all(others.map((one) => titleOf(ports, one)));
  const text = `${counted(others.length, "earlier setup")} did not finish: ${firstNames(titles)}.`;
  ports.report.warn(text, suggest("notify setup", [], { resume: true }));
  return [text];
}

/** Asks which earlier setup to resume; `undefined`: none, to start over. */
export async function askToResume(
  ports: SetupContext,
  setups: readonly FoundSetup[],
): Promise<Unfinished | undefined> {
  const [, ...more] = setups;
  const which = more.length === 0 ? "An earlier setup" : `${setups.length} earlier setups`;
  const note = more.length === 0 ? "forgets its answers" : "forgets their answers";
  return ports.prompt.select<Unfinished | undefined>({
    message: `${which} did not finish`,
    flag: "--resume",
    choices: [
      ...(await resumeChoices(ports, setups)),
      { value: undefined, label: "Start over", note: `${note}; what was created is kept` },
    ],
  });
}

async function resumeChoices(ports: SetupContext, setups: readonly FoundSetup[]) {
  return Promise.all(
    setups.map(async (value) => {
      const ago = durationText(Math.max(0, ports.now().getTime() - value.started));
      return { value, label: `Resume ${await titleOf(ports, value)}`, note: `${ago} ago` };
    }),
  );
}

/** The topic and destination of a setup, or its path where it cannot be read. */
async function titleOf(ports: SetupContext, one: Unfinished): Promise<string> {
  const { variable } = optionalVariables(ports.files);
  const model = await readText(ports, one, variable).catch(() => undefined);
  const { topic, destination } = (model && answersOfModel(model)) ?? {};
  return topic && destination ? `${topic.name} → ${destination.name}` : one.path;
}

/**
 * The earlier setup that `--resume` means.
 * @throws {NotFoundError} where there is none
 * @throws {ConflictError} where there are several, and the terminal is not interactive
 */
export async function setupToResume(
  ports: SetupContext,
  setups: readonly FoundSetup[],
): Promise<Unfinished> {
  const [first, second] = setups;
  if (first === undefined) {
    throw new NotFoundError("No unfinished setup found", {
      detail:
        "Unfinished setups are saved for each project and state location. A setup whose values the " +
        "service refused is not saved: run it again with other values.",
      suggestion: suggest("notify setup"),
    });
  }
  if (second === undefined) return first;
  if (ports.interactive) {
    const choices = await resumeChoices(ports, setups);
    return ports.prompt.select({ message: "Unfinished setup", flag: "--resume", choices });
  }
  const { variable } = optionalVariables(ports.files);
  const models = await Promise.all(setups.map((one) => readText(ports, one, variable)));
  throw new ConflictError(`${setups.length} setups did not finish`, {
    remedy: "Run one of these commands to continue it.",
    done: "Nothing was sent.",
    suggestion: models.flatMap((model) => setupCommand(model)?.command ?? []),
  });
}

/**
 * The routing of an earlier setup that did not finish.
 * @throws {UsageError} where a secret is missing and the terminal is not interactive
 */
export async function readUnfinished(ports: SetupContext, one: Unfinished): Promise<RoutingModel> {
  if (!ports.interactive && !ports.yes && !ports.dryRun) throw notInteractive([], false);
  const model = await readModel(ports, one);
  if (answersOfModel(model) !== undefined) return model;
  throw new UsageError(`${one.path} is not a setup file`, {
    suggestion: suggest("notify apply", [], { f: one.path }),
  });
}

/** Reads the routing. Typed secrets are not on disk: the user is asked for them again. */
async function readModel(ports: SetupContext, source: Unfinished): Promise<RoutingModel> {
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
  { path, text }: Unfinished,
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
