import { readOwnFile } from "../durable/read-file.ts";
import { writeFileDurably } from "../durable/write-file.ts";
import { UsageError } from "../errors.ts";
import { fsReason } from "../runtime/fs-reason.ts";
import { schemaIssueText } from "../values/schema-issue.ts";
import { type World, worldSchema } from "./world.ts";

const FORMAT = "amp-sandbox-state";
const VERSION = 1;

/**
 * Reads the world from a state file; `undefined` where there is no file yet.
 * @throws {UsageError} where it is not a state; the file is left unchanged
 */
export async function readSandboxState(path: string): Promise<World | undefined> {
  const text = await readOwnFile(path).catch((error: unknown) => {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${path} cannot be read: ${fsReason(error)}`, {}, { cause: error });
  });
  return text === undefined ? undefined : parseState(path, text);
}

/** Saves a world, completely or not at all. */
export function writeSandboxState(path: string, world: World): Promise<void> {
  // The writer's own mode is 0600, since the file has the secrets of destinations.
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
      `its version is ${JSON.stringify(version)}, and this amp reads only ${VERSION}`,
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
  // The schema's output has the fields in another order.
  return world as World;
}

function unusable(path: string, reason: string): UsageError {
  return new UsageError(`${path} is not a valid sandbox state: ${reason}`, {
    done: "The file was not changed.",
    remedy: "Use another file, or move this one away to begin with fresh data.",
  });
}
