import { dirname, isAbsolute, relative, resolve } from "node:path";
import type { SetupCommands } from "../../documents/routing.ts";
import { isKind, UsageError } from "../../errors.ts";
import { firstNames } from "../../values/counted.ts";
import { inputErrors } from "../../values/errors.ts";
import { DEFAULT_FILE, readRoutingOffline } from "../file/read.ts";
import { LITERAL_SECRETS } from "../file/secrets.ts";
import { isPrivate, routingFileTexts } from "../file/write.ts";
import { notEmpty } from "../model/names.ts";
import { addressesOf, mapSecretPaths, type RoutingModel } from "../model/routing.ts";
import { applyCommandOf } from "../unfinished.ts";
import type { SetupContext, SetupOptions } from "./options.ts";
import type { WizardContext } from "./wizard/context.ts";

/** A routing file that was written. */
export type SavedFile = Required<Pick<SetupCommands, "savedTo" | "applyCommand">>;

/**
 * Checks before the first question that the file can be written: answers would be lost.
 * @throws {UsageError} if it exists and may not be replaced, or its folder does not exist
 */
export async function checkSave(
  { files }: SetupContext,
  { save, overwrite }: Pick<SetupOptions, "save" | "overwrite">,
): Promise<void> {
  if (save === undefined) return;
  try {
    await files.realPath(dirname(save)).catch((cause: unknown) => {
      const reason = `folder ${dirname(save)} not found`;
      const remedy = "Create the folder, or choose another one.";
      throw inputErrors.file_unusable("write", save, reason, cause, remedy);
    });
    if (!overwrite) await files.refuseExisting(save);
  } catch (error) {
    throw withAddition(error);
  }
}

/** Says in the error of a file that exists how it gets the resources of a setup. */
function withAddition(error: unknown): unknown {
  if (!isKind(error, "file_exists")) return error;
  return error.setFacts({
    remedy:
      "Choose another file name, or add --overwrite to replace it. A setup does not add to a file: " +
      "to extend one, edit it, and run amp notify apply.",
  });
}

/** The text of a file that exists; a device is not read, which might never end. */
async function existingText({ files }: SetupContext, path: string): Promise<string | undefined> {
  if (path === "-" || /^\/(dev|proc)\//u.test(path)) return undefined;
  return files.read(path).catch(() => undefined);
}

/** Warns of what a routing file loses that is replaced. */
async function warnOfDropped(ports: SetupContext, model: RoutingModel, path: string) {
  if ((await existingText(ports, path)) === undefined) return;
  const allow = [LITERAL_SECRETS];
  const old = await readRoutingOffline(ports, { file: path, allow }).catch(() => undefined);
  const kept = new Set(addressesOf(model));
  const dropped = old === undefined ? [] : addressesOf(old.model).filter((one) => !kept.has(one));
  if (dropped.length === 0) return;
  ports.report.warn(`${path} is replaced, and no longer contains ${firstNames(dropped)}.`);
}

/**
 * Writes the routing file.
 * @returns `undefined` without a path, and on a dry run
 * @throws {UsageError} where the file exists with another text and may not be replaced, or cannot
 * be written
 */
export async function saveRouting(
  ports: SetupContext,
  model: RoutingModel,
  { save: path, overwrite }: Pick<SetupOptions, "save" | "overwrite">,
): Promise<SavedFile | undefined> {
  if (path === undefined) return undefined;
  const { files, report, project, dryRun } = ports;
  const { cwd } = ports.environment;
  const folder = dirname(resolve(cwd, path));
  const placed = mapSecretPaths(model, (secretPath) =>
    isAbsolute(secretPath) ? secretPath : relative(folder, resolve(cwd, secretPath)),
  );
  const { text } = await routingFileTexts(placed, { project });
  const before = await existingText(ports, path);
  if (overwrite) await warnOfDropped(ports, model, path);
  if (dryRun) {
    report.notice(`Would save the routing as ${path}.`);
    return undefined;
  }
  const hasSecrets = isPrivate(placed);
  // An equal file is written again only for its mode.
  if (before !== text || hasSecrets) {
    const replace = overwrite || before === text;
    await files.write(path, text, { overwrite: replace, isPrivate: hasSecrets }).catch((error) => {
      throw before === undefined || overwrite ? error : withAddition(error);
    });
  }
  return { savedTo: path, applyCommand: await applyCommandOf({ path, text }, cwd) };
}

/**
 * Asks for the path of the routing file until it can be written.
 * @param asked the question, and what is said of its answers
 */
export async function askAndSaveRouting(
  ports: SetupContext,
  asked: Pick<WizardContext, "prompt" | "report">,
  model: RoutingModel,
  { overwrite }: Pick<SetupOptions, "overwrite">,
): Promise<SavedFile | undefined> {
  for (;;) {
    const save = await asked.prompt.input({
      message: "File name",
      flag: "--save",
      default: overwrite ? DEFAULT_FILE : await freeFile(ports),
      check: async (path) => {
        const required = notEmpty(path);
        if (required !== true) return required;
        const checked = checkSave(ports, { save: path, overwrite });
        return checked.then(() => true as const, messageOf);
      },
    });
    try {
      return await saveRouting(ports, model, { save, overwrite });
    } catch (error) {
      asked.report.warn(messageOf(error));
    }
  }
}

/** Why a path is refused. @throws any other error */
function messageOf(error: unknown): string {
  if (error instanceof UsageError) return error.message;
  throw error;
}

/** The default name, or the first of `routing-2.yaml`, `routing-3.yaml`, … that does not exist. */
async function freeFile({ files }: Pick<SetupContext, "files">): Promise<string> {
  let free = DEFAULT_FILE;
  const exists = () =>
    files.refuseExisting(free).then(
      () => false,
      () => true,
    );
  for (let count = 2; await exists(); count += 1) free = `routing-${count}.yaml`;
  return free;
}
