import * as z from "zod";
import { readOwnFile } from "../durable/read-file.ts";
import { writeFileDurably } from "../durable/write-file.ts";
import { UsageError } from "../errors.ts";
import { fsReason } from "../runtime/fs-reason.ts";
import { checkDocument, parseDocument } from "./document.ts";
import type { EventEntry } from "./events/delivery.ts";
import { type World, worldSchema } from "./world.ts";

const FORMAT = "amp-sandbox-state";
const VERSION = 1;
const NOT_A_STATE = "it was not written by amp sandbox";

const eventEntry = z.looseObject({
  kind: z.literal("event"),
  event: z.looseObject({
    id: z.string(),
    projectId: z.string(),
    type: z.string(),
    time: z.string(),
    data: z.record(z.string(), z.unknown()),
  }),
  messages: z.array(z.looseObject({ id: z.string(), destinationId: z.string() })),
});

const stateSchema = z.object(
  {
    format: z.literal(FORMAT, NOT_A_STATE),
    version: z.literal(VERSION, {
      error: ({ input }) =>
        `is ${JSON.stringify(input)}, and this version of amp reads only ${VERSION}`,
    }),
    world: worldSchema,
    /** The events that the last change caused; absent if it caused none. */
    caused: z.array(eventEntry).optional(),
  },
  NOT_A_STATE,
);

const UNCHANGED = {
  done: "The file was not changed.",
  remedy: "Use another file, or move this one aside to start with sample data.",
};

/** A world, and the events of its last change, which the journal has unless a kill came between. */
export interface SandboxState {
  readonly world: World;
  readonly caused: readonly EventEntry[];
}

/**
 * Reads a state file; `undefined` where there is no file yet.
 * @throws {UsageError} where it is not a state; the file is left unchanged
 */
export async function readSandboxState(path: string): Promise<SandboxState | undefined> {
  const text = await readOwnFile(path).catch((error: unknown) => {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${path} cannot be read: ${fsReason(error)}`, {}, { cause: error });
  });
  return text === undefined ? undefined : parseState(path, text);
}

/** Saves a world with the events that its last change caused, completely or not at all. */
export function writeSandboxState(
  path: string,
  world: World,
  events: readonly EventEntry[] = [],
): Promise<void> {
  const caused = events.length === 0 ? undefined : events;
  // The mode of the file is 0600, since it has the secrets of destinations.
  const text = JSON.stringify({ format: FORMAT, version: VERSION, world, caused }, null, 1);
  return writeFileDurably(path, `${text}\n`);
}

function parseState(path: string, text: string): SandboxState {
  const file = `The sandbox state ${path}`;
  const document = parseDocument(file, text, UNCHANGED);
  checkDocument(file, stateSchema, document, UNCHANGED);
  // The parsed input is returned: the schema's output has the fields in another order.
  const { world, caused = [] } = document as z.output<typeof stateSchema>;
  return { world, caused: caused as readonly EventEntry[] };
}
