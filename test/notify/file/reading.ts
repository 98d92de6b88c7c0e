import { UsageError } from "../../../src/errors.ts";
import { type ReadRouting, readRoutingFile } from "../../../src/notify/file/read.ts";

/** What the file points to. */
export interface FileInput {
  readonly env?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string>>;
  readonly allowLiteralSecrets?: boolean;
}

/** Reads a routing file in a world of its own. */
export function reading(
  text: string,
  { env = {}, files = {}, allowLiteralSecrets }: FileInput = {},
  path = "routing.yaml",
): Promise<ReadRouting> {
  return readRoutingFile(text, path, {
    variable: (name) => env[name],
    read: async (file) => {
      const found = files[file];
      if (found === undefined)
        throw new UsageError(`${file} cannot be read: there is no such file`);
      return found;
    },
    allowLiteralSecrets,
  });
}

/** What is said of a mistaken file, one line a mistake. */
export async function mistakes(text: string, world?: FileInput): Promise<string> {
  try {
    await reading(text, world);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return error.facts.detail ?? error.message;
  }
  return "";
}
