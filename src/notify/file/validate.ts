import { optionalVariables } from "../model/secrets.ts";
import {
  type FileContext,
  type FileOptions,
  type ReadRouting,
  readRoutingFile,
  STANDARD_INPUT,
} from "./read.ts";
import { secretPolicy } from "./secrets.ts";

/** A routing file that was read on this machine alone. */
export interface OfflineRouting extends ReadRouting {
  /** The path of the file, for messages. */
  readonly file: string;
  /** The references whose variable is not set, or whose file does not exist. */
  readonly unavailableSecrets: readonly string[];
}

type OfflineContext = Omit<FileContext, "project">;

/**
 * Reads a routing file on this machine alone: a secret that is not set here is not an error in the file.
 * @throws {UsageError} where it is not valid
 */
export async function readRoutingOffline(
  { files, settings }: Omit<OfflineContext, "report">,
  options: FileOptions,
): Promise<OfflineRouting> {
  const { file, allowLiteralSecrets } = options;
  const path = file === "-" ? STANDARD_INPUT : file;
  const { variable, unset } = optionalVariables(files);
  const absent = new Set<string>();
  const standIn = (name: string) => {
    absent.add(`file:${name}`);
    return "?";
  };
  const policy = secretPolicy({ settings, files }, options);
  const routing = await readRoutingFile(await files.read(file), path, {
    allowLiteralSecrets,
    variable,
    unset,
    read: (name) => files.read(name).catch(() => standIn(name)),
    policy: {
      ...policy,
      // Whether a file that does not exist would be allowed is not known.
      locate: (name, folder) => policy.locate(name, folder).catch(() => ({ file: name })),
    },
  });
  const unavailableSecrets = [...[...unset].map((name) => `env:${name}`), ...absent];
  return { ...routing, file: path, unavailableSecrets };
}

/** What the check of a routing file found. */
export interface ValidatedFile {
  readonly file: string;
  readonly project?: string;
  readonly destinations: number;
  readonly topics: number;
  readonly warnings: readonly string[];
  /** The references whose variable is not set, or whose file does not exist. */
  readonly unavailableSecrets: readonly string[];
}

/**
 * Checks the form and content of a routing file on this machine alone.
 * @throws {UsageError} where it is not valid
 */
export async function validateRoutingFile(
  context: OfflineContext,
  options: FileOptions,
): Promise<ValidatedFile> {
  const { file, model, project, warnings, unavailableSecrets } = await readRoutingOffline(
    context,
    options,
  );
  for (const warning of warnings) context.report.warn(warning);
  return {
    file,
    ...(project === undefined ? {} : { project }),
    destinations: model.destinations.size,
    topics: model.topics.size,
    warnings,
    unavailableSecrets,
  };
}
