import { dirname, isAbsolute, relative, resolve } from "node:path";
import { UsageError } from "../../errors.ts";
import { suggest } from "../../values/suggested-command.ts";
import { type AllowedSecrets, isWithin } from "../file/secret-policy.ts";
import { routingFile } from "../file/write.ts";
import { notEmpty } from "../model/names.ts";
import { mapSecretPaths, type RoutingModel } from "../model/routing.ts";
import { protectedVariable } from "../model/secrets.ts";
import type { SetupContext } from "./options.ts";
import { nothingCreated } from "./run.ts";

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
  const placed = mapSecretPaths(model, (secretPath) =>
    isAbsolute(secretPath) ? secretPath : relative(folder, resolve(cwd, secretPath)),
  );
  const text = await routingFile(placed, project);
  if (dryRun) {
    report.notice(`Would save the routing as ${path}.`);
    return undefined;
  }
  await files.write(path, text, { overwrite: yes }).catch((error) => {
    throw nothingCreated(error);
  });
  const { allowEnv, allowFile } = allowancesOf(model, { cwd, folder });
  if (allowEnv.length + allowFile.length === 0) report.notice(`Saved the routing as ${path}.`);
  else {
    const apply = suggest("notify apply", [], { f: path, allowEnv, allowFile });
    report.notice(`Saved the routing as ${path}. To apply it:`, apply);
  }
  return path;
}

/**
 * The options that allow the typed references: they are used as they are, but a file that contains
 * them needs permission.
 */
function allowancesOf(
  { destinations }: RoutingModel,
  { cwd, folder }: { readonly cwd: string; readonly folder: string },
): AllowedSecrets {
  const secrets = [...destinations.values()].flatMap((part) =>
    part.kind === "new" ? Object.values(part.secrets) : [],
  );
  const references = secrets.flatMap(({ reference }) => reference ?? []);
  return {
    allowEnv: references.flatMap((one) =>
      one.from === "env" && protectedVariable(one.name) !== undefined ? one.name : [],
    ),
    allowFile: references.flatMap((one) =>
      one.from === "file" && !isWithin(folder, resolve(cwd, one.path)) ? one.path : [],
    ),
  };
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
