import { dirname, isAbsolute, relative, resolve } from "node:path";
import { UsageError } from "../../errors.ts";
import { routingFile } from "../file/write.ts";
import { notEmpty } from "../model/names.ts";
import { mapSecretPaths, type RoutingModel } from "../model/routing.ts";
import type { SetupContext } from "./options.ts";

/**
 * Writes the routing file.
 * @returns its path; `undefined` on a dry run
 * @throws {UsageError} where the file exists and `--yes` was not given, or cannot be written
 */
export async function saveRouting(
  { files, report, project, yes, dryRun, environment: { cwd } }: SetupContext,
  model: RoutingModel,
  path: string,
): Promise<string | undefined> {
  const folder = dirname(resolve(cwd, path));
  const placed = mapSecretPaths(model, (secret) =>
    isAbsolute(secret) ? secret : relative(folder, resolve(cwd, secret)),
  );
  const text = await routingFile(placed, project);
  if (dryRun) {
    report.notice(`Would save the routing as ${path}.`);
    return undefined;
  }
  try {
    await files.write(path, text, { overwrite: yes });
  } catch (error) {
    if (error instanceof UsageError) throw error.with({ done: "Nothing was created." });
    throw error;
  }
  report.notice(`Saved the routing as ${path}.`);
  return path;
}

/** Asks for the path of the routing file until it can be written. */
export async function askAndSaveRouting(
  ports: SetupContext,
  model: RoutingModel,
): Promise<string | undefined> {
  for (;;) {
    const path = await ports.prompt.input({
      message: "File name",
      flag: "--save",
      default: "routing.yaml",
      check: notEmpty,
    });
    try {
      return await saveRouting(ports, model, path);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      ports.report.warn(error.message);
    }
  }
}
