import { type FileContext, type FileOptions, readRoutingFile, STANDARD_INPUT } from "./read.ts";
import { secretPolicy } from "./secrets.ts";

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
 * Checks a routing file on this machine alone: a secret that is not here is no mistake of the file.
 * @throws {UsageError} where it is not valid
 */
export async function validateRoutingFile(
  { files, settings, report }: Omit<FileContext, "project">,
  options: FileOptions,
): Promise<ValidatedFile> {
  const { file, allowLiteralSecrets } = options;
  const path = file === "-" ? STANDARD_INPUT : file;
  const unavailable = new Set<string>();
  const standIn = (reference: string) => {
    unavailable.add(reference);
    return "?";
  };
  const policy = secretPolicy({ settings, files }, options);
  const routing = await readRoutingFile(await files.read(file), path, {
    allowLiteralSecrets,
    variable: (name) => files.variable(name) || standIn(`env:${name}`),
    read: (name) => files.read(name).catch(() => standIn(`file:${name}`)),
    policy: {
      ...policy,
      // Whether a file that does not exist would be allowed is not known.
      locate: (name, folder) => policy.locate(name, folder).catch(() => ({ file: name })),
    },
  });
  for (const warning of routing.warnings) report.warn(warning);
  const { model, project, warnings } = routing;
  return {
    file: path,
    ...(project === undefined ? {} : { project }),
    destinations: model.destinations.size,
    topics: model.topics.size,
    warnings,
    unavailableSecrets: [...unavailable],
  };
}
