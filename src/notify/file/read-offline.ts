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

/**
 * Reads a routing file on this machine alone: a secret that is not set here is not an error in the file.
 * @throws {UsageError} where it is not valid
 */
export async function readRoutingOffline(
  { files, settings }: Pick<FileContext, "files" | "settings">,
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
