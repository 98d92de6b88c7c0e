import { UsageError } from "../../../src/errors.ts";
import { type ReadRouting, readRoutingFile } from "../../../src/notify/file/read.ts";
import type { SecretPolicy } from "../../../src/notify/file/secrets.ts";

/** Every variable and file may be read. */
export const TRUSTING: SecretPolicy = {
  refusesVariable: () => undefined,
  locate: async (path) => ({ file: path }),
};

/** The variables and files that a routing file refers to. */
export interface FileInput {
  readonly env?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string>>;
  readonly allow?: readonly string[];
}

/** Reads a routing file with the given variables and files. */
export function reading(
  text: string,
  { env = {}, files = {}, allow = [] }: FileInput = {},
  path = "routing.yaml",
): Promise<ReadRouting> {
  return readRoutingFile(text, path, {
    policy: TRUSTING,
    variable: (name) => env[name],
    read: async (file) => {
      const found = Object.hasOwn(files, file) ? files[file] : undefined;
      if (found === undefined)
        throw new UsageError(`${file} cannot be read: there is no such file`);
      return found;
    },
    allow,
  });
}

/** The messages about an invalid file, one per line. */
export async function errorsIn(text: string, input?: FileInput): Promise<string> {
  try {
    await reading(text, input);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return error.facts.detail ?? error.message;
  }
  return "";
}
