import { readOwnFile } from "../durable/read-file.ts";
import { writeFileDurably } from "../durable/write-file.ts";
import { UsageError } from "../errors.ts";
import { fsReason } from "../runtime/fs-reason.ts";
import { schemaIssueText } from "../values/schema-issue.ts";
import { type World, worldSchema } from "./world.ts";

const FORMAT = "amp-sandbox-state";
const VERSION = 1;

/**
 * The world that a state file holds; `undefined` where there is no file yet.
 * @throws {UsageError} where it holds something else; the file is left as it is
 */
export async function readSandboxState(path: string): Promise<World | undefined> {
  const text = await readOwnFile(path).catch((error: unknown) => {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${path} cannot be read: ${fsReason(error)}`, {}, { cause: error });
  });
  return text === undefined ? undefined : parseState(path, text);
}

/** Saves a world, whole or not at all. */
export function writeSandboxState(path: string, world: World): Promise<void> {
  // 0600, the mode that the writer gives by itself: secrets of destinations are in it.
  const text = JSON.stringify({ format: FORMAT, version: VERSION, world }, null, 1);
  return writeFileDurably(path, `${text}\n`);
}

function parseState(path: string, text: string): World {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch (error) {
    throw unusable(
      path,
      `it is not valid JSON (${error instanceof Error ? error.message : error})`,
    );
  }
  const { format, version, world } = (document ?? {}) as Record<string, unknown>;
  if (format !== FORMAT) throw unusable(path, "it was not written by amp sandbox");
  if (version !== VERSION) {
    throw unusable(
      path,
      `its version is ${JSON.stringify(version)}, and this amp reads ${VERSION}`,
    );
  }
  const read = worldSchema.safeParse(world);
  if (!read.success) {
    const [issue] = read.error.issues;
    throw unusable(
      path,
      `world.${issue?.path.join(".")}: ${schemaIssueText(issue?.message ?? "")}`,
    );
  }
  // Not the schema's output, which has the fields in another order.
  return world as World;
}

function unusable(path: string, reason: string): UsageError {
  return new UsageError(`${path} is no usable sandbox state: ${reason}`, {
    done: "The file was left as it is.",
    remedy: "Name another file, or move this one away to begin with a fresh world.",
  });
}
