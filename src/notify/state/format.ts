import * as z from "zod";
import { UsageError } from "../../errors.ts";
import { schemaIssueText } from "../../values/schema-issue.ts";
import { type Address, isAddress } from "../model/address.ts";
import { assertSameTarget, RECORD_ORIGINS, type RoutingState, type StateTarget } from "./state.ts";

const FORMAT = "amp-routing-state";
const VERSION = 1;

const nonEmptyText = z.string().min(1);
const timestamp = z.iso.datetime({ offset: true });

const recordSchema = z.object({
  id: nonEmptyText,
  fingerprint: z.string(),
  origin: z.enum(RECORD_ORIGINS),
  requestId: z.string().exactOptional(),
  time: timestamp,
});

const pendingSchema = z.object({
  fingerprint: z.string(),
  key: nonEmptyText,
  attempt: z.int().min(1),
  idsBefore: z.array(z.string()),
  ends: z.array(z.string()).exactOptional(),
  started: timestamp,
  horizon: timestamp.exactOptional(),
  phase: z.enum(["intent", "unknown"]),
  requestId: z.string().exactOptional(),
});

function byAddress<Schema extends z.ZodType>(schema: Schema) {
  const address = z.string().refine(isAddress, "no address");
  return z
    .record(address, schema)
    .transform((fields) => new Map(Object.entries(fields) as [Address, z.output<Schema>][]));
}

/** Fields that it does not name are not taken over: a later version says so by its number. */
const stateSchema = z.object({
  lineage: nonEmptyText,
  serial: z.int().min(0),
  target: z.object({ origin: nonEmptyText, basePath: z.string(), project: nonEmptyText }),
  lists: z.boolean().exactOptional(),
  salt: nonEmptyText,
  records: byAddress(recordSchema),
  pending: byAddress(pendingSchema),
});

/**
 * Reads the text of a state.
 * @param place for messages
 * @throws {UsageError} for anything that is not whole, not a state, or not of this version
 */
export function parseState(source: string, place: string): RoutingState {
  const value = parseJson(source, place);
  const { format, version } = Object(value) as { format?: unknown; version?: unknown };
  if (format !== FORMAT) throw formatError(`${place} is no routing state of amp's`);
  if (version !== VERSION) {
    throw formatError(
      `${place} has version ${JSON.stringify(version)} of the state format`,
      `This amp knows version ${VERSION}: use the one that wrote it, or a newer one.`,
    );
  }
  const { data, error } = stateSchema.safeParse(value);
  if (data) return data;
  const issue = error.issues[0];
  const where = issue?.path.join(" > ") || "it";
  throw formatError(
    `${place} is damaged: ${where}: ${schemaIssueText(issue?.message ?? "not as it must be")}`,
  );
}

/**
 * Reads the text of a state that must belong to a target.
 * @throws {UsageError} as {@link parseState}
 * @throws {ConflictError} for the state of another target
 */
export function parseStateOf(target: StateTarget, source: string, place: string): RoutingState {
  const state = parseState(source, place);
  assertSameTarget(state, target);
  return state;
}

/**
 * The text that {@link parseState} reads: a line for each record. The serial is at the top, where
 * state servers look.
 */
export function stateText({ records, pending, ...rest }: RoutingState): string {
  const head = JSON.stringify({ format: FORMAT, version: VERSION, ...rest }, undefined, 2);
  const maps = [`"records": ${linesOf(records)}`, `"pending": ${linesOf(pending)}`];
  return `${head.slice(0, -2)},\n  ${maps.join(",\n  ")}\n}\n`;
}

function linesOf(entries: ReadonlyMap<Address, object>): string {
  const lines = Array.from(entries, ([address, entry]) => lineOf(address, entry));
  return lines.length === 0 ? "{}" : `{\n${lines.join(",\n")}\n  }`;
}

/** Records never change, and a run saves each of them with every save: they are written out once. */
const writtenLines = new WeakMap<object, { readonly address: Address; readonly line: string }>();

function lineOf(address: Address, entry: object): string {
  const known = writtenLines.get(entry);
  if (known?.address === address) return known.line;
  const line = `    ${JSON.stringify(address)}: ${JSON.stringify(entry)}`;
  writtenLines.set(entry, { address, line });
  return line;
}

function parseJson(source: string, place: string): unknown {
  if (source.trim() === "") throw formatError(`${place} is empty`);
  try {
    return JSON.parse(source);
  } catch {
    throw formatError(`${place} is no valid JSON: it was cut off, or changed by hand`);
  }
}

function formatError(message: string, remedy = FIX_STATE): UsageError {
  return new UsageError(message, { remedy, done: "It was left as it is, and nothing was sent." });
}

const FIX_STATE =
  "Put a good copy in its place. Beside a state file, the state before it stands as .bak.";
